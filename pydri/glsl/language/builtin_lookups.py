# SPDX-License-Identifier: MIT
"""TABLE: the texture functions: those that name a dimension in their name (`texture2DProjLod`), and
those of GLSL 1.30, which know it by the sampler (`textureProjLod`).

In: nothing.  Out: `ROWS`, from which `builtin_functions.py` makes its rows. A `_Kind` is a
row of what one type of texture has; its functions, with bias, level, gradients, projected, with
offsets, by place, follow from it, for samplers of floats and, in 1.30 or where EXT_gpu_shader4 is
on, of whole numbers.

Sources: GLSL 1.20 to 1.40, 8.7; GLSL ES 3.00, 8.8; EXT_texture_array; ARB_shader_texture_lod;
ARB_texture_rectangle; EXT_gpu_shader4; ARB_texture_cube_map_array; ARB_texture_gather,
AMD_texture_texture4; ARB_texture_multisample;
ARB_texture_query_lod; ARB_texture_query_levels; EXT_texture_shadow_lod. Which overloads there are
is what the peer lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from pydri.glsl.language.versions import GPU4
from pydri.nir.stages import WITH_DERIVATIVES, WITHOUT_DERIVATIVES


class Lookup(NamedTuple):
    """A texture lookup. `op`: tex, txb (bias), txl (level), txd (gradients), txf (by place),
    txf_ms (of a sample), txs
    (sizes), tg4 (four texels), lod, query_levels; `coords`: how many components of the second
    argument are coordinates; `project`: the component that divides them (-1: none); `compare`:
    the component compared with the depth (-1: none; one after the last: the third argument);
    `offset`: the argument that is a constant offset in texels (0: none). A level or two gradients
    follow as arguments, then the offset, then a bias.
    """

    op: str
    coords: int
    project: int = -1
    compare: int = -1
    offset: int = 0


#: name, signatures, and the fields of a row
Made = tuple[str, str, dict[str, Any]]

LOD: Final = ("GL_ARB_shader_texture_lod",)
ARRAYS: Final = ("GL_EXT_texture_array", GPU4)
CUBE_ARRAYS: Final = ("GL_ARB_texture_cube_map_array",)
RECT: Final = ("GL_ARB_texture_rectangle",)
SHADOW_LOD: Final = ("GL_EXT_texture_shadow_lod",)
GATHER: Final = ("GL_ARB_texture_gather",)
SAMPLES: Final = ("GL_ARB_texture_multisample",)
#: what one extension alone brings
_ONLY_GPU4: Final[dict[str, Any]] = {"desktop": 0, "es": 0, "extensions": (GPU4,)}
_ONLY_LOD: Final[dict[str, Any]] = {"desktop": 0, "es": 0, "extensions": LOD}
_FLOATS: Final = ("", "float", "vec2", "vec3", "vec4")
_INTS: Final = ("", "int", "ivec2", "ivec3", "ivec4")


class _Kind(NamedTuple):
    """What a type of texture has."""

    name: str
    #: components of gradients and offsets, of the coordinates, of the argument that holds them
    space: int
    coords: int
    argument: int
    #: the component that is compared, -1: none
    compare: int = -1
    #: arguments that can be projected: (components, the component that divides)
    projections: tuple[tuple[int, int], ...] = ()
    desktop: int = 110
    es: int = 0
    extensions: tuple[str, ...] = ()
    #: has it levels (rectangles have none), can a call name one, move by texels, have both?
    levels: bool = True
    lod: bool = True
    offsets: bool = True
    #: since when there are the functions of 1.30 for it
    since: int = 130
    since_es: int = 300

    @property
    def sampler(self) -> str:
        return f"sampler{self.name}{'Shadow' if self.compare >= 0 else ''}"

    @property
    def function(self) -> str:
        return f"{'shadow' if self.compare >= 0 else 'texture'}{self.name}"


_KINDS: Final = (
    _Kind("1D", 1, 1, 1, -1, ((2, 1), (4, 3)), since_es=0),
    _Kind("2D", 2, 2, 2, -1, ((3, 2), (4, 3)), es=100),
    _Kind("3D", 3, 3, 3, -1, ((4, 3),), extensions=("GL_OES_texture_3D",)),
    _Kind("Cube", 3, 3, 3, es=100, offsets=False),
    _Kind("1D", 1, 1, 3, 2, ((4, 3),), since_es=0),
    _Kind("2D", 2, 2, 3, 2, ((4, 3),)),
    _Kind("Cube", 3, 3, 4, 3, (), 0, 0, (GPU4,), lod=False, offsets=False),
    _Kind("2DRect", 2, 2, 2, -1, ((3, 2), (4, 3)), 0, 0, RECT, levels=False, since_es=0),
    _Kind("2DRect", 2, 2, 3, 2, ((4, 3),), 0, 0, RECT, levels=False, since_es=0),
    _Kind("1DArray", 1, 2, 2, -1, (), 0, 0, ARRAYS, since_es=0),
    _Kind("2DArray", 2, 3, 3, -1, (), 0, 0, ARRAYS),
    _Kind("1DArray", 1, 2, 3, 2, (), 0, 0, ARRAYS, since_es=0),
    _Kind("2DArray", 2, 3, 4, 3, (), 0, 0, ARRAYS, lod=False),
)


def _function(kind: _Kind, tail: str, arguments: str, lookup: Lookup, **over: Any
              ) -> Iterator[Made]:  # fmt: skip
    """A function of one name; of samplers of whole numbers only EXT_gpu_shader4 has it."""
    row = {"desktop": kind.desktop, "es": kind.es, "extensions": kind.extensions,
           "until": 420, "until_es": 300, "lookup": lookup, **over}
    name = kind.function + tail
    yield name, f"vec4({kind.sampler},{arguments})", row
    if kind.compare < 0:
        integers = [f"{letter}vec4({letter}{kind.sampler},{arguments})" for letter in "iu"]
        yield name, " ".join(integers), {**row, **_ONLY_GPU4}


def _modern(kind: _Kind, tail: str, arguments: str, lookup: Lookup, **over: Any) -> Iterator[Made]:
    """The function of GLSL 1.30: of what is compared it gives one number."""
    row = {"desktop": kind.since, "es": kind.since_es, "lookup": lookup, **over}
    if kind.compare >= 0:
        yield f"texture{tail}", f"float({kind.sampler},{arguments})", row
        return
    forms = [f"{letter}vec4({letter}{kind.sampler},{arguments})" for letter in ("", "i", "u")]
    if kind.name == "2DRect":
        # Rectangles are there by an extension in 1.30, which knows no whole numbers.
        yield f"texture{tail}", forms.pop(0), row
        row = {**row, "desktop": 140}
    yield f"texture{tail}", " ".join(forms), row


def _levels(kind: _Kind, tail: str, arguments: str, lookup: Lookup, **over: Any
            ) -> Iterator[Made]:  # fmt: skip
    """A function with a level: always in stages that find none themselves, in others by extensions
    (and 1.30). An array's sampler type needs an extension of its own."""
    yield from _function(kind, tail, arguments, lookup, **{"stages": WITHOUT_DERIVATIVES, **over})
    if not over:
        row = {"desktop": 130 * (kind.desktop > 0), "es": 0, "extensions": (*LOD, GPU4)}
        yield from _function(kind, tail, arguments, lookup, **row, stages=WITH_DERIVATIVES)


