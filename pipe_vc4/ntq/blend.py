# SPDX-License-Identifier: MIT
"""Coverage by alpha, alpha test, blending, logic operation and colour mask in the fragment shader
(GL 2.1, 4.1).

In: an `Ntq` and the colour. Out: the words for the tile. Blending is done on four bytes at once by
the multiplier's V8 operations, as the tile has no more bits (vc4_nir_lower_blend.c, of which the
factors and equations are GL's 4.1.8; pydri/nir/lower_blend.py is the same in floats).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pipe_vc4.ntq.alu import NtqError
from pipe_vc4.ntq.keys import FUNC_ALWAYS, FUNC_NEVER, BlendKey
from pipe_vc4.qir.qir import NULL, Cond, QFile, QReg, QUniform, Vc4Compile

if TYPE_CHECKING:
    from pipe_vc4.ntq.compile import Ntq

#: colour formats: the channel in each byte
BYTE_ORDERS: Final = {
    "RGBA8888": "rgba", "BGRA8888": "bgra", "RGBX8888": "rgb1", "BGRX8888": "bgr1",
    "BGR565": "rgb1", "RGB565": "rgb1",
}  # fmt: skip
#: samples of a pixel, where there are several
SAMPLES: Final = 4
#: compare function -> (in which order alpha and reference are subtracted, lanes that fail)
_FAILS: Final = {
    1: ("ar", Cond.NC), 2: ("ar", Cond.ZC), 3: ("ra", Cond.NS), 4: ("ra", Cond.NC),
    5: ("ar", Cond.ZS), 6: ("ar", Cond.NS),
}  # fmt: skip


def color_of(n: Ntq, *slots: int) -> list[QReg]:
    """The four floats that were written; opaque black where nothing was."""
    for slot in slots:
        found = [n.output(slot, k) for k in range(4)]
        if any(part is not None for part in found):
            return [n.c.uniform_f(float(k == 3)) if part is None else part
                    for k, part in enumerate(found)]  # fmt: skip
    return []


def alpha_test(n: Ntq, color: list[QReg]) -> None:
    """Fragments that fail go (GL 2.1, 4.1.4)."""
    c, key = n.c, n.c.fs_key
    assert key is not None
    func = key.alpha_test_func
    if func == FUNC_ALWAYS or not color:
        return
    if n.discard.file == QFile.NULL:
        n.discard = c.get_temp()
        c.to.MOV(n.discard, c.uniform_ui(0))
    if func == FUNC_NEVER:
        c.to.MOV(n.discard, c.uniform_ui(~0))
        return
    order, fails = _FAILS[func]
    pair = (color[3], c.uniform(QUniform.ALPHA_REF))
    c.SF(c.q.FSUB(*(pair if order == "ar" else pair[::-1])))
    c.to.MOV(n.discard, c.uniform_ui(~0)).cond = fails


def sample_mask(n: Ntq, alpha: QReg | None) -> None:
    """Samples that alpha or GL_SAMPLE_COVERAGE leave out go (GL 2.1, 4.1.3); alpha is that of the
    first target. As many samples are left as numbers n / 4 from 0 on are less than alpha.
    """
    c, key = n.c, n.c.fs_key
    assert key is not None
    masks = []
    if key.sample_alpha_to_coverage and alpha is not None:
        missing = c.q.FSUB(c.uniform_f(4.0), c.q.FMUL(c.SAT(alpha), c.uniform_f(4.0)))
        masks.append(c.q.SHR(c.uniform_ui(15), c.q.FTOI(missing)))
    if key.sample_coverage:
        masks.append(c.uniform(QUniform.SAMPLE_MASK))
    if masks:
        c.emit_nondef(c.inst("MS_MASK", NULL, c.q.AND(*masks) if masks[1:] else masks[0]))


def blended(n: Ntq, color: list[QReg]) -> list[QReg]:
    """The word that the tile gets, or one for each sample where they depend on what is there."""
    key = n.c.fs_key
    assert key is not None
    order = BYTE_ORDERS[key.color_format]
    state = _Blend(n, color, order)
    words = [_word(n, color, state)]
    while key.msaa and state.has_read and len(words) < SAMPLES:
        state.next_sample()
        words.append(_word(n, color, state))
    return words


def _word(n: Ntq, color: list[QReg], state: _Blend) -> QReg:
    """What all samples get, or the next one."""
    c, key, order = n.c, n.c.fs_key, state.order
    assert key is not None
    if not color:  # undefined, but where nothing may be written
        return c.uniform_ui(0) if key.blend.colormask else state.dst
    mask = 0
    for byte, letter in enumerate(order):
        if letter == "1" or key.blend.colormask >> "rgba".index(letter) & 1:
            mask |= 0xFF << 8 * byte
    if mask == 0:
        return state.dst
    source = state.source
    if key.logicop_func != "COPY":
        result = logic_op(c, key.logicop_func, source, lambda: state.dst)
    elif key.blend.enable:
        result = state.result(source, key.blend)
    else:
        result = source
    if mask == 0xFFFFFFFF:
        return result
    kept = c.q.AND(state.dst, c.uniform_ui(~mask))
    return c.q.OR(c.q.AND(result, c.uniform_ui(mask)), kept)


def logic_op(c: Vc4Compile, name: str, s: QReg, dst: Callable[[], QReg]) -> QReg:
    """A logic operation on words (GL 2.1, 4.1.10)."""
    q = c.q
    if name == "CLEAR":
        return c.uniform_ui(0)
    if name == "SET":
        return c.uniform_ui(~0)
    if name == "COPY_INVERTED":
        return q.NOT(s)
    d = dst()
    made: dict[str, Callable[[], QReg]] = {
        "NOOP": lambda: d, "INVERT": lambda: q.NOT(d), "AND": lambda: q.AND(s, d),
        "OR": lambda: q.OR(s, d), "XOR": lambda: q.XOR(s, d), "NAND": lambda: q.NOT(q.AND(s, d)),
        "NOR": lambda: q.NOT(q.OR(s, d)), "EQUIV": lambda: q.NOT(q.XOR(s, d)),
        "AND_REVERSE": lambda: q.AND(s, q.NOT(d)), "AND_INVERTED": lambda: q.AND(q.NOT(s), d),
        "OR_REVERSE": lambda: q.OR(s, q.NOT(d)), "OR_INVERTED": lambda: q.OR(q.NOT(s), d),
    }  # fmt: skip
    return made[name]()


class _Blend:
    """Blending of one fragment, sample by sample: the tile's colour is read once for each, when it
    is needed, and comes in the samples' order.
    """

    def __init__(self, n: Ntq, color: list[QReg], order: str) -> None:
        self.n, self.c, self.color, self.order = n, n.c, color, order
        self._dst = self._source = NULL
        self._words: dict[str, QReg] = {}

    @property
    def has_read(self) -> bool:
        """Whether the tile's colour was needed."""
        return self._dst.file != QFile.NULL

    def next_sample(self) -> None:
        """What was made of the tile's colour is another sample's."""
        self._dst = NULL
        self._words = {name: word for name, word in self._words.items()
                       if "DST" not in name and "SATURATE" not in name}  # fmt: skip

    @property
    def source(self) -> QReg:
        """The fragment's colour as the tile stores it."""
        if self._source.file == QFile.NULL:
            self._source = self.n.pack([
                self.c.uniform_f(1.0) if k == "1" else self.color["rgba".index(k)]
                for k in self.order
            ])  # fmt: skip
        return self._source

    @property
    def dst(self) -> QReg:
        """The tile's colour."""
        if self._dst.file == QFile.NULL:
            self._dst = self.c.q.TLB_COLOR_READ()
        return self._dst

    @property
    def alpha_byte(self) -> int | None:
        """Where alpha lies; None: the target has none, which counts as 1."""
        return self.order.index("a") if "a" in self.order else None

    def result(self, source: QReg, key: BlendKey) -> QReg:
        """Four bytes of source and tile, blended. Two equations and factors: RGB's and alpha's."""
        rgb = self.equation(source, key.rgb_func, key.rgb_src, key.rgb_dst)
        same = (key.rgb_func, key.rgb_src, key.rgb_dst) == (
            key.alpha_func, self._as_rgb(key.alpha_src, key.rgb_src),
            self._as_rgb(key.alpha_dst, key.rgb_dst),
        )  # fmt: skip
        if self.alpha_byte is None or same:
            return rgb
        alpha = self.equation(source, key.alpha_func, key.alpha_src, key.alpha_dst)
        return self.with_alpha(rgb, alpha)

    @staticmethod
    def _as_rgb(alpha: str, rgb: str) -> str:
        """RGB's factor if alpha's says the same of alpha."""
        as_alpha = [name.replace("_COLOR", "_ALPHA") for name in (rgb, alpha)]
        return rgb if as_alpha[0] == as_alpha[1] else alpha

    def with_alpha(self, rgb: QReg, alpha: QReg) -> QReg:
        """A word with the alpha of another."""
        assert self.alpha_byte is not None
        bits = 0xFF << 8 * self.alpha_byte
        c = self.c
        return c.q.OR(c.q.AND(rgb, c.uniform_ui(~bits)), c.q.AND(alpha, c.uniform_ui(bits)))

    def equation(self, source: QReg, func: str, src: str, dst: str) -> QReg:
        """func(source * src, tile * dst)."""
        q = self.c.q
        if func in ("MIN", "MAX"):
            return (q.V8MIN if func == "MIN" else q.V8MAX)(source, self.dst)
        a, b = self.term(source, src), self.term(None, dst)
        if func == "FUNC_REVERSE_SUBTRACT":
            a, b = b, a
        if func == "FUNC_ADD":
            if a is None or b is None:
                return a or b or self.c.uniform_ui(0)
            return q.V8ADDS(a, b)
        zero = self.c.uniform_ui(0)
        return zero if a is None else a if b is None else q.V8SUBS(a, b)

    def term(self, value: QReg | None, factor: str) -> QReg | None:
        """A colour times its factor; None is zero."""
        if factor == "ZERO":
            return None
        value = self.dst if value is None else value
        return value if factor == "ONE" else self.c.q.V8MULD(value, self.factor(factor))

    def factor(self, name: str) -> QReg:
        """A factor in each byte."""
        found = self._words.get(name)
        if found is None:
            found = self._words[name] = self._factor(name)
        return found

    def _factor(self, name: str) -> QReg:
        c = self.c
        if name.startswith("ONE_MINUS_"):
            return c.q.NOT(self.factor(name.removeprefix("ONE_MINUS_")))
        if name == "SRC_COLOR":
            return self.source
        if name == "SRC_ALPHA":
            return c.PACK_8888_F(self.color[3])
        if name == "DST_COLOR":
            return self.dst
        if name == "DST_ALPHA":
            return self.dst_alpha()
        if name == "CONSTANT_COLOR":
            return c.uniform(QUniform.BLEND_CONST_COLOR_RGBA)
        if name == "CONSTANT_ALPHA":
            return c.uniform(QUniform.BLEND_CONST_COLOR_AAAA)
        if name == "SRC_ALPHA_SATURATE":
            least = c.q.V8MIN(self.factor("SRC_ALPHA"), c.q.NOT(self.dst_alpha()))
            if self.alpha_byte is None:
                return least
            return c.q.OR(least, c.uniform_ui(0xFF << 8 * self.alpha_byte))
        raise NtqError(f"VC4 has no blend factor {name}")

    def dst_alpha(self) -> QReg:
        """The tile's alpha in each byte."""
        c = self.c
        if self.alpha_byte is None:
            return c.uniform_ui(~0)
        if self.alpha_byte != 3:
            raise NtqError("the tile's alpha is not in its highest byte")
        return c.q.MOV(self.dst._replace(pack=3))
