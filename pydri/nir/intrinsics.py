# SPDX-License-Identifier: MIT
"""TABLE: one row per intrinsic, the instructions that touch something outside SSA values.

In: nothing.  Out: `INTRINSICS`, name -> `Intrinsic`.
A row says how many components each source has (0 = as many as the instruction moves), whether a
value comes out and how wide it is, how many variables are named, which constant indices the
instruction carries, and what the optimiser may do with it. Counterpart of Mesa's nir_intrinsics.h
of 2016: variables are named by the instruction itself (load_var), there are no deref instructions.

Adding one: a row here and its meaning in `interp.py`; printer, parser and validator follow.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Intrinsic(NamedTuple):
    """What the table knows about one intrinsic."""

    name: str
    sources: tuple[int, ...] = ()
    #: components of the result: None = no result, 0 = any number
    dest: int | None = None
    #: bit size of the result, 0 = any (a variable decides)
    bits: int = 32
    #: how the builder's operators read the result: float, int, uint, bool
    kind: str = "float"
    variables: int = 0
    indices: tuple[str, ...] = ()
    #: may be dropped when the result is unused
    can_eliminate: bool = False
    #: two with the same operands give the same result, wherever they stand
    can_reorder: bool = False
    #: the result is the same in all lanes if the sources are (of a fragment shader: in all lanes of
    #: a stamp, which are one primitive's)
    uniform: bool = False
    #: of memory that shaders write: "r" it reads, "w" it writes, "rw" both; "": none
    memory: str = ""
    doc: str = ""


def _load(name: str, *sources: int, **more: object) -> Intrinsic:
    row: dict[str, object] = {"dest": 0, "can_eliminate": True, "can_reorder": True, **more}
    return Intrinsic(name, sources, **row)  # type: ignore[arg-type]


def _sysval(name: str, dest: int, kind: str, doc: str, uniform: bool = False) -> Intrinsic:
    bits = 1 if kind == "bool" else 32
    return Intrinsic(
        name, (), dest, bits, kind, can_eliminate=True, can_reorder=True, uniform=uniform, doc=doc
    )


#: what the index `dim` of images counts; `format` is a PipeFormat number, 0: not named
IMAGE_DIMS: Final = ("1D", "2D", "3D", "Cube", "Rect", "Buf")
_IMAGE: Final = ("image", "dim", "array", "format")
#: operations that nothing comes between; comp_swap has the number that is compared, then the new
ATOMIC_OPS: Final = (
    "add", "imin", "umin", "imax", "umax", "and", "or", "xor", "exchange", "comp_swap", "fadd",
    "inc_wrap", "dec_wrap",
)  # fmt: skip


def _atomics(prefix: str, place: int, indices: tuple[str, ...], what: str) -> list[Intrinsic]:
    """A row for each atomic operation at a place of so many components."""
    return [
        Intrinsic(
            f"{prefix}_{op}", (place, 1, 1) if op == "comp_swap" else (place, 1), 1, 32, "uint",
            indices=indices, memory="rw", doc=f"{what}; what was there before",
        )
        for op in ATOMIC_OPS
    ]  # fmt: skip


def _access(name: str, *sources: int, **more: object) -> Intrinsic:
    """A load of memory that may change."""
    return _load(name, *sources, can_reorder=False, memory="r", **more)


_ROWS: Final = (
    # variables
    _load("load_var", variables=1, bits=0, can_reorder=False, doc="value of a variable"),
    Intrinsic("store_var", (0,), variables=1, indices=("wrmask",), doc="write masked components"),
    Intrinsic("copy_var", variables=2, doc="first variable = second variable, whole"),
    # slots; base is a VERT_ATTRIB / VARYING_SLOT / FRAG_RESULT number
    _load("load_input", indices=("base", "component"), doc="components of an input slot"),
    _load(
        "load_per_vertex_input",
        1,
        indices=("base", "component"),
        doc="the same of a vertex of the primitive; outside of it the last one",
    ),
    Intrinsic(
        "store_output",
        (0,),
        indices=("base", "wrmask", "component"),
        doc="write masked components of an output slot, starting at `component`",
    ),
    _load(
        "load_output",
        indices=("base", "component"),
        can_reorder=False,
        doc="read back what this invocation wrote (in a fragment shader: the framebuffer)",
    ),
    # memory
    _load(
        "load_ubo",
        1,
        indices=("block",),
        uniform=True,
        doc="dwords at a byte offset of a uniform block; outside of it 0",
    ),
    _load(
        "load_uniform",
        1,
        indices=("base",),
        uniform=True,
        doc="default block: vec4 slot base + source",
    ),
    # memory that shaders write: bounds and helper lanes as in memory.py
    _access("load_ssbo", 1, indices=("buffer",), doc="dwords at a byte offset of a buffer"),
    Intrinsic(
        "store_ssbo",
        (0, 1),
        indices=("buffer", "wrmask"),
        memory="w",
        doc="write masked components (first source) at a byte offset (second) of a buffer",
    ),
    _access("get_ssbo_size", dest=1, kind="uint", indices=("buffer",), doc="bytes of a buffer"),
    *_atomics("ssbo_atomic", 1, ("buffer",), "on a dword at a byte offset of a buffer"),
    _access("atomic_counter_read", 1, dest=1, kind="uint", indices=("base",),
            doc="a counter at a byte offset of a binding"),
    *_atomics("atomic_counter", 1, ("base",), "on a counter at a byte offset of a binding"),
    _access("image_load", 0, dest=4, indices=_IMAGE, doc="a texel: floats, or whole numbers"),
    Intrinsic("image_store", (0, 4), indices=_IMAGE, memory="w", doc="write a texel"),
    _access("image_size", indices=_IMAGE, kind="uint", doc="sizes, then layers"),
    *_atomics("image_atomic", 0, _IMAGE, "on a texel of one component of 32 bits"),
    # system values
    _sysval("load_frag_coord", 4, "float", "window x, y, z and 1/w (GL 2.1, 3.11.1)"),
    _sysval("load_pixel", 4, "float", "pixel of the drawn rectangle's image at the fragment"),
    # state that passes read which do in shaders what other hardware does behind them
    _sysval("load_alpha_ref", 1, "float", "what alpha is compared with (GL 2.1, 4.1.4)", True),
    _sysval("load_blend_color", 4, "float", "the constant colour of blending", True),
    Intrinsic(
        "load_tile_color",
        (),
        4,
        can_eliminate=True,
        doc="what the first colour target has at the fragment",
    ),
    _load(
        "load_user_clip_plane",
        dest=4,
        indices=("plane",),
        uniform=True,
        doc="a user clip plane in clip coordinates (GL 2.1, 2.12)",
    ),
    _sysval("load_front_face", 1, "bool", "is the primitive front facing", True),
    _sysval("load_point_coord", 2, "float", "position inside a point sprite"),
    _sysval("load_vertex_id", 1, "int", "index of the vertex, base vertex included"),
    _sysval("load_instance_id", 1, "int", "index of the instance, base instance excluded"),
    _sysval("load_primitive_id", 1, "int", "index of the primitive in the draw", True),
    # discard changes it, so two loads may differ
    Intrinsic(
        "load_helper_invocation",
        (),
        1,
        1,
        "bool",
        can_eliminate=True,
        doc="lane runs only to give derivatives",
    ),
    _sysval("load_invocation_id", 1, "int", "which of a primitive's invocations this is"),
    # geometry shaders; `stream` is where the vertex goes
    Intrinsic("emit_vertex", indices=("stream",), doc="the outputs are a vertex of the primitive"),
    Intrinsic("end_primitive", indices=("stream",), doc="the next vertex begins a primitive"),
    # ending an invocation
    Intrinsic("discard", doc="drop the fragment; it goes on as a helper for derivatives"),
    Intrinsic("discard_if", (1,), doc="discard where the bool is true"),
    Intrinsic("terminate", doc="drop the fragment and end the invocation"),
)

INTRINSICS: Final[dict[str, Intrinsic]] = {row.name: row for row in _ROWS}
