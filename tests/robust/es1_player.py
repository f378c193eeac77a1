# SPDX-License-Identifier: MIT
"""What OpenGL ES 1.1 takes and tells on the libEGL that is found, a fact a line: fixed-point
numbers there and back; of each parameter that is an enum those that it takes."""

import ctypes
from collections.abc import Callable
from typing import Any

from pydri.api import enums as gl
from tests.robust.headless import Headless

ROOM = (ctypes.c_int * 1024)()
_UNTOUCHED = -77777


def error(es: Headless) -> int:
    """The first error since the last time."""
    found = es("GetError")
    while es("GetError"):
        pass
    return found


#: arrays, which are read when something is drawn
_KEPT: list[Any] = []


def kept(kind: Any, *values: Any) -> Any:
    """An array that stays."""
    _KEPT.append((kind * len(values))(*values))
    return _KEPT[-1]


def texels(*values: int) -> Any:
    return kept(ctypes.c_ubyte, *values)


def floats(*values: float) -> Any:
    return kept(ctypes.c_float, *values)


def fixed(*values: float) -> Any:
    return kept(ctypes.c_int, *(round(value * 65536) for value in values))


#: enums that there are, and neighbours that nobody has given a name
ENUMS = sorted({
    near
    for name, value in vars(gl).items()
    if name.startswith("GL_") and isinstance(value, int)
    for near in (value, value + 1)
    if 0 <= near < 0x10000
})  # fmt: skip


def sweep(es: Headless, what: str, call: Callable[[int], object]) -> None:
    """The enums that a call takes."""
    for enum in ENUMS:
        call(enum)
        if not error(es):
            print(f"{what}: {gl.name_of(enum)}", flush=True)


def switches(es: Headless) -> None:
    """What is switched, set and asked by one enum."""
    for name in ("Enable", "Disable", "IsEnabled", "EnableClientState", "DisableClientState",
                 "ShadeModel", "MatrixMode", "CullFace", "FrontFace", "LogicOp", "DepthFunc",
                 "BlendEquationOES", "ClientActiveTexture", "GetString"):
        sweep(es, name, lambda enum, name=name: es(name, enum))
    es("ClientActiveTexture", gl.GL_TEXTURE0)
    sweep(es, "AlphaFunc", lambda enum: es("AlphaFunc", enum, 0.5))
    sweep(es, "Hint", lambda enum: es("Hint", enum, gl.GL_NICEST))
    sweep(es, "Hint mode", lambda enum: es("Hint", gl.GL_FOG_HINT, enum))
    sweep(es, "source", lambda enum: es("BlendFunc", enum, gl.GL_ONE))
    sweep(es, "destination", lambda enum: es("BlendFunc", gl.GL_ONE, enum))
    sweep(es, "StencilFunc", lambda enum: es("StencilFunc", enum, 0, 255))
    sweep(es, "StencilOp", lambda enum: es("StencilOp", enum, gl.GL_KEEP, gl.GL_KEEP))
    sweep(es, "PixelStore", lambda enum: es("PixelStorei", enum, 4))
    sweep(es, "BindBuffer", lambda enum: es("BindBuffer", enum, 0))
    sweep(es, "BindTexture", lambda enum: es("BindTexture", enum, 0))
    sweep(es, "GetPointer", lambda enum: es("GetPointerv", enum, ROOM))
    sweep(es, "mode", lambda enum: es("DrawArrays", enum, 0, 0))
    sweep(es, "indices", lambda enum: es("DrawElements", gl.GL_POINTS, 0, enum, ROOM))


