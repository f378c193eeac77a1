# SPDX-License-Identifier: MIT
"""Enum values back to names, for traces and messages; built when the first name is asked for.

Many names share a value. The one kept is the shortest without a vendor's suffix, since that is what
the program wrote most likely; names of bits (`*_BIT`) never stand for enums.
"""

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


class EnumNames:
    """The reverse of the constants in pydri/api/enums.py."""

    def __init__(self, constants: dict[str, object], modes: str, bits: str) -> None:
        self._constants = constants
        self._modes = modes
        self._bits = bits
        self._names: dict[int, str] | None = None

    def _value(self, name: str) -> int:
        value = self._constants.get(name)
        if value is None:
            value = constants_of(self._constants)[name]
        assert isinstance(value, int)
        return value

    def _build(self) -> dict[int, str]:
        best: dict[int, tuple[bool, int, str]] = {}
        for name, value in constants_of(self._constants).items():
            if not name.startswith("GL_") or not isinstance(value, int):
                continue
            last = name.rsplit("_", 1)[1]
            if (
                last in ("BIT", "BITS")
                and value < 0x10000
                or name == "GL_FALSE"
                or name == "GL_TRUE"
            ):
                continue
            if "_BIT_" in name or (value < 0x100 and name not in ("GL_ZERO", "GL_ONE", "GL_NONE")):
                continue
            rank = (last in _SUFFIXES, len(name), name)
            if value not in best or rank < best[value]:
                best[value] = rank
        names = {value: rank[2] for value, rank in best.items()}
        names[0], names[1] = "GL_NONE", "GL_ONE"
        return names

    def name_of(self, value: int) -> str:
        """GL_TEXTURE_2D for 0x0DE1; hexadecimal digits for what has no name."""
        if self._names is None:
            self._names = self._build()
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
