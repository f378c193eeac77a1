# SPDX-License-Identifier: MIT
"""`pipe_texture_view`: the descriptor of a sampled texture from view and sampler state.

A kernel, since programs change what they sample in every frame. In: ViewParams, SamplerParams, the
driver's SamplerTable. Out: a TextureView, with the function that samples it. Nothing in it is
rounded: sizes, clamps and border colour go over as they are, the key is canonical (what has no
effect is 0), so that equal work is equal code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.jit import f32, i32, kernel, ptr, u8, u32, u64, void
from pydri.pipe.format import FORMATS
from pydri.pipe.resource import (
    MAX_LEVELS,
    MULTISAMPLE,
    TARGET_1D_ARRAY,
    TARGET_3D,
    TARGET_BUFFER,
    TARGET_CUBE,
    TARGET_CUBE_ARRAY,
    TARGET_RECT,
    Level,
)
from pydri.pipe.sampler import (
    GL_CLAMP,
    GL_CLAMP_TO_BORDER,
    GL_CLAMP_TO_EDGE,
    GL_MIRROR_CLAMP,
    GL_MIRROR_CLAMP_TO_BORDER,
    GL_MIRROR_CLAMP_TO_EDGE,
    GL_MIRRORED_REPEAT,
    GL_NEAREST_MIPMAP_NEAREST,
    GL_NEVER,
    GL_REPEAT,
    KEY_FIELDS,
    SAMPLER_BITS,
    SAMPLER_HASH,
    SAMPLER_SLOTS,
    STENCIL_VIEW,
    SWIZZLE_ONE,
    SWIZZLE_ZERO,
    TEXEL_CLASSES,
    TEXEL_OF_FORMAT,
    WAY_FETCH,
    WAY_GATHER,
    WAY_KEYS,
    WAY_LOD,
    WAY_MOVED,
    SamplerParams,
    SamplerTable,
    TextureView,
    ViewLevel,
    ViewParams,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

ONE_BITS = 0x3F800000


class FormatRow(NamedTuple):
    """What the kernel must know of a format, as numbers of 32 bits."""

    texel: int
    size: int  # bytes a texel
    swizzle: int  # four bits a component: channel, SWIZZLE_ZERO or SWIZZLE_ONE
    # by channel, a bit each in four groups of four: is there; unorm; snorm
    used: int
    integer: int  # shaders get integers


def _format_row(number: int) -> FormatRow:
    stencil, number_of = divmod(number, STENCIL_VIEW)
    fmt = FORMATS[number_of]
    swizzle = used = 0
    shown = ("1zzo" if stencil else "0zzo") if fmt.kind == "zs" else fmt.swizzle
    for n, letter in enumerate(shown):
        part = {"z": SWIZZLE_ZERO, "o": SWIZZLE_ONE}.get(letter)
        swizzle |= (int(letter) if part is None else part) << 4 * n
    for n, (kind, _) in enumerate(fmt.channels[:4]):
        kind = "us" if stencil else kind
        used |= 1 << n | (kind == "un") << 4 + n | (kind == "sn") << 8 + n
    texel = TEXEL_OF_FORMAT[number]
    integer = bool(texel) and TEXEL_CLASSES[texel].pure_integer
    return FormatRow(texel, fmt.bits // 8, swizzle, used, int(integer))


def _format_table(b: Builder) -> Pointer:
    rows = [_format_row(n) for n in range(len(TEXEL_OF_FORMAT))]
    return b.table(u32, [number for row in rows for number in row])


def _levels(b: Builder, view: TextureView, params: ViewParams, size: Value) -> None:
    """The level table, its last row repeated."""
    resource, target = params.resource, params.target
    is_3d, is_rect = target == TARGET_3D, target == TARGET_RECT
    layers = params.last_layer - params.first_layer + 1
    first = b.cast(b.select(is_3d, 0, params.first_layer), u64)
    one = b.const(f32, 1.0)
    levels = resource.addr("level").cast(ptr(Level))
    rows = view.addr("level").cast(ptr(ViewLevel))
    with b.For(b.const(u32, 0), MAX_LEVELS + 1) as n:
        level = levels + b.min(params.first_level + n, params.last_level)
        row = rows + n
        row.offset = level.offset + first * level.image_stride
        row.stride = level.row_stride // size
        row.image_stride = b.cast(level.image_stride // b.cast(size, u64), u32)
        depth = b.select(is_3d, level.depth, layers)
        for name, value in (("width", level.width), ("height", level.height), ("depth", depth)):
            setattr(row, name, b.cast(value, i32))
        for c, value in enumerate((level.width, level.height, level.depth)):
            row.scale[c] = b.select(is_rect, one, b.cast(b.cast(value, i32), f32))


def _swizzle(b: Builder, view: TextureView, params: ViewParams, swizzle: Value) -> None:
    """Where channels go, and which outputs are something else. Each channel gets an output of its
    own: the first that shows it, else one that is fixed afterwards."""
    holder = b.array(u32, 8)  # by channel: the output that shows it, 4: none yet
    for n in range(4):
        holder[n] = 4
    fixes = b.var(u32, 0)
    for n in range(4):
        wanted = params.swizzle[n]
        is_constant = wanted >= SWIZZLE_ZERO
        shift = (wanted & 3) << 2
        channel = b.select(is_constant, wanted, (swizzle >> shift) & 15)
        with b.If(channel >= SWIZZLE_ZERO):
            fixes.value = fixes.value | (1 << n)
            view.source[n] = channel - SWIZZLE_ZERO + 64
        with b.Else():
            owner = holder[channel]
            with b.If(owner == 4):
                holder[channel] = n
            with b.Else():
                fixes.value = fixes.value | (1 << n)
                view.source[n] = owner * 16
    view.fixes = fixes.value
    free = b.var(u32, fixes.value)
    for n in range(4):
        output = b.var(u32, holder[n])
        with b.If(output.value == 4):
            output.value = b.ctz(free.value)
            free.value = free.value & (free.value - 1)
        view.place[n] = output.value * 16


def _border(
    b: Builder, view: TextureView, sampler: SamplerParams, swizzle: Value, used: Value
) -> None:
    """The border colour by channel of the texels."""
    zero, one = b.const(f32, 0.0), b.const(f32, 1.0)
    for channel in range(4):
        value = b.var(f32, zero)
        for n in range(3, -1, -1):  # the first component that shows the channel counts
            with b.If(((swizzle >> (4 * n)) & 15) == channel):
                value.value = sampler.border[n]
        color = value.value
        unorm, snorm = ((used >> (group + channel)) & 1 != 0 for group in (4, 8))
        color = b.select(unorm, b.clamp(color, zero, one), color)
        color = b.select(snorm, b.clamp(color, b.const(f32, -1.0), one), color)
        view.border[channel] = color
        number = b.cast(b.round_to_int(b.clamp(color, zero, one) * 255.0), u32)
        view.border_bytes[channel] = number * 0x01010101


class Wraps(NamedTuple):
    """What wrap modes select."""

    clamp: Value
    border: Value  # some coordinate may ask for texels outside


def _wraps(
    b: Builder, view: TextureView, sampler: SamplerParams, axes: Value, linear: Value, within: Value
) -> Wraps:
    """Clamps, margins and mirrors of the coordinates whose bits are in `axes`. `within`: whether
    they stay within faces, whatever the sampler says (of seamless cubes, ARB_seamless_cube_map)."""
    clamp, border = b.var(u32, 0), b.var(u32, 0)
    for n in range(3):
        mode = b.select(within, b.const(u32, GL_CLAMP_TO_EDGE), sampler.wrap[n])

        def among(*modes: int, mode: Value = mode) -> Value:
            found = mode == modes[0]
            for other in modes[1:]:
                found = found | (mode == other)
            return found

        asked = ((axes >> n) & 1) != 0
        view.mirror[n] = b.select(
            mode == GL_MIRRORED_REPEAT,
            b.const(u32, 1),
            b.select(
                among(GL_MIRROR_CLAMP, GL_MIRROR_CLAMP_TO_EDGE, GL_MIRROR_CLAMP_TO_BORDER),
                b.const(u32, 2),
                0,
            ),
        )
        half = among(GL_CLAMP, GL_MIRROR_CLAMP) & linear  # the nearest texel is never outside
        whole = among(GL_CLAMP_TO_BORDER, GL_MIRROR_CLAMP_TO_BORDER)
        margin = b.select(whole, b.const(f32, 128.0), b.select(half, b.const(f32, 64.0), 0.0))
        view.margin[n] = b.select(asked, margin, 0.0)
        border.value = border.value | b.cast((half | whole) & asked, u32)
        clamp.value = clamp.value | (b.cast((mode != GL_REPEAT) & asked, u32) << n)
    return Wraps(clamp.value, border.value)


def _lookup(b: Builder, table: SamplerTable, key: Value) -> Value:
    """The function of a packed key."""
    at = b.var(u32, (key * SAMPLER_HASH) >> (32 - SAMPLER_BITS))
    found = b.var(u64, 0)
    with b.Loop():
        entry = b.load_atomic(table.keys + at.value)
        with b.If(entry == key + 1, likely=True):
            found.value = table.functions[at.value]
            b.Break()
        with b.If(entry == 0):
            found.value = table.hook(table, key)
            b.Break()
        at.value = (at.value + 1) & (SAMPLER_SLOTS - 1)
    return found.value


def _lods(b: Builder, view: TextureView, params: ViewParams, sampler: SamplerParams) -> None:
    """Level of detail: bias and limits."""
    view.max_level = params.last_level - params.first_level
    view.base_level = params.first_level
    view.lod_bias = b.clamp(sampler.lod_bias, -1024.0, 1024.0)
    view.min_lod = b.clamp(sampler.min_lod, -1024.0, 1024.0)
    view.max_lod = b.clamp(sampler.max_lod, -1024.0, 1024.0)
    view.max_anisotropy = b.clamp(sampler.max_anisotropy, 1.0, 16.0)


def _axes(b: Builder, target: Value) -> Value:
    """The coordinates that wrap, as bits."""
    one_dimensional = (target == 1) | (target == TARGET_1D_ARRAY)
    three = b.select(target == TARGET_3D, b.const(u32, 7), 3)
    return b.select(one_dimensional, b.const(u32, 1), three)


def _unfiltered(target: Value) -> Any:
    """Whether texels of a target are fetched by their places alone: a buffer's, and those with
    several samples."""
    found: Any = target == TARGET_BUFFER
    for each in MULTISAMPLE:
        found = found | (target == each)
    return found


def _packed(fields: dict[int, Value], b: Builder) -> Value:
    """A packed SamplerKey; `fields` by their number."""
    key = b.const(u32, 0)
    for n, value in fields.items():
        key = key | (value << KEY_FIELDS[n][0])
    return key


def _select_code(
    b: Builder,
    view: TextureView,
    params: ViewParams,
    sampler: SamplerParams,
    row: dict[str, Value],
) -> Value:
    """The packed key of a view with a texture."""
    target = params.target
    none = b.const(u32, 0)
    several = params.last_level != params.first_level
    mips = (sampler.min_filter >= GL_NEAREST_MIPMAP_NEAREST) & several & (target != TARGET_RECT)
    mip = b.select(mips, ((sampler.min_filter >> 1) & 1) + 1, none)
    compare = b.select(sampler.compare_func != 0, sampler.compare_func - (GL_NEVER - 1), none)
    min_linear, mag_linear = sampler.min_filter & 1, sampler.mag_filter & 1
    integer = row["integer"] != 0
    min_linear, mag_linear = (b.select(integer, none, x) for x in (min_linear, mag_linear))
    linear = (min_linear | mag_linear) != 0
    is_cube = (target == TARGET_CUBE) | (target == TARGET_CUBE_ARRAY)
    within = is_cube & (sampler.seamless != 0)
    wraps = _wraps(b, view, sampler, _axes(b, target), linear, within)
    seamless = b.cast(within & linear, u32)
    anisotropic = (view.max_anisotropy > 1.0) & (min_linear != 0) & mips & ~is_cube
    one_axis = _axes(b, target) == 1
    anisotropic = anisotropic & ~one_axis & (target != TARGET_3D)
    made = _packed(
        {
            0: row["texel"], 1: target, 2: wraps.clamp, 3: wraps.border, 4: min_linear,
            5: mag_linear, 6: mip, 7: compare, 8: b.cast(anisotropic, u32), 9: seamless,
        },
        b,
    )  # fmt: skip
    plain = _packed({0: row["texel"], 1: target}, b)
    return b.select(_unfiltered(target), plain, made)


@kernel(
    void,
    (ptr(TextureView), ptr(ViewParams), ptr(SamplerParams), ptr(SamplerTable)),
    name="pipe_texture_view",
    noinline=True,
)
def texture_view(
    b: Builder,
    view: TextureView,
    params: ViewParams,
    sampler: SamplerParams,
    table: SamplerTable,
) -> None:
    """Fill in a TextureView. The resource must outlive it; `table` is PipeNative.samplers."""
    view.serial = view.serial + 1
    view.resource = params.resource
    with b.If(b.ptr_to_int(params.resource) == 0):
        view.key = 0
        view.data = None
    with b.Else():
        view.data = params.resource.data
        view.samples = params.resource.samples
        formats = _format_table(b) + params.format * len(FormatRow._fields)
        row = {name: formats[n] for n, name in enumerate(FormatRow._fields)}
        view.one = b.select(row["integer"] != 0, b.const(u32, 1), ONE_BITS)
        _levels(b, view, params, row["size"])
        _swizzle(b, view, params, row["swizzle"])
        _border(b, view, sampler, row["swizzle"], row["used"])
        _lods(b, view, params, sampler)
        view.key = _select_code(b, view, params, sampler, row)
    filters = b.select(_unfiltered(params.target), b.const(u32, 0), view.key)
    function = _lookup(b, table, filters)
    b.store(view.addr("sample"), b.int_to_ptr(function, u8))
    b.store(view.addr("table"), table)
    for name in _WAYS.values():
        b.store(view.addr(name), b.const(ptr(u8), None))


#: functions of a view that not every draw needs, and the fields of SamplerKey that select them
_WAYS = {WAY_FETCH: "fetch", WAY_MOVED: "moved", WAY_GATHER: "gather", WAY_LOD: "lods"}


@kernel(void, (ptr(TextureView), u32), name="pipe_view_ways", noinline=True)
def view_ways(b: Builder, view: TextureView, wanted: Value) -> None:
    """Have a view find further functions: bit n - 1 of `wanted` is way n."""
    for way, name in _WAYS.items():
        missing = b.ptr_to_int(b.load(view.addr(name), ptr(u8))) == 0
        with b.If(((wanted >> (way - 1) & 1) != 0) & missing):
            row = WAY_KEYS[way]
            key = b.select(view.key == 0, b.const(u32, row.none), view.key & row.kept | row.added)
            function = _lookup(b, view.table.cast(ptr(SamplerTable)), key)
            b.store(view.addr(name), b.int_to_ptr(function, u8))


def copy_ways(b: Builder, copy: TextureView, view: TextureView) -> None:
    """What `pipe_view_ways` found since the copy was made."""
    for name in _WAYS.values():
        b.store(copy.addr(name), b.load(view.addr(name), ptr(u8)))



#: what the module of these kernels exports
EXPORTS = (texture_view, view_ways)