def fixed_function(es: Headless) -> None:
    """Lights, materials, fog, points."""
    four = floats(1, 1, 1, 1)
    for suffix, one in (("f", 1.0), ("x", 65536)):
        sweep(es, f"Light{suffix}", lambda e, s=suffix, v=one: es(f"Light{s}", gl.GL_LIGHT1, e, v))
        sweep(es, f"LightModel{suffix}", lambda e, s=suffix, v=one: es(f"LightModel{s}", e, v))
        sweep(es, f"Fog{suffix}", lambda e, s=suffix, v=one: es(f"Fog{s}", e, v))
        sweep(es, f"PointParameter{suffix}",
              lambda e, s=suffix, v=one: es(f"PointParameter{s}", e, v))
        sweep(es, f"Material{suffix}",
              lambda e, s=suffix, v=one: es(f"Material{s}", gl.GL_FRONT_AND_BACK, e, v))
        sweep(es, f"TexEnv{suffix}",
              lambda e, s=suffix, v=one: es(f"TexEnv{s}", gl.GL_TEXTURE_ENV, e, v))
    for suffix, values in (("fv", four), ("xv", fixed(1, 1, 1, 1))):
        sweep(es, f"Light{suffix}",
              lambda e, s=suffix, v=values: es(f"Light{s}", gl.GL_LIGHT1, e, v))
        sweep(es, f"LightModel{suffix}", lambda e, s=suffix, v=values: es(f"LightModel{s}", e, v))
        sweep(es, f"Fog{suffix}", lambda e, s=suffix, v=values: es(f"Fog{s}", e, v))
        sweep(es, f"PointParameter{suffix}",
              lambda e, s=suffix, v=values: es(f"PointParameter{s}", e, v))
        sweep(es, f"Material{suffix}",
              lambda e, s=suffix, v=values: es(f"Material{s}", gl.GL_FRONT_AND_BACK, e, v))
        sweep(es, f"Get Light{suffix}",
              lambda e, s=suffix: es(f"GetLight{s}", gl.GL_LIGHT1, e, ROOM))
        sweep(es, f"Get Material{suffix}",
              lambda e, s=suffix: es(f"GetMaterial{s}", gl.GL_FRONT, e, ROOM))
        sweep(es, f"Get TexEnv{suffix}",
              lambda e, s=suffix: es(f"GetTexEnv{s}", gl.GL_TEXTURE_ENV, e, ROOM))
    sweep(es, "light", lambda enum: es("Lightfv", enum, gl.GL_AMBIENT, four))
    sweep(es, "fog mode", lambda enum: es("Fogx", gl.GL_FOG_MODE, enum))
    sweep(es, "face", lambda enum: es("Materialfv", enum, gl.GL_AMBIENT, four))
    sweep(es, "face told", lambda enum: es("GetMaterialfv", enum, gl.GL_AMBIENT, ROOM))
    sweep(es, "plane", lambda enum: es("ClipPlanef", enum, four))
    sweep(es, "plane told", lambda enum: es("GetClipPlanef", enum, ROOM))


def textures(es: Headless) -> None:
    """Environments, parameters, images."""
    for target in (gl.GL_POINT_SPRITE, gl.GL_TEXTURE_FILTER_CONTROL):
        sweep(es, f"of {gl.name_of(target)}", lambda e, t=target: es("TexEnvf", t, e, 1.0))
    sweep(es, "environment", lambda e: es("TexEnvi", e, gl.GL_TEXTURE_ENV_MODE, gl.GL_MODULATE))
    for name in ("TEXTURE_ENV_MODE", "COMBINE_RGB", "COMBINE_ALPHA", "SRC0_RGB", "SRC2_ALPHA",
                 "OPERAND0_RGB", "OPERAND2_ALPHA"):
        pname = getattr(gl, f"GL_{name}")
        sweep(es, name, lambda e, p=pname: es("TexEnvi", gl.GL_TEXTURE_ENV, p, e))
        sweep(es, f"{name} x", lambda e, p=pname: es("TexEnvx", gl.GL_TEXTURE_ENV, p, e))
    es("BindTexture", gl.GL_TEXTURE_2D, 5)
    sweep(es, "parameters", lambda e: es("TexParameteriv", gl.GL_TEXTURE_2D, e, fixed(1, 1, 1, 1)))
    sweep(es, "of target", lambda e: es("TexParameteri", e, gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR))
    sweep(es, "told", lambda e: es("GetTexParameteriv", gl.GL_TEXTURE_2D, e, ROOM))
    for name in ("WRAP_S", "MIN_FILTER", "MAG_FILTER"):
        pname = getattr(gl, f"GL_TEXTURE_{name}")
        sweep(es, name, lambda e, p=pname: es("TexParameteri", gl.GL_TEXTURE_2D, p, e))
        sweep(es, f"{name} x", lambda e, p=pname: es("TexParameterx", gl.GL_TEXTURE_2D, p, e))
    str_ = gl.GL_TEXTURE_GEN_STR_OES
    sweep(es, "coordinates", lambda e: es("TexGeniOES", e, gl.GL_TEXTURE_GEN_MODE,
                                          gl.GL_NORMAL_MAP))
    sweep(es, "generation", lambda e: es("TexGeniOES", str_, gl.GL_TEXTURE_GEN_MODE, e))
    sweep(es, "generated", lambda e: es("TexGenfOES", str_, e, 34065.0))
    sweep(es, "generation told", lambda e: es("GetTexGenivOES", str_, e, ROOM))
    images(es)


