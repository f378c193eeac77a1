# SPDX-License-Identifier: MIT
"""Sampler functions against numpy: random textures, states and coordinates, bit by bit, at all
vector widths."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest

from pipe_llvm.sample.table import sampler_module
from pipe_soft.sample import Coords
from pydri.jit.compiler import native_vector_width
from pydri.pipe import resource as r
from pydri.pipe import sampler as s
from pydri.pipe.sampler import SamplerState, SamplerView, unpack_key
from tests.unit.jit.harness import BEST, EACH_WIDTH
from tests.unit.pipe_llvm.sample_rig import F, Texture, View, planes

NEAREST, LINEAR = s.GL_NEAREST, s.GL_LINEAR
NEAREST_NEAREST, LINEAR_NEAREST, NEAREST_LINEAR, LINEAR_LINEAR = range(0x2700, 0x2704)
WRAPS = (
    s.GL_REPEAT, s.GL_CLAMP, s.GL_CLAMP_TO_EDGE, s.GL_CLAMP_TO_BORDER, s.GL_MIRRORED_REPEAT,
    s.GL_MIRROR_CLAMP, s.GL_MIRROR_CLAMP_TO_EDGE, s.GL_MIRROR_CLAMP_TO_BORDER,
)  # fmt: skip
WILD = np.array(
    [np.nan, np.inf, -np.inf, 1e30, -1e30, 3e9, -3e9, 1e-30, -1e-30, -0.0, 1.0, -1.0, 0.5, 2.0**24,
     -(2.0**31), 1e10], F,
)  # fmt: skip


def state(wrap: int = s.GL_REPEAT, low: int = NEAREST, high: int = NEAREST, **more) -> SamplerState:
    return SamplerState((wrap,) * 3, low, high, **more)


def view_of(tex: Texture, width: int, how: SamplerState, **more) -> View:
    native = tex.resource.native
    view = SamplerView(
        tex.resource.address, tex.fmt.number, tex.target, 0, native.last_level, 0,
        native.layers - 1,
    )._replace(**more)  # fmt: skip
    return View(tex, view, how, width)


def check(view: View, coords: Coords, how: int = 0) -> None:
    found, wanted = view.sample(coords, how), view.judged(coords, how)
    same = (found.view(np.uint32) == wanted.view(np.uint32)) | (found == wanted)
    same |= np.isnan(found) & np.isnan(wanted)
    if not same.all():
        where = tuple(np.argwhere(~same)[0])
        lanes = [None if c is None else c[where[:2]] for c in coords[:6]]
        raise AssertionError(
            f"{view.key}\n{(~same).sum()} of {same.size} differ; first {where}: "
            f"{found[where]!r}, not {wanted[where]!r}; coordinates {lanes}"
        )


def scales(rng: np.random.Generator) -> float:
    return float(2.0 ** rng.uniform(-3, 5))


def coords_of(rng: np.random.Generator, tex: Texture, stamps: int) -> Coords:
    native = tex.resource.native
    size = (native.width, native.height, max(native.depth, native.layers))
    if tex.target == r.TARGET_RECT:
        size = (1, 1)
    found = planes(rng, stamps, scales(rng), size)
    if tex.target == r.TARGET_RECT:
        found = [x * F(native.width) for x in found]
    if tex.target in (r.TARGET_1D_ARRAY, r.TARGET_2D_ARRAY):
        layer = 1 if tex.target == r.TARGET_1D_ARRAY else 2
        found[layer] = rng.uniform(-1, native.layers + 1, (stamps, 16)).astype(F)
    return Coords(*found)


def wild(rng: np.random.Generator, stamps: int) -> Coords:
    return Coords(*(rng.choice(WILD, (stamps, 16)) for _ in range(3)))


BYTES = "R8G8B8A8_UNORM"


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("high", (NEAREST, LINEAR))
def test_wraps(width: int, wrap: int, high: int) -> None:
    """One level, all wrap modes, sizes that are no powers of two, coordinates that are no
    numbers."""
    rng = np.random.default_rng(wrap)
    border = (0.3, 0.9, 0.1, 0.7)
    for size in ((1, 1), (5, 3), (64, 16)):
        tex = Texture(rng, BYTES, r.TARGET_2D, *size)
        view = view_of(tex, width, state(wrap, high, high, border=border))
        for stamps in (1, 3, 16):
            check(view, coords_of(rng, tex, stamps))
            check(view, wild(rng, stamps))


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize(
    "format",
    (BYTES, "B8G8R8X8_UNORM", "R10G10B10A2_UNORM", "R16G16_UNORM", "R16G16B16A16_FLOAT",
     "R32G32B32A32_FLOAT", "R8_UNORM"),
)  # fmt: skip
def test_images_of_their_own_size(width: int, format: str) -> None:
    """A texel a pixel: rows of a stamp are rows of the image, but where a stamp is wrapped, is
    turned, or is another's neighbour. In the middle of texels no neighbour has a weight, a little
    beside it in one direction alone."""
    rng = np.random.default_rng(11)
    tex = Texture(rng, format, r.TARGET_2D, 20, 12)
    x, y = np.meshgrid(np.arange(4), np.arange(4))
    for high in (NEAREST, LINEAR):
        wraps = (s.GL_REPEAT, s.GL_CLAMP_TO_EDGE, s.GL_CLAMP_TO_BORDER)
        for wrap, (stamps, across, down) in itertools.product(
            wraps[: None if format == BYTES else 1],
            ((1, 0.5, 0.5), (16, 0.5, 0.5), (16, 0.3, 0.3), (7, 0, 0), (16, 0.49, 0.5),
             (16, 0.5, 0.49)),
        ):  # fmt: skip
            view = view_of(tex, width, state(wrap, high, high))
            for turned in (False, True):
                at = rng.integers(0, 4, (2, stamps, 1)) * 4
                first, second = (y, x) if turned else (x, y)
                u = (first.ravel() + at[0] + across) / tex.resource.native.width
                v = (second.ravel() + at[1] + down) / tex.resource.native.height
                check(view, Coords(u.astype(F), v.astype(F), np.zeros((stamps, 16), F)))


@pytest.mark.parametrize("anisotropy", (1.0, 4.0))
def test_what_nobody_reads_is_left_out(anisotropy: float) -> None:
    """Constants and copies of the swizzle; the rest is as ever."""
    rng = np.random.default_rng(13)
    for format, unread in (("B8G8R8X8_UNORM", [3]), ("L8_UNORM", [1, 3])):
        tex = Texture(rng, format, r.TARGET_2D, 20, 12)
        how = state(s.GL_REPEAT, LINEAR, LINEAR, max_anisotropy=anisotropy)
        view, coords = view_of(tex, BEST, how), coords_of(rng, tex, 16)
        whole = view.sample(coords)
        some = view.sample(coords, sum(1 << n for n in unread) << s.UNREAD_SHIFT)
        read = [n for n in range(4) if n not in unread]
        assert (some[..., read] == whole[..., read]).all()
        assert not np.isnan(whole).any()
        assert np.isnan(some[..., unread]).all() or anisotropy > 1  # which adds up what is there


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("format", ("R16G16B16A16_FLOAT", "R32_FLOAT", "R32G32B32A32_FLOAT"))
def test_lone_texels_have_the_filters_bits(width: int, format: str) -> None:
    """In the middle of floats, -0 and infinities among them: stamps whose rows are rows of the
    image, for which one texel is read, and the same stamps turned, for which four are."""
    rng = np.random.default_rng(12)
    tex = Texture(rng, format, r.TARGET_2D, 20, 12)
    kind = np.float16 if tex.fmt.channels[0][1] == 16 else np.float32
    level, odd = tex.resource.native.level[0], np.array([-0.0, np.inf, -np.inf, np.nan], kind)
    for row in range(11):
        address = tex.address + level.offset + row * level.row_stride + row * tex.fmt.bytes
        ctypes.memmove(address, odd.tobytes(), odd.nbytes)
    y, x = np.divmod(np.arange(16), 4)
    at = rng.integers(0, 3, (2, 16, 1)) * 4
    u, v = ((x + at[0] + 0.5) / 20).astype(F), ((y + at[1] + 0.5) / 12).astype(F)
    view = view_of(tex, width, state(s.GL_CLAMP_TO_EDGE, LINEAR, LINEAR))

    def turned(of: np.ndarray) -> np.ndarray:
        return of.reshape(16, 4, 4, -1).swapaxes(1, 2).reshape(of.shape)

    none = np.zeros((16, 16), F)
    alone = view.sample(Coords(u, v, none))
    of_four = turned(view.sample(Coords(turned(u), turned(v), none)))
    assert np.isnan(alone).any() and (alone.view(np.uint32) == 0).any()
    numbers = ~(np.isnan(alone) & np.isnan(of_four))
    assert (alone.view(np.uint32) == of_four.view(np.uint32))[numbers].all()


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("low", range(0x2700, 0x2704))
@pytest.mark.parametrize("high", (NEAREST, LINEAR))
def test_mipmaps(width: int, low: int, high: int) -> None:
    """All filters with levels of detail; limits and biases."""
    rng = np.random.default_rng(low)
    tex = Texture(rng, BYTES, r.TARGET_2D, 64, 32, last_level=6)
    for bias, lod in ((0.0, (-1000.0, 1000.0)), (1.3, (-2.0, 3.5)), (-0.7, (0.6, 2.2))):
        how = state(s.GL_REPEAT, low, high, lod_bias=bias, min_lod=lod[0], max_lod=lod[1])
        view = view_of(tex, width, how)
        for stamps in (1, 5, 16, 16, 16):
            check(view, coords_of(rng, tex, stamps))
        check(view, wild(rng, 16))


@pytest.mark.parametrize("width", EACH_WIDTH)
def test_levels_of_detail_from_shaders(width: int) -> None:
    """Bias, explicit levels lane by lane, gradients; levels of a view."""
    rng = np.random.default_rng(3)
    tex = Texture(rng, BYTES, r.TARGET_2D, 32, 32, last_level=5)
    view = view_of(tex, width, state(low=LINEAR_LINEAR, high=LINEAR), first_level=1, last_level=4)
    lod = rng.uniform(-2, 6, (16, 16)).astype(F)
    gradients = [[rng.normal(size=(16, 16)).astype(F) for _ in range(2)] for _ in range(2)]
    coords = coords_of(rng, tex, 16)._replace(lod=lod, ddx=gradients[0], ddy=gradients[1])
    for how in (s.LOD_BIAS, s.LOD_EXPLICIT, s.LOD_GRADIENTS):
        check(view, coords, how)


FORMATS = (
    "B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "R8_UNORM", "R8G8_UNORM", "B5G6R5_UNORM",
    "R10G10B10A2_UNORM", "R8G8B8A8_SNORM", "R16_UNORM", "R16G16_UNORM", "R16G16B16A16_UNORM",
    "R16G16B16A16_SNORM", "R16_FLOAT", "R16G16B16A16_FLOAT", "R32_FLOAT", "R32G32_FLOAT",
    "R32G32B32A32_FLOAT", "L8A8_UNORM", "A8_UNORM", "I16_UNORM", "R11G11B10_FLOAT",
    "Z16_UNORM", "Z24X8_UNORM", "Z24_UNORM_S8_UINT", "Z32_FLOAT",
)  # fmt: skip


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("format", FORMATS)
def test_formats(width: int, format: str) -> None:
    """Formats with their swizzles under nearest, linear, trilinear and border filters."""
    rng = np.random.default_rng(5)
    tex = Texture(rng, format, r.TARGET_2D, 16, 13, last_level=4)
    border = (0.3, 0.9, 0.1, 0.7)
    for wrap, low, high in (
        (s.GL_REPEAT, NEAREST, NEAREST),
        (s.GL_REPEAT, LINEAR_LINEAR, LINEAR),
        (s.GL_CLAMP_TO_BORDER, LINEAR, LINEAR),
    ):
        swizzles = ((0, 1, 2, 3), (2, 2, 5, 0), (3, 4, 1, 1))
        for swizzle in swizzles:
            view = view_of(tex, width, state(wrap, low, high, border=border), swizzle=swizzle)
            for stamps in (1, 16):
                check(view, coords_of(rng, tex, stamps))


SHAPES = {
    r.TARGET_1D: {"width": 37, "last_level": 5},
    r.TARGET_3D: {"width": 16, "height": 9, "depth": 5, "last_level": 4},
    r.TARGET_CUBE: {"width": 32, "height": 32, "layers": 6, "last_level": 5},
    r.TARGET_RECT: {"width": 37, "height": 21},
    r.TARGET_1D_ARRAY: {"width": 37, "layers": 5, "last_level": 5},
    r.TARGET_2D_ARRAY: {"width": 37, "height": 20, "layers": 5, "last_level": 5},
    r.TARGET_CUBE_ARRAY: {"width": 16, "height": 16, "layers": 18, "last_level": 4},
}


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("format", (BYTES, "R16G16_UNORM"))
@pytest.mark.parametrize("target", SHAPES)
def test_targets(width: int, target: int, format: str) -> None:
    """All targets; directions of cubes in all faces, layers beyond the last."""
    rng = np.random.default_rng(target)
    tex = Texture(rng, format, target, **SHAPES[target])
    for wrap, low, high in (
        (s.GL_CLAMP_TO_EDGE, LINEAR_LINEAR, LINEAR),
        (s.GL_CLAMP_TO_BORDER, LINEAR, NEAREST),
        (s.GL_REPEAT, NEAREST, LINEAR),
    )[: 2 if target == r.TARGET_RECT else 3]:
        view = view_of(tex, width, state(wrap, low, high, border=(0.2, 0.5, 1.0, 0.0)))
        for stamps in (1, 16):
            coords = coords_of(rng, tex, stamps)
            if target in (r.TARGET_CUBE, r.TARGET_CUBE_ARRAY):
                middle = rng.normal(size=(3, stamps, 1))
                found = [F(x) * F(0.2) + F(m) for x, m in zip(coords[:3], middle)]
                layer = rng.uniform(-1, 4, (stamps, 16)).astype(F)
                coords = Coords(*(x.astype(F) for x in found), layer=layer)
            check(view, coords)
            check(view, wild(rng, stamps)._replace(layer=rng.choice(WILD, (stamps, 16))))


def directions(rng: np.random.Generator, stamps: int, spread: float) -> Coords:
    """Stamps that look at a cube's edges and corners."""
    middle = rng.choice([-1.0, 0.1, 1.0], (3, stamps, 1)) + rng.normal(size=(3, stamps, 1)) * 0.02
    step = rng.normal(size=(3, stamps, 1, 2)) * spread
    at = np.stack([np.arange(16) % 4, np.arange(16) // 4], -1)
    found = [(m + (s * at).sum(-1)).astype(F) for m, s in zip(middle, step)]
    layer = rng.uniform(-1, 4, (stamps, 16)).astype(F)
    return Coords(*found, layer=layer)


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("format", (BYTES, "R16G16_UNORM", "R16G16B16A16_FLOAT"))
def test_seamless_cubes(width: int, format: str) -> None:
    """Filters that reach into the neighbouring faces, at edges and corners."""
    rng = np.random.default_rng(6)
    for target, size in ((r.TARGET_CUBE, 8), (r.TARGET_CUBE_ARRAY, 4)):
        layers = 6 if target == r.TARGET_CUBE else 18
        tex = Texture(rng, format, target, size, size, layers=layers, last_level=2)
        how = state(s.GL_REPEAT, LINEAR_LINEAR, LINEAR, seamless=True)
        view = view_of(tex, width, how)
        assert view.key.seamless
        for spread in (0.01, 0.05, 0.2):
            for stamps in (1, 16):
                check(view, directions(rng, stamps, spread))
        check(view, wild(rng, 16)._replace(layer=rng.choice(WILD, (16, 16))))


@pytest.mark.parametrize("width", EACH_WIDTH)
def test_seamless_cubes_of_depths(width: int) -> None:
    """What is compared lies beside the coordinates of those that leave their face."""
    rng = np.random.default_rng(61)
    tex = Texture(rng, "Z32_FLOAT", r.TARGET_CUBE, 8, 8, layers=6, last_level=2)
    how = state(s.GL_REPEAT, LINEAR_LINEAR, LINEAR, seamless=True,
                compare_func=s.GL_LEQUAL)
    view = view_of(tex, width, how)
    for spread in (0.01, 0.2):
        coords = directions(rng, 16, spread)
        check(view, coords._replace(compare=rng.uniform(0, 1, (16, 16)).astype(F)))


@pytest.mark.parametrize(
    ("format", "name"), [(BYTES, "beyond_faces"), ("R16G16B16A16_FLOAT", "filtered_level")])
def test_what_is_much_code_stands_once_in_a_function(format: str, name: str) -> None:
    """Lookups beyond faces, and filters of floats where two levels may be mixed."""
    tex = Texture(np.random.default_rng(6), format, r.TARGET_CUBE, 8, 8, layers=6, last_level=2)
    how = state(s.GL_REPEAT, LINEAR_LINEAR, LINEAR, seamless=True)
    text = sampler_module(view_of(tex, native_vector_width(), how).key).ir()
    for each in ("beyond_faces", name):
        assert text.count(f"define internal void @{each}") == 1
    assert text.count(f"call void @{name}") > 1


def test_levels_of_cubes_are_found_at_one_place() -> None:
    """Whether gradients are given or not."""
    tex = Texture(np.random.default_rng(6), BYTES, r.TARGET_CUBE, 8, 8, layers=6, last_level=2)
    how = state(s.GL_REPEAT, LINEAR_LINEAR, LINEAR)
    text = sampler_module(view_of(tex, native_vector_width(), how).key).ir()
    assert text.count("fdiv <16 x float>") <= 2  # a face, and its level


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("function", range(s.GL_NEVER, s.GL_NEVER + 8))
def test_comparison(width: int, function: int) -> None:
    """Depth comparison before filtering."""
    rng = np.random.default_rng(function)
    for format in ("Z16_UNORM", "Z24X8_UNORM", "Z32_FLOAT"):
        tex = Texture(rng, format, r.TARGET_2D, 8, 8, last_level=3)
        for wrap, low, high in (
            (s.GL_REPEAT, LINEAR_LINEAR, LINEAR),
            (s.GL_CLAMP_TO_BORDER, LINEAR, NEAREST),
        ):
            how = state(wrap, low, high, compare_func=function, border=(0.5, 0, 0, 0))
            view = view_of(tex, width, how, swizzle=(0, 0, 0, 5))
            texels = tex.levels[0][..., 0].reshape(-1)
            reference = rng.choice(texels, (16, 16)).astype(F)
            reference[0] = rng.uniform(-1, 2, 16)
            check(view, coords_of(rng, tex, 16)._replace(compare=reference))


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("most", (2.0, 16.0))
def test_anisotropy(width: int, most: float) -> None:
    """Probes along the longer edge."""
    rng = np.random.default_rng(8)
    tex = Texture(rng, BYTES, r.TARGET_2D, 64, 64, last_level=6)
    view = view_of(tex, width, state(low=LINEAR_LINEAR, high=LINEAR, max_anisotropy=most))
    assert view.key.anisotropic
    for stamps in (1, 16, 16, 16):
        check(view, coords_of(rng, tex, stamps))
    check(view, wild(rng, 16))


@pytest.mark.parametrize("width", EACH_WIDTH)
def test_a_square_footprint_is_sampled_as_without_anisotropy(width: int) -> None:
    """Edges of one length at any angle: rounding doesn't make a second probe at a finer level."""
    rng = np.random.default_rng(9)
    tex = Texture(rng, BYTES, r.TARGET_2D, 64, 64, last_level=6)
    length = rng.uniform(0.01, 0.5, (16, 1))  # one for all lanes: a footprint is that of a quad
    angle = rng.uniform(0, 2 * np.pi, (16, 1))
    x, y = (np.broadcast_to(length * each(angle), (16, 16)).astype(F) for each in (np.cos, np.sin))
    coords = coords_of(rng, tex, 16)._replace(ddx=[x, y], ddy=[-y, x])
    found = [
        view_of(tex, width, state(low=LINEAR_LINEAR, high=LINEAR, max_anisotropy=most)).sample(
            coords, s.LOD_GRADIENTS
        )
        for most in (1.0, 16.0)
    ]
    assert np.abs(found[0] - found[1]).max() < 2e-3


def test_no_texture() -> None:
    """0, 0, 0, 1."""
    rng = np.random.default_rng(1)
    tex = Texture(rng, BYTES, r.TARGET_2D, 4, 4)
    view = view_of(tex, 0, state(), resource=0)
    assert (view.sample(coords_of(rng, tex, 3)) == np.array([0, 0, 0, 1], F)).all()


def test_functions_that_the_build_makes_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM's standard pipeline, which nobody waits for, and a variant's passes."""

    def load(module: object, first: bool = False) -> None:
        """As if nothing were in the cache."""

    def share(cache: object, key: bytes, image: object = None) -> object:
        """As if no image were another's."""
        return image

    monkeypatch.setattr("pydri.jit.compiler.load_module", load)
    monkeypatch.setattr("pydri.jit.cache.ObjectCache.share", share)
    rng = np.random.default_rng(11)
    tex = Texture(rng, "B5G6R5_UNORM", r.TARGET_2D, 23, 17, last_level=3)
    how = state(s.GL_MIRRORED_REPEAT, LINEAR_LINEAR, LINEAR)
    view = view_of(tex, native_vector_width(), how)
    module = sampler_module(unpack_key(int(view.native.key)))
    images = []
    for at_leisure in (False, True):
        monkeypatch.setattr("pydri.jit.compiler.at_leisure", at_leisure)
        images.append(module.compile())
        view.native.sample = images[-1].address("sample")
        check(view, coords_of(rng, tex, 16))
    assert len({image.address("sample") for image in images}) == 2
