# SPDX-License-Identifier: MIT
"""Where the state lies that programs name (ARB_vertex_program, tables X.3; ARB_fragment_program,
table X.2): in the value block, at the places that GLSL's built-in uniforms have.

In: a reference (pydri/prog/parameters.py). Out: `parts`, for each of its four numbers the byte in
the value block or a number that never changes; `flags`, READS_* bits of what has to be kept true
for it. Counterpart of Mesa's prog_statevars.c (fetch_state).
"""

from __future__ import annotations

from pydri.main.layout import ValueBlock
from pydri.main.shaders.layout import READS_PROGRAM_MATRICES
from pydri.main.shaders.state import reads, state_place
from pydri.prog.parameters import State

Part = int | float
Parts = tuple[Part, Part, Part, Part]
_GLSL_MATRICES = {
    "modelview": "ModelView", "projection": "Projection", "mvp": "ModelViewProjection",
    "texture": "Texture",
}  # fmt: skip
_MODIFIERS = {"inverse": "Inverse", "transpose": "Transpose", "invtrans": "InverseTranspose"}
_ATTENUATION = ("constantAttenuation", "linearAttenuation", "quadraticAttenuation", "spotExponent")


def _four(offset: int) -> Parts:
    return offset, offset + 4, offset + 8, offset + 12


def _uniform(name: str, *members: str, index: int = 0) -> tuple[int, str]:
    """Where a built-in uniform of GLSL lies, an element of an array, and its name."""
    place = state_place(name, members)
    return place.offset + (index * place.strides[0] if place.strides else 0), name


def _light(number: int, what: str) -> tuple[Parts, str]:
    def at(member: str) -> int:
        return _uniform("gl_LightSource", member, index=number)[0]

    name = "gl_LightSource"
    if what == "attenuation":
        x, y, z, w = (at(member) for member in _ATTENUATION)
        return (x, y, z, w), name
    if what == "spot.direction":
        direction = at("spotDirection")
        return (direction, direction + 4, direction + 8, at("spotCosCutoff")), name
    if what == "half":
        half = at("halfVector")
        return (half, half + 4, half + 8, 1.0), name
    return _four(at(what)), name


def _matrix(name: str, index: int, modifier: str, row: int) -> tuple[Parts, int]:
    if name == "program":
        inverse = "_inverse" if modifier.startswith("inv") else ""
        place = ValueBlock.offset(f"shader.program_matrix{inverse}[{index}]")
        across = modifier in ("transpose", "invtrans")
        step, first = (4, 16 * row) if across else (16, 4 * row)
        x, y, z, w = (place + first + step * n for n in range(4))
        return (x, y, z, w), READS_PROGRAM_MATRICES
    glsl = f"gl_{_GLSL_MATRICES[name]}Matrix{_MODIFIERS.get(modifier, '')}"
    found = state_place(glsl, ())
    # strides are of the elements of an array, of columns
    first = found.offset + (index * found.strides[0] if len(found.strides) > 1 else 0)
    x, y, z, w = (first + found.step * row + found.strides[-1] * n for n in range(4))
    return (x, y, z, w), reads(glsl)


def _fog(what: str) -> tuple[Parts, str]:
    if what == "color":
        offset, name = _uniform("gl_Fog", "color")
        return _four(offset), name
    # the scale of equal ends is 1, as fixed function's
    x, y, z, w = (ValueBlock.offset(f"frag.fog_{part}")
                  for part in ("density", "start", "end", "scale"))  # fmt: skip
    return (x, y, z, w), "gl_Fog"


def _point(what: str) -> tuple[Parts, str]:
    if what == "size":
        x, y, z, w = (ValueBlock.offset(f"point_{part}")
                      for part in ("size", "size_min", "size_max", "fade"))  # fmt: skip
        return (x, y, z, w), "gl_Point"
    first = ValueBlock.offset("point_attenuation")
    return (first, first + 4, first + 8, 1.0), "gl_Point"


def _found(state: State) -> tuple[Parts, str]:
    """Everything but matrices: the place, and the GLSL uniform that it belongs to."""
    kind, *rest = state
    if kind == "material":
        side, what = str(rest[0]).title(), str(rest[1])
        offset, name = _uniform(f"gl_{side}Material", what)
        return (offset, 0.0, 0.0, 1.0) if what == "shininess" else _four(offset), name
    if kind == "light":
        return _light(int(rest[0]), str(rest[1]))
    if kind == "fog":
        return _fog(str(rest[0]))
    if kind == "point":
        return _point(str(rest[0]))
    if kind == "depth":
        x, y, z = (_uniform("gl_DepthRange", part)[0] for part in ("near", "far", "diff"))
        return (x, y, z, 1.0), "gl_DepthRange"
    if kind == "lightmodel" and rest[0] == "ambient":
        offset, name = _uniform("gl_LightModel", "ambient")
    elif kind == "lightmodel":
        side = str(rest[0]).title()
        offset, name = _uniform(f"gl_{side}LightModelProduct", "sceneColor")
    elif kind == "lightprod":
        name = f"gl_{str(rest[1]).title()}LightProduct"
        offset, name = _uniform(name, str(rest[2]), index=int(rest[0]))
    elif kind == "texgen":
        plane = f"gl_{str(rest[1]).title()}Plane{str(rest[2]).upper()}"
        offset, name = _uniform(plane, index=int(rest[0]))
    elif kind == "texenv":
        offset, name = _uniform("gl_TextureEnvColor", index=int(rest[0]))
    else:
        assert kind == "clip", state
        offset, name = _uniform("gl_ClipPlane", index=int(rest[0]))
    return _four(offset), name


def parts_and_flags(state: State) -> tuple[Parts, int]:
    """Both."""
    if state[0] == "matrix":
        name, index, modifier, row = state[1:]
        return _matrix(str(name), int(index), str(modifier), int(row))
    found, uniform = _found(state)
    return found, reads(uniform)


def parts(state: State) -> Parts:
    """Where the numbers of a reference lie."""
    return parts_and_flags(state)[0]


__all__ = ["Part", "Parts", "parts", "parts_and_flags"]