def images(es: Headless) -> None:
    """What images may be given, copied and drawn to."""
    flat, byte = gl.GL_TEXTURE_2D, gl.GL_UNSIGNED_BYTE
    rgba = gl.GL_RGBA
    es("BindTexture", flat, 6)
    sweep(es, "image of", lambda e: es("TexImage2D", e, 0, rgba, 4, 4, 0, rgba, byte, None))
    sweep(es, "image", lambda e: es("TexImage2D", flat, 0, e, 4, 4, 0, e, byte, None))
    sweep(es, "internal", lambda e: es("TexImage2D", flat, 0, e, 4, 4, 0, rgba, byte, None))
    sweep(es, "format", lambda e: es("TexImage2D", flat, 0, rgba, 4, 4, 0, e, byte, None))
    for form in (gl.GL_RGBA, gl.GL_RGB, gl.GL_ALPHA, gl.GL_BGRA, gl.GL_DEPTH_STENCIL,
                 gl.GL_DEPTH_COMPONENT):
        sweep(es, f"type of {gl.name_of(form)}",
              lambda e, f=form: es("TexImage2D", flat, 0, f, 4, 4, 0, f, e, None))
    es("TexImage2D", flat, 0, rgba, 4, 4, 0, rgba, byte, None)
    sweep(es, "part", lambda e: es("TexSubImage2D", flat, 0, 0, 0, 1, 1, e, byte, ROOM))
    sweep(es, "copied", lambda e: es("CopyTexImage2D", flat, 0, e, 0, 0, 4, 4, 0))
    for size in (8, 16, 52):
        sweep(es, f"blocks of {size}",
              lambda e, n=size: es("CompressedTexImage2D", flat, 0, e, 4, 4, 0, n, ROOM))
    es("BindRenderbufferOES", gl.GL_RENDERBUFFER, 9)
    target = gl.GL_RENDERBUFFER
    sweep(es, "renderbuffer", lambda e: es("RenderbufferStorageOES", target, e, 4, 4))
    sweep(es, "read", lambda e: es("ReadPixels", 0, 0, 1, 1, e, byte, ROOM))
    sweep(es, "read type", lambda e: es("ReadPixels", 0, 0, 1, 1, rgba, e, ROOM))
    sweep(es, "framebuffer", lambda e: es("BindFramebufferOES", e, 0))
    es("BindFramebufferOES", gl.GL_FRAMEBUFFER, 1)
    sweep(es, "attachment", lambda e: es("FramebufferRenderbufferOES", gl.GL_FRAMEBUFFER, e,
                                         target, 0))
    color = gl.GL_COLOR_ATTACHMENT0
    sweep(es, "textarget", lambda e: es("FramebufferTexture2DOES", gl.GL_FRAMEBUFFER, color, e, 6,
                                        0))
    sweep(es, "mipmaps", lambda e: es("GenerateMipmapOES", e))
    sweep(es, "EGL image", lambda e: es("EGLImageTargetTexture2DOES", e, None))
    sweep(es, "renderbuffer told",
          lambda e: es("GetRenderbufferParameterivOES", target, e, ROOM))


