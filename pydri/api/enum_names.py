# SPDX-License-Identifier: MIT
"""Enum values back to names, for traces and messages, when they are asked for.

Many names share a value. The one kept is the shortest without a vendor's suffix, since that is what
the program wrote most likely; names of bits (`*_BIT`) never stand for enums.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SUFFIXES = frozenset(
    "ARB EXT OES NV KHR SGIX SGIS SGI ATI AMD APPLE IBM INTEL SUN HP MESA PGI QCOM IMG ANGLE ARM "
    "VIV WIN OML I3D NVX GREMEDY REND S3TC ATIX INGR 3DFX DMP FJ OVR SC MESAX 3DL".split()
)


class LateConstants:
    """`__getattr__` of a module of enums in the start image (libgl_shim/fold.py), where they are
    text: by the length of their names, "NAME=HEX " for each. A program wants a few of 6,000."""

    def __init__(self, names: dict[str, object], texts: tuple[str, ...]) -> None:
        self._names = names
        self._texts = texts

    def __call__(self, name: str) -> int:
        text = self._texts[len(name)] if len(name) < len(self._texts) else ""
        at = text.find(f" {name}=")
        if at < 0:
            raise AttributeError(f"there is no enum {name}")
        begin = at + len(name) + 2
        value = self._names[name] = int(text[begin : text.index(" ", begin)], 16)
        return value

    def named(self, value: int) -> "Iterator[str]":
        """The names of a value."""
        digits = f"={value:x} "
        for text in self._texts:
            at = text.find(digits)
            while at >= 0:
                yield text[text.rindex(" ", 0, at) + 1 : at]
                at = text.find(digits, at + 1)

    def all(self) -> None:
        """Make them what they are in the source."""
        for text in self._texts:
            for word in text.split():
                name, _, digits = word.partition("=")
                self._names[name] = int(digits, 16)


def constants_of(names: dict[str, object]) -> dict[str, object]:
    """The globals of a module of enums, with all of them."""
    late = names.get("__getattr__")
    if isinstance(late, LateConstants):
        late.all()
    return names


def _rank(name: str, value: int) -> tuple[bool, int, str] | None:
    """How good a name is for a value, the best first; None: it is no enum's."""
    if not name.startswith("GL_") or name in ("GL_FALSE", "GL_TRUE") or "_BIT_" in name:
        return None
    last = name.rsplit("_", 1)[1]
    if last in ("BIT", "BITS") and value < 0x10000:
        return None
    if value < 0x100 and name not in ("GL_ZERO", "GL_ONE", "GL_NONE"):
        return None
    return last in _SUFFIXES, len(name), name


class EnumNames:
    """The reverse of the constants in pydri/api/enums.py."""

    def __init__(self, constants: dict[str, object], modes: str, bits: str) -> None:
        self._constants = constants
        self._modes = modes
        self._bits = bits
        self._names: dict[int, str] = {}
        self._all = False  # they are there

    def _value(self, name: str) -> int:
        value = self._constants.get(name)
        if value is None:
            value = constants_of(self._constants)[name]
        assert isinstance(value, int)
        return value

    def _find(self, value: int) -> None:
        """Know the names of one value, where they are text, or else of all. Who looks around which
        enums there are makes errors that name a few."""
        late = self._constants.get("__getattr__")
        if isinstance(late, LateConstants):
            named = ((name, value) for name in late.named(value))
        else:
            self._all = True
            named = ((n, v) for n, v in self._constants.items() if isinstance(v, int))
        best: dict[int, tuple[bool, int, str]] = {}
        for name, number in named:
            rank = _rank(name, number)
            if rank is not None and (number not in best or rank < best[number]):
                best[number] = rank
        self._names |= {number: rank[2] for number, rank in best.items()}
        self._names |= {0: "GL_NONE", 1: "GL_ONE"}
        self._names.setdefault(value, "")

    def name_of(self, value: int) -> str:
        """GL_TEXTURE_2D for 0x0DE1; hexadecimal digits for what has no name."""
        if value not in self._names and not self._all:
            self._find(value)
        return self._names.get(value) or f"0x{value:04X}"

    def mode_name(self, value: int) -> str:
        """GL_TRIANGLES for 4: primitives have small numbers that mean other things elsewhere."""
        for name in self._modes.split():
            if self._value(name) == value:
                return name
        return f"0x{value:04X}"

    def bits_name(self, value: int) -> str:
        """GL_COLOR_BUFFER_BIT|GL_DEPTH_BUFFER_BIT for 0x4100."""
        if value in (0xFFFFFFFF, 0x000FFFFF):
            return "GL_ALL_ATTRIB_BITS"
        found, rest = [], value
        for name in self._bits.split():
            bit = self._value(name)
            if bit & (bit - 1) == 0 and rest & bit:
                found.append(name)
                rest &= ~bit
        if rest or not found:
            found.append(f"0x{rest:X}")
        return "|".join(found)
