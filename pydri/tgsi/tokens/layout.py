# SPDX-License-Identifier: MIT
"""TABLE: the bit fields of every token, from the lowest bit (p_shader_tokens.h of Mesa 22.3).

In: fields by name.  Out: one 32-bit word, and back.  What a row leaves free is padding and zero.
"""

from __future__ import annotations

from typing import Final

#: name -> (field, bits); a negative number of bits: a signed field
ROWS: Final[dict[str, tuple[tuple[str, int], ...]]] = {
    "header": (("HeaderSize", 8), ("BodySize", 24)),
    "processor": (("Processor", 4),),
    "token": (("Type", 4), ("NrTokens", 8)),
    "declaration": (
        ("Type", 4), ("NrTokens", 8), ("File", 4), ("UsageMask", 4), ("Dimension", 1),
        ("Semantic", 1), ("Interpolate", 1), ("Invariant", 1), ("Local", 1), ("Array", 1),
        ("Atomic", 1), ("MemType", 2), ("ValueType", 3),
    ),
    "range": (("First", 16), ("Last", 16)),
    "dim": (("Index2D", 16),),
    # CylindricalWrap went in Mesa 21.2, which leaves its bits zero
    "interp": (("Interpolate", 4), ("Location", 2), ("CylindricalWrap", 4)),
    "semantic": (
        ("Name", 8), ("Index", 16), ("StreamX", 2), ("StreamY", 2), ("StreamZ", 2), ("StreamW", 2),
    ),
    "image": (("Resource", 8), ("Raw", 1), ("Writable", 1), ("Format", 10)),
    "sampler_view": (
        ("Resource", 8), ("ReturnTypeX", 6), ("ReturnTypeY", 6), ("ReturnTypeZ", 6),
        ("ReturnTypeW", 6),
    ),
    "array": (("ArrayID", 10),),
    "immediate": (("Type", 4), ("NrTokens", 14), ("DataType", 4)),
    "property": (("Type", 4), ("NrTokens", 8), ("PropertyName", 8)),
    "instruction": (
        ("Type", 4), ("NrTokens", 8), ("Opcode", 8), ("Saturate", 1), ("NumDstRegs", 2),
        ("NumSrcRegs", 4), ("Label", 1), ("Texture", 1), ("Memory", 1), ("Precise", 1),
    ),
    "label": (("Label", 24),),
    "texture": (("Texture", 8), ("NumOffsets", 4), ("ReturnType", 3)),
    "offset": (
        ("Index", -16), ("File", 4), ("SwizzleX", 2), ("SwizzleY", 2), ("SwizzleZ", 2),
    ),
    "memory": (("Qualifier", 4), ("Texture", 8), ("Format", 10)),
    "dst": (("File", 4), ("WriteMask", 4), ("Indirect", 1), ("Dimension", 1), ("Index", -16)),
    "src": (
        ("File", 4), ("Indirect", 1), ("Dimension", 1), ("Index", -16), ("SwizzleX", 2),
        ("SwizzleY", 2), ("SwizzleZ", 2), ("SwizzleW", 2), ("Absolute", 1), ("Negate", 1),
    ),
    "ind": (("File", 4), ("Index", -16), ("Swizzle", 2), ("ArrayID", 10)),
    "dimension": (("Indirect", 1), ("Dimension", 1), ("Padding", 14), ("Index", -16)),
}  # fmt: skip


def _places(fields: tuple[tuple[str, int], ...]) -> dict[str, tuple[int, int, bool]]:
    """field -> (lowest bit, mask, signed)."""
    found, at = {}, 0
    for name, bits in fields:
        width = abs(bits)
        found[name] = (at, (1 << width) - 1, bits < 0)
        at += width
    assert at <= 32
    return found


PLACES: Final = {name: _places(fields) for name, fields in ROWS.items()}


class FieldError(ValueError):
    """A number does not fit into its field."""


def pack(row: str, **values: int) -> int:
    """The word with these fields; what is not named is zero."""
    word = 0
    places = PLACES[row]
    for name, value in values.items():
        at, mask, signed = places[name]
        value = int(value)
        low = -(mask >> 1) - 1 if signed else 0
        if not low <= value <= (mask >> 1 if signed else mask):
            raise FieldError(f"{value} does not fit into {name} of {row}")
        word |= (value & mask) << at
    return word


def unpack(row: str, word: int) -> dict[str, int]:
    """All fields of a word."""
    found = {}
    for name, (at, mask, signed) in PLACES[row].items():
        value = word >> at & mask
        found[name] = value - mask - 1 if signed and value > mask >> 1 else value
    return found


def field(row: str, name: str, word: int) -> int:
    """One field of a word, unsigned."""
    at, mask, _ = PLACES[row][name]
    return word >> at & mask


def replace(row: str, word: int, **values: int) -> int:
    """The word with other numbers in some fields."""
    for name in values:
        at, mask, _ = PLACES[row][name]
        word &= ~(mask << at)
    return word | pack(row, **values)