def arrays(es: Headless) -> None:
    """Types and sizes of arrays; buffers."""
    for name in ("Vertex", "Color", "TexCoord"):
        sweep(es, name, lambda e, n=name: es(f"{n}Pointer", 4, e, 0, None))
        for size in range(6):
            es(f"{name}Pointer", size, gl.GL_FLOAT, 0, None)
            print(f"{name} of {size}: {error(es):#x}")
    for name in ("Normal", "PointSize"):
        oes = "OES" if name == "PointSize" else ""
        sweep(es, name, lambda e, n=name, o=oes: es(f"{n}Pointer{o}", e, 0, None))
    es("BindBuffer", gl.GL_ARRAY_BUFFER, 3)
    sweep(es, "usage", lambda e: es("BufferData", gl.GL_ARRAY_BUFFER, 4, ROOM, e))
    sweep(es, "buffer told", lambda e: es("GetBufferParameteriv", gl.GL_ARRAY_BUFFER, e, ROOM))
    sweep(es, "mapped", lambda e: es("MapBufferOES", gl.GL_ARRAY_BUFFER, e))
    es("UnmapBufferOES", gl.GL_ARRAY_BUFFER)
    error(es)
    es("BindBuffer", gl.GL_ARRAY_BUFFER, 0)


_FORMS = {
    "Boolean": (ctypes.c_ubyte, 77), "Integer": (ctypes.c_int, -77777),
    "Float": (ctypes.c_float, -77777.0), "Fixed": (ctypes.c_int, -77777),
}  # fmt: skip


def numbers(es: Headless) -> None:
    """Fixed-point numbers there and back."""
    es("LoadMatrixx", fixed(*(n / 16 - 0.25 for n in range(16))))
    print("matrix:", list(taken(es, "GetFixedv", gl.GL_MODELVIEW_MATRIX, count=16)))
    status = es("QueryMatrixxOES", ROOM, ctypes.byref(ROOM, 64))
    print(f"query: {status:#x} {list(ROOM[:32])}")
    es("Translatex", 65536, -32768, 3)
    es("Scalex", 131072, 16384, 65536)
    es("Rotatex", 90 * 65536, 0, 0, 65536)
    print("turned:", list(taken(es, "GetFixedv", gl.GL_MODELVIEW_MATRIX, count=16)))
    es("MatrixMode", gl.GL_PROJECTION)
    es("LoadIdentity")
    es("Frustumx", *(n * 65536 for n in (-1, 1, -2, 2, 1, 9)))
    es("Orthof", -2.0, 2.0, -1.0, 1.0, 0.0, 4.0)
    print("projection:", list(taken(es, "GetFixedv", gl.GL_PROJECTION_MATRIX, count=16)))
    es("Frustumx", 0, 0, 1, 2, 3, 4)
    print(f"flat: {error(es):#x}")
    es("MatrixMode", gl.GL_MODELVIEW)
    es("LoadIdentity")
    for name, values in (("Color4x", (0.25, 0.5, 1, -1)), ("Normal3x", (0, 0.5, -0.5)),
                         ("ClearColorx", (0.5, 1, 0, 0.25)), ("ClearDepthx", (0.75,)),
                         ("DepthRangex", (0.25, 0.5)), ("LineWidthx", (2.25,)),
                         ("PointSizex", (3.25,)), ("PolygonOffsetx", (1.5, -2))):
        es(name, *fixed(*values))
    es("AlphaFuncx", gl.GL_LESS, 0x4000)
    es("SampleCoveragex", 0xC000, 1)
    es("MultiTexCoord4x", gl.GL_TEXTURE0, *fixed(0.75, 1, 2, 1))
    for name in ("CURRENT_COLOR", "CURRENT_NORMAL", "COLOR_CLEAR_VALUE", "DEPTH_CLEAR_VALUE",
                 "DEPTH_RANGE", "LINE_WIDTH", "POINT_SIZE", "POLYGON_OFFSET_FACTOR",
                 "POLYGON_OFFSET_UNITS", "ALPHA_TEST_REF", "SAMPLE_COVERAGE_VALUE",
                 "SAMPLE_COVERAGE_INVERT", "CURRENT_TEXTURE_COORDS", "ALPHA_TEST_FUNC"):
        for form in ("Float", "Fixed", "Integer", "Boolean"):
            given = taken(es, f"Get{form}v", getattr(gl, f"GL_{name}"), form=form)
            print(f"{name} {form}: {list(given)} {error(es):#x}")
    vectors(es)


