# SPDX-License-Identifier: MIT
"""TABLE: the built-in functions.

In: a name, a `Language`, a stage.  Out: `Signature`s, each with its row.
A row holds the signatures in a small language of generic types, since when they are there (version
or extension) and in which stages, and what the function means: `expand(b, *args)` says it in nir's
opcodes, for nir's Builder and for the `Folder` of constants alike; texture lookups have a `Lookup`
instead, and what is neither names the nir instruction in `special`. `check` is the same function
once more, as a numpy expression over x, y, z, against which tests hold the expansion.

The generic types, each standing for the same type throughout a signature: G float or vecN; V vecN;
I ivecN; B bvecN; J int or ivecN; Z bool or bvecN; U uint or uvecN; W uvecN; M a matrix, R its
transpose.

Source: chapter 8 of the GLSL specifications, and the specifications of the extensions named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pydri.glsl.language import builtin_expansions as ex
from pydri.glsl.language import builtin_lookups
from pydri.glsl.language.builtin_lookups import Lookup
from pydri.glsl.language.versions import GPU4, GPU5, Language
from pydri.nir import types
from pydri.nir.stages import WITH_DERIVATIVES
from pydri.nir.types import Type


class Row(NamedTuple):
    """A built-in function, or one group of its signatures."""

    name: str
    signatures: str
    desktop: int = 110
    es: int = 100
    expand: Callable[..., Any] | None = None
    check: str = ""
    lookup: Lookup | None = None
    special: str = ""
    #: the only ones that have it; (): all do
    stages: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    #: from which version on core profiles, and ES, have it no longer (0: they do)
    until: int = 0
    until_es: int = 0
    #: the parameters that are written
    outputs: tuple[int, ...] = ()
    #: is a call with constant arguments constant? (GLSL 4.3.3: not noise)
    foldable: bool = True


class Signature(NamedTuple):
    """One overload."""

    row: Row
    result: Type
    parameters: tuple[Type, ...]

    def __str__(self) -> str:
        return f"{self.result} {self.row.name}({', '.join(map(str, self.parameters))})"


ROWS: Final[dict[str, list[Row]]] = {}


def _row(name: str, signatures: str, expand: Callable[..., Any] | None = None, check: str = "",
         **more: Any) -> None:
    ROWS.setdefault(name, []).append(Row(name, signatures, expand=expand, check=check, **more))


# ---- 8.1 angles -------------------------------------------------------------------------------
_row("radians", "G(G)", lambda b, x: b.fmul(x, ex.RADIANS), "x * 0.017453292519943295")
_row("degrees", "G(G)", lambda b, x: b.fmul(x, ex.DEGREES), "x * 57.29577951308232")
_row("sin", "G(G)", lambda b, x: b.fsin(x), "np.sin(x)")
_row("cos", "G(G)", lambda b, x: b.fcos(x), "np.cos(x)")
_row("tan", "G(G)", lambda b, x: b.fdiv(b.fsin(x), b.fcos(x)), "np.tan(x)")
_row("asin", "G(G)", ex.asin, "np.arcsin(x)")
_row("acos", "G(G)", ex.acos, "np.arccos(x)")
_row("atan", "G(G,G)", ex.atan2, "np.arctan2(x, y)")
_row("atan", "G(G)", ex.atan, "np.arctan(x)")
_row("sinh", "G(G)", ex.sinh, "np.sinh(x)", desktop=130, es=300)
_row("cosh", "G(G)", ex.cosh, "np.cosh(x)", desktop=130, es=300)
_row("tanh", "G(G)", ex.tanh, "np.tanh(x)", desktop=130, es=300)
_row("asinh", "G(G)", ex.asinh, "np.arcsinh(x)", desktop=130, es=300)
_row("acosh", "G(G)", ex.acosh, "np.arccosh(x)", desktop=130, es=300)
_row("atanh", "G(G)", ex.atanh, "np.arctanh(x)", desktop=130, es=300)
# ---- 8.2 exponentials -------------------------------------------------------------------------
_row("pow", "G(G,G)", lambda b, x, y: b.fpow(x, y), "np.abs(x) ** y")
_row("exp", "G(G)", lambda b, x: b.fexp2(b.fmul(x, ex.LOG2_E)), "np.exp(x)")
_row("log", "G(G)", lambda b, x: b.fmul(b.flog2(x), ex.LN_2), "np.log(x)")
_row("exp2", "G(G)", lambda b, x: b.fexp2(x), "np.exp2(x)")
_row("log2", "G(G)", lambda b, x: b.flog2(x), "np.log2(x)")
_row("sqrt", "G(G)", lambda b, x: b.fsqrt(x), "np.sqrt(x)")
_row("inversesqrt", "G(G)", lambda b, x: b.frsq(x), "1 / np.sqrt(x)")
# The signed forms are 1.30's; the peer has them in all desktop versions, and programs rely on it.
#: of EXT_gpu_shader4 alone; of it and of 1.30
_GPU4: Final[dict[str, Any]] = {"desktop": 0, "es": 0, "extensions": (GPU4,)}
_UNSIGNED: Final[dict[str, Any]] = {"desktop": 130, "es": 300, "extensions": (GPU4,)}
# ---- 8.3 common -------------------------------------------------------------------------------
_row("abs", "G(G)", lambda b, x: b.fabs(x), "np.abs(x)")
_row("abs", "J(J)", lambda b, x: b.iabs(x), "np.abs(x)", es=300)
_row("sign", "G(G)", lambda b, x: b.fsign(x), "np.sign(x)")
_row("sign", "J(J)", lambda b, x: b.isign(x), "np.sign(x)", es=300)
_row("floor", "G(G)", lambda b, x: b.ffloor(x), "np.floor(x)")
_row("trunc", "G(G)", lambda b, x: b.ftrunc(x), "np.trunc(x)", desktop=130, es=300)
_row("truncate", "G(G)", lambda b, x: b.ftrunc(x), "np.trunc(x)", **_GPU4)
_row("round", "G(G)", lambda b, x: b.fround_even(x), "np.rint(x)", desktop=130, es=300,
     extensions=(GPU4,))
_row("roundEven", "G(G)", lambda b, x: b.fround_even(x), "np.rint(x)", desktop=130, es=300)
_row("ceil", "G(G)", lambda b, x: b.fceil(x), "np.ceil(x)")
_row("fract", "G(G)", lambda b, x: b.ffract(x), "x - np.floor(x)")
_row("mod", "G(G,G) V(V,float)", lambda b, x, y: b.fmod(x, y), "x - y * np.floor(x / y)")
_row("modf", "G(G,G)", special="trunc and the rest", desktop=130, es=300, outputs=(1,))
_row("min", "G(G,G) V(V,float)", lambda b, x, y: b.fmin(x, y), "np.minimum(x, y)")
_row("min", "J(J,J) I(I,int)", lambda b, x, y: b.imin(x, y), "np.minimum(x, y)", es=300)
_row("min", "U(U,U) W(W,uint)", lambda b, x, y: b.umin(x, y), "np.minimum(x, y)", **_UNSIGNED)
_row("max", "G(G,G) V(V,float)", lambda b, x, y: b.fmax(x, y), "np.maximum(x, y)")
_row("max", "J(J,J) I(I,int)", lambda b, x, y: b.imax(x, y), "np.maximum(x, y)", es=300)
_row("max", "U(U,U) W(W,uint)", lambda b, x, y: b.umax(x, y), "np.maximum(x, y)", **_UNSIGNED)
_row("clamp", "G(G,G,G) V(V,float,float)", lambda b, x, y, z: b.fmin(b.fmax(x, y), z),
     "np.minimum(np.maximum(x, y), z)")
_row("clamp", "J(J,J,J) I(I,int,int)", lambda b, x, y, z: b.imin(b.imax(x, y), z),
     "np.minimum(np.maximum(x, y), z)", es=300)
_row("clamp", "U(U,U,U) W(W,uint,uint)", lambda b, x, y, z: b.umin(b.umax(x, y), z),
     "np.minimum(np.maximum(x, y), z)", **_UNSIGNED)
_TRINARY: Final = ("GL_AMD_shader_trinary_minmax",)
for _types, _f in (("G(G,G,G)", "f"), ("J(J,J,J)", "i")):
    for _name in ("min", "max"):
        _row(f"{_name}3", _types, ex.three(_f + _name), f"np.{_name}imum(np.{_name}imum(x, y), z)",
             desktop=0, es=0, extensions=_TRINARY)
    _row("mid3", _types, ex.middle(_f), "np.sort(np.stack([x, y, z]), axis=0)[1]", desktop=0, es=0,
         extensions=_TRINARY)
_row("mix", "G(G,G,G) V(V,V,float)", ex.mix, "x * (1 - z) + y * z")
_row("mix", "G(G,G,Z)", lambda b, x, y, z: b.bcsel(z, y, x), "np.where(z, y, x)", desktop=130,
     es=300)
_row("mix", "J(J,J,Z) U(U,U,Z) Z(Z,Z,Z)", lambda b, x, y, z: b.bcsel(z, y, x),
     "np.where(z, y, x)", desktop=450, es=310, extensions=("GL_EXT_shader_integer_mix",))
_row("step", "G(G,G) V(float,V)", lambda b, x, y: b.b2f(b.fge(y, x)), "(y >= x) * 1.0")
_row("smoothstep", "G(G,G,G) V(float,float,V)", ex.smoothstep,
     "(lambda t: t * t * (3 - 2 * t))(np.clip((z - x) / (y - x), 0, 1))")
_row("isnan", "Z(G)", lambda b, x: b.fneu(x, x), "np.isnan(x)", desktop=130, es=300)
_row("isinf", "Z(G)", lambda b, x: b.feq(b.fabs(x), float("inf")), "np.isinf(x)", desktop=130,
     es=300)
# The same bits as another type; `special`: what comes out.
_BITS: Final[dict[str, Any]] = {
    "desktop": 330, "es": 300, "extensions": ("GL_ARB_shader_bit_encoding", GPU5)}
_row("floatBitsToInt", "J(G)", special="int", **_BITS)
_row("floatBitsToUint", "U(G)", special="uint", **_BITS)
_row("intBitsToFloat", "G(J)", special="float", **_BITS)
_row("uintBitsToFloat", "G(U)", special="float", **_BITS)
# Component 0 is in the low bits.
for _width, _end, _least in ((16, "2x16", 420), (8, "4x8", 400)):
    _vector, _all = f"vec{32 // _width}", (1 << _width) - 1
    _places = f"np.arange(0, 32, {_width})"
    for _sign, _low, _scale in (("Unorm", 0, _all), ("Snorm", -1, _all // 2)):
        _version = 410 if (_sign, _end) == ("Unorm", "2x16") else _least
        _packing: dict[str, Any] = {"desktop": _version, "es": 300 if _width == 16 else 310,
                                    "extensions": ("GL_ARB_shading_language_packing",)}
        _op = f"{_sign.lower()}_{_end}"
        _whole = f"np.rint(np.clip(x, {_low}, 1) * {_scale}).astype(int) & {_all}"
        _row(f"pack{_sign}{_end}", f"uint({_vector})", ex.opcode(f"pack_{_op}"),
             f"(({_whole}) << {_places}).sum()", **_packing)
        _type = f"np.{'u' if _low == 0 else ''}int{_width}"
        _row(f"unpack{_sign}{_end}", f"{_vector}(uint)", ex.opcode(f"unpack_{_op}"),
             f"np.maximum((x >> {_places} & {_all}).astype({_type}) / {_scale}, -1)", **_packing)
_packing = {"desktop": 420, "es": 300, "extensions": ("GL_ARB_shading_language_packing",)}
_row("packHalf2x16", "uint(vec2)", ex.opcode("pack_half_2x16"),
     "(x.astype(np.float16).view(np.uint16).astype(int) << np.array([0, 16])).sum()", **_packing)
_row("unpackHalf2x16", "vec2(uint)", ex.opcode("unpack_half_2x16"),
     "(x >> np.array([0, 16]) & 65535).astype(np.uint16).view(np.float16)", **_packing)
# ---- 8.4 geometry -----------------------------------------------------------------------------
_row("length", "float(G)", ex.length, "np.sqrt((x * x).sum())")
_row("distance", "float(G,G)", lambda b, x, y: ex.length(b, b.fsub(x, y)),
     "np.sqrt(((x - y) ** 2).sum())")
_row("dot", "float(G,G)", lambda b, x, y: b.dot(x, y), "(x * y).sum()")
_row("cross", "vec3(vec3,vec3)", ex.cross, "np.cross(x, y)")
_row("normalize", "G(G)", lambda b, x: b.fmul(x, b.frsq(b.dot(x, x))), "x / np.sqrt((x * x).sum())")
_row("ftransform", "vec4()", special="gl_ModelViewProjectionMatrix * gl_Vertex",
     stages=("vertex",), es=0, until=140)
_row("faceforward", "G(G,G,G)", ex.faceforward, "np.where((y * z).sum() < 0, x, -x)")
_row("reflect", "G(G,G)", ex.reflect, "x - 2 * (x * y).sum() * y")
_row("refract", "G(G,G,float)", ex.refract,
     "(lambda d: (lambda k: 0 * x if k < 0 else z * x - (z * d + np.sqrt(k)) * y)"
     "(float((1 - z * z * (1 - d * d)).sum())))((x * y).sum())")
# ---- 8.5 matrices: the arguments come as tuples of columns ------------------------------------
_row("matrixCompMult", "M(M,M)", special="componentwise fmul")
_row("outerProduct", "mat2(vec2,vec2) mat3(vec3,vec3) mat4(vec4,vec4) mat2x3(vec3,vec2) "
     "mat3x2(vec2,vec3) mat2x4(vec4,vec2) mat4x2(vec2,vec4) mat3x4(vec4,vec3) mat4x3(vec3,vec4)",
     special="columns x * y[i]", desktop=120, es=300)
_row("transpose", "R(M)", special="rows as columns", desktop=120, es=300)
# 1.50's; the peer has it with the other functions of matrices.
_row("determinant", "float(mat2) float(mat3) float(mat4)", special="determinant", desktop=120,
     es=300)
_row("inverse", "mat2(mat2) mat3(mat3) mat4(mat4)", special="inverse", desktop=140, es=300)
# ---- 8.6 relations ----------------------------------------------------------------------------
for _name, _float, _int, _swap, _check in (
    ("lessThan", "flt", "ilt", False, "x < y"), ("lessThanEqual", "fge", "ige", True, "x <= y"),
    ("greaterThan", "flt", "ilt", True, "x > y"),
    ("greaterThanEqual", "fge", "ige", False, "x >= y"),
    ("equal", "feq", "ieq", False, "x == y"), ("notEqual", "fneu", "ine", False, "x != y"),
):  # fmt: skip
    _row(_name, "B(V,V)", ex.relation(_float, _swap), _check)
    _row(_name, "B(I,I)", ex.relation(_int, _swap), _check)
    _unsigned = _int if "eq" in _int or "ne" in _int else "u" + _int[1:]
    _row(_name, "B(W,W)", ex.relation(_unsigned, _swap), _check, **_UNSIGNED)
    if _name.endswith("qual") and not _name.endswith("nEqual"):
        _row(_name, "B(B,B)", ex.relation(_int, _swap), _check)
_row("any", "bool(B)", lambda b, x: b.any_true(x), "np.any(x)")
_row("all", "bool(B)", lambda b, x: b.all_true(x), "np.all(x)")
_row("not", "B(B)", lambda b, x: b.inot(x), "np.logical_not(x)")
# ---- 8.8 derivatives, 8.9 noise ---------------------------------------------------------------
_DERIVATIVES: Final = ("GL_OES_standard_derivatives",)
_row("dFdx", "G(G)", special="fddx", stages=WITH_DERIVATIVES, es=300, extensions=_DERIVATIVES)
_row("dFdy", "G(G)", special="fddy", stages=WITH_DERIVATIVES, es=300, extensions=_DERIVATIVES)
_row("fwidth", "G(G)", special="fabs(fddx) + fabs(fddy)", stages=WITH_DERIVATIVES, es=300,
     extensions=_DERIVATIVES)
_CONTROL: Final = ("GL_ARB_derivative_control",)
for _tail in ("Coarse", "Fine"):
    _op = _tail.lower()
    for _axis in "xy":
        _row(f"dFd{_axis}{_tail}", "G(G)", special=f"fdd{_axis}_{_op}", stages=WITH_DERIVATIVES,
             desktop=450, es=0, extensions=_CONTROL)
    _row(f"fwidth{_tail}", "G(G)", special=f"fabs(fddx_{_op}) + fabs(fddy_{_op})",
         stages=WITH_DERIVATIVES,
         desktop=450, es=0, extensions=_CONTROL)
# Noise is 0, as in Mesa since it was made optional (GLSL 4.40 deprecates it).
_row("noise1", "float(G)", lambda b, x: ex.zeros(b, x, 1), "np.zeros(1)", es=0, foldable=False)
_row("noise2", "vec2(G)", lambda b, x: ex.zeros(b, x, 2), "np.zeros(2)", es=0, foldable=False)
_row("noise3", "vec3(G)", lambda b, x: ex.zeros(b, x, 3), "np.zeros(3)", es=0, foldable=False)
_row("noise4", "vec4(G)", lambda b, x: ex.zeros(b, x, 4), "np.zeros(4)", es=0, foldable=False)

# ---- 8.10 geometry shaders: the stage brings them, whatever version a shader names ---------------
_GEOMETRY: Final[dict[str, Any]] = {
    "stages": ("geometry",), "es": 320,
    "extensions": ("GL_EXT_geometry_shader", "GL_OES_geometry_shader")}
_row("EmitVertex", "void()", special="emit_vertex", **_GEOMETRY)
_row("EndPrimitive", "void()", special="end_primitive", **_GEOMETRY)

# ---- 8.7 texture lookups ----------------------------------------------------------------------
for _name, _signatures_, _fields in builtin_lookups.ROWS:
    _row(_name, _signatures_, **_fields)

# ---- from signatures to types -----------------------------------------------------------------
_GENERIC: Final[dict[str, tuple[Type, ...]]] = {
    "G": (types.FLOAT, types.VEC2, types.VEC3, types.VEC4),
    "V": (types.VEC2, types.VEC3, types.VEC4),
    "J": (types.INT, types.IVEC2, types.IVEC3, types.IVEC4),
    "I": (types.IVEC2, types.IVEC3, types.IVEC4),
    "Z": (types.BOOL, types.BVEC2, types.BVEC3, types.BVEC4),
    "B": (types.BVEC2, types.BVEC3, types.BVEC4),
    "U": (types.UINT, types.UVEC2, types.UVEC3, types.UVEC4),
    "W": (types.UVEC2, types.UVEC3, types.UVEC4),
    "M": tuple(types.matrix(c, r) for c in (2, 3, 4) for r in (2, 3, 4)),
    "R": tuple(types.matrix(r, c) for c in (2, 3, 4) for r in (2, 3, 4)),
}


def _expand_signatures(row: Row) -> list[Signature]:
    found = []
    for text in row.signatures.split():
        result, _, tail = text.partition("(")
        names = [result, *(n for n in tail[:-1].split(",") if n)]
        count = max(len(_GENERIC.get(n, ("",))) for n in names)
        for i in range(count):
            resolved = [_GENERIC[n][i] if n in _GENERIC else types.by_name(n) for n in names]
            found.append(Signature(row, resolved[0], tuple(resolved[1:])))
    return found


_signatures: dict[str, list[Signature]] = {}


def signatures(name: str, language: Language, stage: str) -> list[Signature]:
    """The overloads of a built-in function that this shader may call."""
    rows = ROWS.get(name)
    if rows is None:
        return []
    known = _signatures.get(name)
    if known is None:
        known = _signatures[name] = [s for row in rows for s in _expand_signatures(row)]
    return [
        s for s in known
        if (not s.row.stages or stage in s.row.stages)
        and (language.within(s.row.desktop, s.row.es, s.row.until, s.row.until_es)
             or language.enabled(s.row.extensions))
    ]  # fmt: skip
