# SPDX-License-Identifier: MIT
"""What a program has, by GL's names of properties: ONE table a kind, over `Linked.resources`.

In: a linked program, an interface and an index. Out: numbers, as glGetActiveUniformsiv and
glGetActiveUniformBlockiv tell them, and indices by names (OpenGL 3.1, 2.11.4; 4.6, 7.3.1). A
further property is a row here, a further interface a table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import pydri.api.enums as gl
from pydri.glsl.link.linked import UNIFORM_BLOCK
from pydri.main.shaders.types import type_enum
from pydri.nir.stages import NUMBERS

if TYPE_CHECKING:
    from pydri.glsl.link.linked import Linked, Resource

Property = Callable[["Resource"], int]
NONE: Final = -1


def full_name(row: Resource) -> str:
    """The name as GL tells it: that of an array's first element."""
    return row.name + "[0]" if row.size else row.name


def _in_block(value: Property) -> Property:
    """What the members of blocks have, and others have not."""
    return lambda row: value(row) if row.block >= 0 else NONE


def _by(stage: str) -> Property:
    """Whether a stage refers to it."""
    return lambda row: row.stages >> NUMBERS[stage] & 1


UNIFORM_PROPERTIES: Final[dict[int, Property]] = {
    gl.GL_UNIFORM_TYPE: lambda row: type_enum(row.type),
    gl.GL_UNIFORM_SIZE: lambda row: row.elements,
    gl.GL_UNIFORM_NAME_LENGTH: lambda row: len(full_name(row)) + 1,
    gl.GL_UNIFORM_BLOCK_INDEX: lambda row: row.block,
    gl.GL_UNIFORM_OFFSET: _in_block(lambda row: row.offset),
    gl.GL_UNIFORM_ARRAY_STRIDE: _in_block(lambda row: row.array_stride),
    gl.GL_UNIFORM_MATRIX_STRIDE: _in_block(lambda row: row.matrix_stride),
    gl.GL_UNIFORM_IS_ROW_MAJOR: lambda row: int(row.block >= 0 and row.by_rows),
}
#: the binding, which programs may change, and the list of members are not the linker's alone
BLOCK_PROPERTIES: Final[dict[int, Property]] = {
    gl.GL_UNIFORM_BLOCK_DATA_SIZE: lambda row: row.bytes,
    gl.GL_UNIFORM_BLOCK_NAME_LENGTH: lambda row: len(row.name) + 1,
    gl.GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS: lambda row: len(row.members),
    gl.GL_UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER: _by("vertex"),
    gl.GL_UNIFORM_BLOCK_REFERENCED_BY_TESS_CONTROL_SHADER: _by("tess_ctrl"),
    gl.GL_UNIFORM_BLOCK_REFERENCED_BY_TESS_EVALUATION_SHADER: _by("tess_eval"),
    gl.GL_UNIFORM_BLOCK_REFERENCED_BY_GEOMETRY_SHADER: _by("geometry"),
    gl.GL_UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER: _by("fragment"),
    gl.GL_UNIFORM_BLOCK_REFERENCED_BY_COMPUTE_SHADER: _by("compute"),
}


def uniform_indices(linked: Linked | None, names: list[str]) -> list[int]:
    """The index of each uniform; an array has two names."""
    rows = linked.uniforms if linked is not None else []
    found = {row.name: n for n, row in enumerate(rows)}
    found.update((full_name(row), n) for n, row in enumerate(rows))
    return [found.get(name, gl.GL_INVALID_INDEX) for name in names]


def block_index(linked: Linked, name: str) -> int:
    """The index of a block; of an array of blocks the first one's has the array's name, too."""
    rows = linked.resources[UNIFORM_BLOCK]
    for wanted in (name, f"{name}[0]"):
        for n, row in enumerate(rows):
            if row.name == wanted:
                return n
    return gl.GL_INVALID_INDEX


__all__ = [
    "BLOCK_PROPERTIES", "UNIFORM_PROPERTIES", "block_index", "full_name", "uniform_indices",
]  # fmt: skip