def vectors(es: Headless) -> None:
    """Parameters of several numbers, of which no more are read and written than there are."""
    light = gl.GL_LIGHT3
    for name, count in (("AMBIENT", 4), ("POSITION", 4), ("SPOT_DIRECTION", 3),
                        ("SPOT_EXPONENT", 1), ("LINEAR_ATTENUATION", 1)):
        pname = getattr(gl, f"GL_{name}")
        es("Lightxv", light, pname, fixed(*(0.25 + n for n in range(count))))
        print(name, list(taken(es, "GetLightxv", light, pname)))
    for name in ("DIFFUSE", "SHININESS"):
        pname = getattr(gl, f"GL_{name}")
        es("Materialxv", gl.GL_FRONT_AND_BACK, pname, fixed(0.5, 0.25, 0.125, 1))
        print(name, list(taken(es, "GetMaterialxv", gl.GL_BACK, pname)))
    es("TexEnvxv", gl.GL_TEXTURE_ENV, gl.GL_TEXTURE_ENV_COLOR, fixed(0.5, 0.25, 1, 0))
    es("TexEnvx", gl.GL_TEXTURE_ENV, gl.GL_RGB_SCALE, 2 * 65536)
    es("TexEnvx", gl.GL_TEXTURE_ENV, gl.GL_COMBINE_RGB, gl.GL_ADD_SIGNED)
    for name in ("TEXTURE_ENV_COLOR", "RGB_SCALE", "COMBINE_RGB"):
        pname = getattr(gl, f"GL_{name}")
        print(name, list(taken(es, "GetTexEnvxv", gl.GL_TEXTURE_ENV, pname)))
    es("BindTexture", gl.GL_TEXTURE_2D, 7)
    es("TexParameterxv", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_CROP_RECT_OES, fixed(1, 2, -3, 40000 / 9))
    es("TexParameterxv", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, (ctypes.c_int * 1)(0x2600))
    for name in ("CROP_RECT_OES", "MAG_FILTER", "MIN_FILTER"):
        pname = getattr(gl, f"GL_TEXTURE_{name}")
        for form in ("x", "i", "f"):
            given = taken(es, f"GetTexParameter{form}v", gl.GL_TEXTURE_2D, pname,
                          form="Float" if form == "f" else "Fixed")
            print(f"{name} {form}: {list(given)} {error(es):#x}")
    es("ClipPlanex", gl.GL_CLIP_PLANE0, fixed(1, -2, 0.5, 0.25))
    print("plane:", list(taken(es, "GetClipPlanex", gl.GL_CLIP_PLANE0)),
          list(taken(es, "GetClipPlanef", gl.GL_CLIP_PLANE0, form="Float")))
    print("generation:", list(taken(es, "GetTexGenxvOES", gl.GL_TEXTURE_GEN_STR_OES,
                                    gl.GL_TEXTURE_GEN_MODE)))


def taken(es: Headless, name: str, *args: int, form: str = "Fixed", count: int = 6) -> Any:
    """What a query writes of some numbers."""
    kind, mark = _FORMS[form]
    room: Any = (kind * count)(*[mark] * count)
    es(name, *args, room)
    return room


def main() -> None:
    """Print the facts."""
    es = Headless(1, 1, es=True)
    numbers(es)
    es = Headless(1, 1, es=True)
    for part in (switches, fixed_function, textures, arrays):
        part(es)


if __name__ == "__main__":
    main()
