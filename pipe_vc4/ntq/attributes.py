# SPDX-License-Identifier: MIT
"""Vertex attributes: raw words in the VPM, unpacked by the shader (vc4_nir_lower_vertex_attr).

In: an `Ntq` and the slots that it reads; attribute i of the key is the i-th slot. Out: registers of
their components. Missing components are 0, 0, 0, 1 (GL 2.1, 2.8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipe_vc4.ntq.alu import NtqError
from pipe_vc4.qir.qir import MAX_ATTRIBUTES, Cond, QFile, QReg, Vc4Compile

if TYPE_CHECKING:
    from pipe_vc4.ntq.compile import Ntq
    from pipe_vc4.ntq.keys import Vc4VsKey


class AttrFormat(NamedTuple):
    """What a format's name says: R8G8B8A8_UNORM."""

    order: str  # of the components in memory
    bits: int
    kind: str  # FLOAT, UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FIXED

    @property
    def bytes(self) -> int:
        """Of the whole, padded to words."""
        return (len(self.order) * self.bits // 8 + 3) // 4 * 4


def attr_format(name: str) -> AttrFormat:
    """A format by its name."""
    channels, _, kind = name.partition("_")
    order = "".join(letter for letter in channels if letter.isalpha()).lower()
    sizes = {int(size) for size in channels.translate(_NO_LETTERS).split()}
    if len(sizes) != 1 or not set(order) <= set("rgba"):
        raise NtqError(f"VC4 has no attributes of format {name}")
    return AttrFormat(order, sizes.pop(), kind)


_NO_LETTERS = {ord(letter): " " for letter in "RGBAX"}


def setup(n: Ntq, slots: list[tuple[int, int]]) -> None:
    """Read every attribute's words at the top, in order, and unpack what the shader reads."""
    c, key = n.c, n.c.vs_key
    assert key is not None
    words: list[list[QReg]] = []
    formats: list[AttrFormat] = []
    if len(slots) > MAX_ATTRIBUTES:
        raise NtqError(f"VC4 has no room for {len(slots)} attributes")
    c.attr_slots = [slot for slot, _ in slots]
    for number, (slot, _) in enumerate(slots):
        form = attr_format(_format_name(key, number, slot))
        formats.append(form)
        c.vattr_sizes[number] = form.bytes
        count = form.bytes // 4
        words.append([c.q.MOV(QReg(QFile.VPM, number * 4 + k)) for k in range(count)])
        c.num_inputs += count
    if not slots:  # the hardware wants an attribute, and that all of it is read
        c.vattr_sizes[0] = 4
        c.q.MOV(QReg(QFile.VPM))
        c.num_inputs = 1
    for (slot, mask), read, form in zip(slots, words, formats):
        for component in range(4):
            if mask >> component & 1:
                n.inputs[slot, component] = _component(c, form, read, "rgba"[component])


def _format_name(key: Vc4VsKey, number: int, slot: int) -> str:
    if key.attr_slots:
        known = slot in key.attr_slots
        number = key.attr_slots.index(slot) if known else len(key.attr_formats)
    return key.attr_formats[number] if number < len(key.attr_formats) else "R32G32B32A32_FLOAT"


def _component(c: Vc4Compile, form: AttrFormat, words: list[QReg], letter: str) -> QReg:
    if letter not in form.order:
        one = c.uniform_ui(1) if form.kind in ("UINT", "SINT") else c.uniform_f(1.0)
        return one if letter == "a" else c.uniform_f(0.0)
    at = form.order.index(letter)
    unpack = {32: _word, 16: _half, 8: _byte}.get(form.bits)
    found = None if unpack is None else unpack(c, form.kind, words, at)
    if found is None:
        raise NtqError(f"VC4 has no attributes of {form.bits} bits {form.kind}")
    return found


def _word(c: Vc4Compile, kind: str, words: list[QReg], at: int) -> QReg | None:
    word = words[at]
    if kind in ("FLOAT", "UINT", "SINT"):
        return word
    number = c.q.ITOF(word)
    scales = {"SNORM": 1 / 0x7FFFFFFF, "FIXED": 1 / 65536, "SSCALED": 1.0, "USCALED": 1.0}
    if kind in ("USCALED", "UNORM"):
        c.SF(word)
        number = c.q.FADD(number, c.SEL(Cond.NS, c.uniform_f(4294967296.0), c.uniform_f(0.0)))
        scales["UNORM"] = 1 / 0xFFFFFFFF
    if kind not in scales:
        return None
    scale = scales[kind]
    return number if scale == 1.0 else c.q.FMUL(number, c.uniform_f(scale))


def _half(c: Vc4Compile, kind: str, words: list[QReg], at: int) -> QReg | None:
    word, half = words[at // 2], at % 2
    if kind == "FLOAT":
        return c.UNPACK_16_F(word, half)
    if kind in ("SNORM", "SSCALED", "SINT"):
        number = c.UNPACK_16_I(word, half)
        if kind == "SINT":
            return number
        number = c.q.ITOF(number)
        return number if kind == "SSCALED" else c.q.FMUL(number, c.uniform_f(1 / 32767))
    if kind not in ("UNORM", "USCALED", "UINT"):
        return None
    bare = c.q.SHR(word, c.uniform_ui(16)) if half else c.q.AND(word, c.uniform_ui(0xFFFF))
    if kind == "UINT":
        return bare
    number = c.q.ITOF(bare)
    return number if kind == "USCALED" else c.q.FMUL(number, c.uniform_f(1 / 65535))


def _byte(c: Vc4Compile, kind: str, words: list[QReg], at: int) -> QReg | None:
    word = words[0]
    if kind == "UNORM":
        return c.UNPACK_8_F(word, at)
    if kind in ("USCALED", "UINT"):
        number = c.UNPACK_8_I(word, at)
        return number if kind == "UINT" else c.q.ITOF(number)
    if kind not in ("SNORM", "SSCALED", "SINT"):
        return None
    moved = c.q.XOR(word, c.uniform_ui(0x80808080))  # 128 more
    number = c.q.ADD(c.UNPACK_8_I(moved, at), c.uniform_ui(-128))
    if kind == "SINT":
        return number
    real = c.q.ITOF(number)
    return real if kind == "SSCALED" else c.q.FMUL(real, c.uniform_f(1 / 127))