def _forms(kind: _Kind, end: str, proj: str, size: int, at: int) -> Iterator[Made]:
    """The functions for one argument; `end`: Offset, or nothing."""
    place, more = _FLOATS[size], f",{_FLOATS[kind.space]}" * 2
    by = f",{_INTS[kind.space]}" if end else ""
    over = _ONLY_GPU4 if end else {}
    base = Lookup("tex", kind.coords, at, kind.compare, 2 if end else 0)
    yield from _function(kind, proj + end, place + by, base, **over)
    late = end and kind.name == "2DArray" and kind.compare >= 0
    yield from _modern(kind, proj + end, place + by, base, **({"es": 0} if late else {}),
                       extensions=SHADOW_LOD if kind.sampler == "sampler2DArrayShadow" else ())
    if kind.levels and (kind.lod or not end):
        yield from _function(kind, proj + end, f"{place}{by},float", base._replace(op="txb"),
                             **over, stages=WITH_DERIVATIVES)  # fmt: skip
        if kind.sampler != "sampler2DArrayShadow":
            yield from _modern(kind, proj + end, f"{place}{by},float", base._replace(op="txb"),
                               stages=WITH_DERIVATIVES)  # fmt: skip
    if kind.levels and kind.lod:
        with_level = base._replace(op="txl", offset=3 if end else 0)
        yield from _levels(kind, f"{proj}Lod{end}", f"{place},float{by}", with_level,
                           **({**over, "stages": ()} if end else {}))  # fmt: skip
        yield from _modern(kind, f"{proj}Lod{end}", f"{place},float{by}", with_level)
    gradients = base._replace(op="txd", offset=4 if end else 0)
    yield from _function(kind, f"{proj}Grad{end}", f"{place}{more}{by}", gradients, **_ONLY_GPU4)
    yield from _modern(kind, f"{proj}Grad{end}", f"{place}{more}{by}", gradients)
    if not end and "Array" not in kind.name and kind.lod:
        name = f"{kind.function}{proj}GradARB"
        yield name, f"vec4({kind.sampler},{place}{more})", {**_ONLY_LOD, "lookup": gradients}


