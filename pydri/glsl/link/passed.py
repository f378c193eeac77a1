# SPDX-License-Identifier: MIT
"""`in' and `out' blocks, and inputs that are arrays over vertices, as a program's stages have them.

In: blocks and globals of shader objects of a stage, then two stages that follow each other.  Out:
what becomes of a global: roots of its members, without the dimension of vertices (`parts`), which
`size_inputs` puts around them when all objects are there; `LinkError` where blocks of one name are
not the same. Blocks are matched by their names and their members' (GLSL 1.50, 4.3.7), built-in ones
by what was declared again (7.1). Messages are Mesa's (link_interface_blocks.cpp, linker.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from pydri.glsl.language.builtin_variables import ROWS
from pydri.glsl.tree import BlockVar, Shader, Var
from pydri.nir import types
from pydri.nir.stages import INPUT_PRIMITIVES
from pydri.nir.types import ArrayType, Type

if TYPE_CHECKING:
    from pydri.glsl.link.stage import Stage


class LinkError(Exception):
    """The program cannot be linked; the texts are lines of its log."""


class InputArray(NamedTuple):
    """An array over vertices: its size where one is written, else 0, and the greatest index."""

    name: str
    size: int
    most: int


class PassedBlock(NamedTuple):
    """A block as the objects of a stage declare it. `sizes`: of an array of blocks, without the
    dimension of vertices.
    """

    name: str
    named: bool
    sizes: tuple[int, ...]
    members: tuple[Var, ...]


_PER_VERTEX: Final = frozenset(row.name for row in ROWS.values() if row.per_vertex)
BUILTIN: Final = "gl_PerVertex"


def copied(var: Var) -> Var:
    """A variable of a program, as this one of a tree."""
    out = Var(var.name, var.type, var.mode, var.at)
    for name in ("block", "builtin", "by_rows", "centroid", "constant", "implicit", "index",
                 "initializer", "interp", "invariant", "layout", "location", "max_index",
                 "precision", "slot", "used"):  # fmt: skip
        setattr(out, name, getattr(var, name))
    return out


def _typed(var: Var, type_: Type, implicit: bool) -> Var:
    out = copied(var)
    out.type, out.implicit = type_, implicit
    return out


def parts(stage: Stage, var: Var) -> Iterator[tuple[str, Var, Var]]:
    """The names of the roots that a global of a tree has, the variables of the tree that they stand
    for, and these as the program sees them.
    """
    block = var.block
    per_vertex = stage.row.interface(var.mode).per_vertex and isinstance(var.type, ArrayType)
    if per_vertex:
        assert isinstance(var.type, ArrayType)
        size = 0 if var.implicit else var.type.size
        stage.input_arrays.append(InputArray(var.name, size, var.max_index))
    if block is None or var.mode == "uniform":
        name = f"#block {block.name}" if block is not None and block.instance else var.name
        yield name, var, _typed(var, var.type.element(0), False) if per_vertex else var
    elif not block.instance:
        yield (var.name if var.builtin else f"{block.name}.{var.name}"), var, var
    else:
        for member in block.members:
            type_ = member.type
            for size in reversed(block.sizes[1 if per_vertex else 0 :]):
                type_ = types.array(type_, size)
            mine = member if type_ is member.type else _typed(member, type_, False)
            yield f"{block.name}.{member.name}", member, mine


# ---- vertices of input primitives -------------------------------------------------------------
def merge_layouts(stage: Stage, shader: Shader) -> None:
    """What layout() says of the whole stage: all objects that say it say the same."""
    for key, value in shader.layouts.items():
        old = stage.layouts.setdefault(key, value)
        if old != value:
            what = {"in": "input types", "out": "output types",
                    "max_vertices": f"output vertex count ({old} and {value})"}
            text = what.get(key, f"{key} ({old} and {value})")
            raise LinkError(f"{stage.name} shader defined with conflicting {text}")


#: words of a missing layout
_NEEDED: Final = (
    ("in", "primitive input type"), ("out", "primitive output type"),
    ("max_vertices", "max_vertices"),
)  # fmt: skip


def size_inputs(stage: Stage) -> None:
    """Inputs get as many elements as the input primitive has vertices."""
    if not stage.row.emits:
        return
    for key, what in _NEEDED:
        if key not in stage.layouts:
            raise LinkError(f"{stage.name} shader didn't declare {what}")
    count = INPUT_PRIMITIVES[str(stage.layouts["in"])].vertices
    for name, size, most in stage.input_arrays:
        if size not in (0, count):
            raise LinkError(f"size of array {name} declared as {size}, but number of input "
                            f"vertices is {count}")
        if most >= count:
            raise LinkError(f"{stage.name} shader accesses element {most} of {name}, but only "
                            f"{count} input vertices")
    for root in stage.roots.values():
        if root.mode == "shader_in" and not isinstance(root.slot, str):
            root.type = types.array(root.type, count)


# ---- blocks -----------------------------------------------------------------------------------
def _mismatch(name: str) -> LinkError:
    return LinkError(f"definitions of interface block `{name}' do not match")


def _blocks(stage: Stage, shader: Shader) -> Iterator[tuple[str, PassedBlock]]:
    """The blocks that a shader object has, by mode; a built-in one if it uses something of it."""
    written = {var.block for var in shader.globals if var.block is not None}
    for block in (*shader.blocks, *(b for b in written if b not in shader.blocks)):
        if block.storage != "uniform":
            yield block.storage, _passed(stage, shader, block)
    outs = [v for v in shader.globals if v.mode == "shader_out" and v.block is None
            and v.builtin and v.name in _PER_VERTEX]  # fmt: skip
    if outs:
        yield "shader_out", PassedBlock(BUILTIN, False, (), ())  # as the language has it


def _passed(stage: Stage, shader: Shader, block: BlockVar) -> PassedBlock:
    sizes = block.sizes[1 if stage.row.interface(block.storage).per_vertex else 0 :]
    declared = not block.builtin or block in shader.blocks
    return PassedBlock(block.name, bool(block.instance), sizes,
                       tuple(block.members) if declared else ())


def add_blocks(stage: Stage, shader: Shader) -> None:
    """The blocks of one more object are those that the others have."""
    for mode, block in _blocks(stage, shader):
        old = stage.passed.setdefault((mode, block.name), block)
        if old is not block and not _is_same(old, block):
            raise _mismatch(block.name)


def _is_same(one: PassedBlock, other: PassedBlock) -> bool:
    if (one.named, one.sizes, len(one.members)) != (other.named, other.sizes, len(other.members)):
        return False
    return all(map(_is_same_member, one.members, other.members))


def _is_same_member(one: Var, other: Var) -> bool:
    """In two objects of a stage: an array may have its size in one of them."""
    if (one.name, one.interp, one.centroid) != (other.name, other.interp, other.centroid):
        return False
    if one.type is other.type:
        return True
    if not isinstance(one.type, ArrayType) or not isinstance(other.type, ArrayType):
        return False
    return (one.implicit or other.implicit) and one.type.item is other.type.item


def cross_validate_blocks(producer: Stage, consumer: Stage) -> None:
    """Blocks of the same name are the same in both stages."""
    for (mode, name), wanted in consumer.passed.items():
        made = producer.passed.get(("shader_out", name))
        if mode != "shader_in" or made is None:
            continue
        if name == BUILTIN:
            # One that was not declared again has all members.
            given = {member.name for member in made.members}
            asked = {member.name for member in wanted.members}
            if made.members and (not asked or not asked <= given):
                raise LinkError("Incompatible or missing gl_PerVertex re-declaration in "
                                "consecutive shaders")
        elif wanted.sizes != made.sizes or (
            _types(producer, made) != _types(consumer, wanted)
        ):  # fmt: skip
            raise _mismatch(name)


def _types(stage: Stage, block: PassedBlock) -> list[tuple[str, Type]]:
    found = []
    for member in block.members:
        type_ = stage.roots[f"{block.name}.{member.name}"].type
        if stage.row.interface(block.members[0].mode).per_vertex:
            type_ = type_.element(0)
        found.append((member.name, type_))
    return found


__all__ = [
    "InputArray", "LinkError", "PassedBlock", "add_blocks", "copied", "cross_validate_blocks",
    "merge_layouts", "parts", "size_inputs",
]  # fmt: skip