def _by_place(name: str, coords: int, space: int, sizes: int) -> Iterator[Made]:
    """texelFetch and textureSize; `coords` 0: cubes, whose texels have no place; `space` 0:
    buffers, whose texels have no neighbours."""
    level = ",int" if name not in ("2DRect", "Buffer") else ""
    since = {"desktop": 140 if name == "Buffer" else 130, "es": {"Buffer": 320}.get(name, 300)}
    if name in ("1D", "1DArray", "2DRect"):
        since["es"] = 0
    size = Lookup("txs", 0)
    if name not in ("3D", "Buffer"):
        yield "textureSize", f"{_INTS[sizes]}(sampler{name}Shadow{level})", {
            **since, "lookup": size}
    for letter in ("", "i", "u"):
        sampler = f"{letter}sampler{name}"
        own = {**since, "desktop": 140} if letter and name == "2DRect" else since
        for end, row in ((name, _ONLY_GPU4), ("", own)):
            yield f"textureSize{end}", f"{_INTS[sizes]}({sampler}{level})", {**row, "lookup": size}
            if not coords:
                continue
            lookup, place = Lookup("txf", coords), f"{letter}vec4({sampler},{_INTS[coords]}{level}"
            yield f"texelFetch{end}", f"{place})", {**row, "lookup": lookup}
            if space:
                moved = {**row, "lookup": lookup._replace(offset=3 if level else 2)}
                yield f"texelFetch{end}Offset", f"{place},{_INTS[space]})", moved


def _by_sample() -> Iterator[Made]:
    """texelFetch and textureSize of textures with several samples, which have no levels."""
    for name, coords, es in (("2DMS", 2, 310), ("2DMSArray", 3, 320)):
        row = {"desktop": 150, "es": es, "extensions": SAMPLES}
        for letter in ("", "i", "u"):
            sampler, place = f"{letter}sampler{name}", _INTS[coords]
            yield "textureSize", f"{place}({sampler})", {**row, "lookup": Lookup("txs", 0)}
            texel = f"{letter}vec4({sampler},{place},int)"
            yield "texelFetch", texel, {**row, "lookup": Lookup("txf_ms", coords)}


def _cube_arrays() -> Iterator[Made]:
    """ARB_texture_cube_map_array's, which have names without a dimension even in GLSL 1.10. What is
    compared with the depth is an argument of its own: a vector has room for four coordinates.
    """
    row = {"desktop": 0, "es": 0, "extensions": CUBE_ARRAYS}
    base = Lookup("tex", 4)
    for letter in ("", "i", "u"):
        head = f"{letter}vec4({letter}samplerCubeArray,vec4"
        yield "texture", f"{head})", {**row, "lookup": base}
        biased = {**row, "lookup": base._replace(op="txb"), "stages": WITH_DERIVATIVES}
        yield "texture", f"{head},float)", biased
        yield "textureLod", f"{head},float)", {**row, "lookup": base._replace(op="txl")}
        yield "textureGrad", f"{head},vec3,vec3)", {**row, "lookup": base._replace(op="txd")}
    compared = {**row, "lookup": base._replace(compare=4)}
    yield "texture", "float(samplerCubeArrayShadow,vec4,float)", compared
    names = ("samplerCubeArray", "isamplerCubeArray", "usamplerCubeArray", "samplerCubeArrayShadow")
    sizes = " ".join(f"ivec3({name},int)" for name in names)
    yield "textureSize", sizes, {**row, "lookup": Lookup("txs", 0)}


def _gathers() -> Iterator[Made]:
    """ARB_texture_gather's: red of four texels, from where filters have four; and what came before
    it, which knows no whole numbers."""
    row = {"desktop": 400, "es": 310, "extensions": GATHER}
    for name, coords in (("2D", 2), ("2DArray", 3), ("Cube", 3), ("CubeArray", 4)):
        base, place = Lookup("tg4", coords), _FLOATS[coords]
        for letter in ("", "i", "u"):
            head = f"{letter}vec4({letter}sampler{name},{place}"
            yield "textureGather", f"{head})", {**row, "lookup": base}
            if "Cube" not in name:
                moved = {**row, "lookup": base._replace(offset=2)}
                yield "textureGatherOffset", f"{head},ivec2)", moved
    four = {"desktop": 0, "es": 0, "lookup": Lookup("tg4", 2),
            "extensions": ("GL_AMD_texture_texture4",)}
    yield "texture4", "vec4(sampler2D,vec2)", four


def _shadow_levels() -> Iterator[Made]:
    """EXT_texture_shadow_lod's: biases and levels where depths of layers and faces are compared."""
    row = {"desktop": 0, "es": 0, "extensions": SHADOW_LOD}
    layers, faces = Lookup("tex", 3, compare=3), Lookup("tex", 4, compare=4)
    flat, cubes = "sampler2DArrayShadow,vec4", "samplerCubeArrayShadow,vec4,float"
    for name, arguments, lookup in (
        ("texture", f"{flat},float", layers._replace(op="txb")),
        ("texture", f"{cubes},float", faces._replace(op="txb")),
        ("textureLod", f"{flat},float", layers._replace(op="txl")),
        ("textureLod", "samplerCubeShadow,vec4,float", layers._replace(op="txl")),
        ("textureLod", f"{cubes},float", faces._replace(op="txl")),
        ("textureOffset", f"{flat},ivec2,float", layers._replace(op="txb", offset=2)),
        ("textureLodOffset", f"{flat},float,ivec2", layers._replace(op="txl", offset=3)),
    ):
        yield name, f"float({arguments})", {**row, "lookup": lookup}


def _queries() -> Iterator[Made]:
    """The level of detail that a lookup would have, and how many levels there are."""
    lods = (("textureQueryLOD", "GL_ARB_texture_query_lod"),
            ("textureQueryLod", "GL_EXT_texture_query_lod"))
    levels = {"desktop": 430, "es": 0, "extensions": ("GL_ARB_texture_query_levels",)}
    levels["lookup"] = Lookup("query_levels", 0)
    for name, space in (("1D", 1), ("2D", 2), ("3D", 3), ("Cube", 3), ("1DArray", 1),
                        ("2DArray", 2), ("CubeArray", 3)):  # fmt: skip
        place = {"lookup": Lookup("lod", space), "stages": WITH_DERIVATIVES}
        shadows = () if name == "3D" else (f"sampler{name}Shadow",)
        for sampler in (*(f"{letter}sampler{name}" for letter in ("", "i", "u")), *shadows):
            for query, extension in lods:
                row = {**place, "desktop": 0, "es": 0, "extensions": (extension,)}
                yield query, f"vec2({sampler},{_FLOATS[space]})", row
            yield "textureQueryLevels", f"int({sampler})", levels


def _rows() -> Iterator[Made]:
    yield from _cube_arrays()
    yield from _by_sample()
    yield from _gathers()
    yield from _shadow_levels()
    yield from _queries()
    for kind in _KINDS:
        for end in ("", "Offset") if kind.offsets else ("",):
            for proj, size, at in (("", kind.argument, -1),
                                   *(("Proj", n, at) for n, at in kind.projections)):  # fmt: skip
                yield from _forms(kind, end, proj, size, at)
    for name, coords, space, sizes in (
        ("1D", 1, 1, 1), ("2D", 2, 2, 2), ("3D", 3, 3, 3), ("Cube", 0, 0, 2), ("2DRect", 2, 2, 2),
        ("1DArray", 2, 1, 2), ("2DArray", 3, 2, 3), ("Buffer", 1, 0, 1),
    ):  # fmt: skip
        yield from _by_place(name, coords, space, sizes)


ROWS: Final = tuple(_rows())

__all__ = ["ARRAYS", "LOD", "RECT", "ROWS", "Lookup"]
