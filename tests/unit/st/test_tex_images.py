# SPDX-License-Identifier: MIT
"""Images into levels of textures and back, judged by numpy."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.main.buffers.layout import BufferObject
from pydri.main.layout import GLContext
from pydri.main.names.layout import SharedBlock
from pydri.main.pixels.layout import BlockTransfer, TexTransfer
from pydri.main.pixels.tables import FORMATS, TYPES, PixelFormat, PixelType, error_of
from pydri.pipe import codec_numpy, format_numpy
from pydri.pipe.encoders import ENCODERS
from pydri.pipe.format import BY_NAME, Format
from pydri.pipe.native import PipeNative
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.resource import (
    BIND_SAMPLED,
    TARGET_1D_ARRAY,
    TARGET_2D,
    TARGET_2D_ARRAY,
    TARGET_3D,
    Storage,
)
from pydri.st.textures import load as texels

_HOOK = ctypes.CFUNCTYPE(None, ctypes.c_uint64, *[ctypes.c_uint32] * 3)
_CALL = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)
ALIGN, LENGTH, SKIP_ROWS, SKIP_PIXELS, HEIGHT, SKIP_IMAGES, SWAP, LSB = range(8)
BASES = {"A": gl.GL_ALPHA, "L": gl.GL_LUMINANCE, "LA": gl.GL_LUMINANCE_ALPHA,
         "I": gl.GL_INTENSITY, "RGB": gl.GL_RGB, "RGBA": gl.GL_RGBA, "R": gl.GL_RED,
         "RG": gl.GL_RG, "D": gl.GL_DEPTH_COMPONENT, "DS": gl.GL_DEPTH_STENCIL}  # fmt: skip


class Textures:
    """A context that has what images need, and resources."""

    def __init__(self) -> None:
        self._memory = ctypes.create_string_buffer(GLContext.size + 64)
        self.address = (ctypes.addressof(self._memory) + 63) & ~63
        self.n: Any = GLContext.view(self.address)
        self._shared = ctypes.create_string_buffer(SharedBlock.size + 64)
        self.n.shared = (ctypes.addressof(self._shared) + 63) & ~63
        self.n.raw.pack[ALIGN] = self.n.raw.unpack[ALIGN] = 1
        self.n.raw.pixel_scale[:] = [1.0] * 5
        self.asked: list[tuple[int, ...]] = []

        def ready(_: int, *numbers: int) -> None:
            self.asked.append(numbers)
            texels.ready(*numbers)

        self._hook = _HOOK(ready)
        self.n.pixel.hook_texels = ctypes.cast(self._hook, ctypes.c_void_p).value
        texels.load(self.n)

    def job(self, resource: PipeResource, format: int, type_: int, pixels: np.ndarray,
            box: tuple[int, ...], base: int, level: int = 0, dims: int = 2) -> Any:  # fmt: skip
        job: Any = TexTransfer.ctype()()
        job.pixels, job.resource = pixels.ctypes.data, resource.address
        job.format, job.type = _place(FORMATS, format), _place(TYPES, type_)
        job.level, job.dims, job.base = level, dims, base
        for name, value in zip(("x", "y", "z", "width", "height", "depth"), box, strict=True):
            setattr(job.box, name, value)
        return job

    def call(self, field: str, job: Any) -> int:
        function = _CALL(getattr(self.n.pixel, field))
        return int(function(self.address, ctypes.addressof(job)))

    def upload(self, *args: Any, **more: Any) -> int:
        return self.call("tex_upload", self.job(*args, **more))

    def download(self, *args: Any, **more: Any) -> int:
        return self.call("tex_download", self.job(*args, **more))


def _place(rows: tuple[Any, ...], enum: int) -> int:
    return next(n for n, row in enumerate(rows) if row.enum == enum)


@pytest.fixture(scope="module")
def made() -> Iterator[Textures]:
    yield Textures()


@pytest.fixture
def t(made: Textures) -> Textures:
    """The context with all parameters as at first."""
    raw = made.n.raw
    for store in (raw.pack, raw.unpack):
        store[:] = [1, 0, 0, 0, 0, 0, 0, 0]
    raw.pixel_scale[:], raw.pixel_bias[:] = [1.0] * 5, [0.0] * 5
    raw.map_color = raw.map_stencil = raw.index_shift = raw.index_offset = 0
    made.n.error = 0
    return made


def resource(name: str, width: int, height: int, depth: int = 1, target: int = TARGET_2D,
             levels: int = 1) -> PipeResource:  # fmt: skip
    size = {"layers": depth} if target != TARGET_3D else {"depth": depth}
    if target == TARGET_1D_ARRAY:
        size, height = {"layers": height}, 1
    made = PipeResource.create(
        target, BY_NAME[name].number, width, height, last_level=levels - 1, bind=BIND_SAMPLED,
        **size,
    )  # fmt: skip
    assert made is not None
    return made


def texels_of(res: PipeResource, fmt: Format, level: int = 0) -> np.ndarray:
    """All texels of a level with the skirt: (images, rows + 1, columns + 1, bytes)."""
    n = res.native.level[level]
    data = (ctypes.c_uint8 * res.native.size).from_address(res.native.data)
    out = np.zeros((n.depth, n.height + 1, n.width + 1, fmt.bytes), np.uint8)
    flat = np.frombuffer(data, np.uint8)
    for z in range(n.depth):
        for y in range(n.height + 1):
            at = n.offset + z * n.image_stride + y * n.row_stride
            out[z, y] = flat[at : at + (n.width + 1) * fmt.bytes].reshape(-1, fmt.bytes)
    return out


def skirt_holds(texels: np.ndarray) -> bool:
    """Column 0 and row 0 are repeated."""
    right = (texels[:, :, -1] == texels[:, :, 0]).all()
    return bool(right and (texels[:, -1] == texels[:, 0]).all())


# -- numpy's idea of the program's pixels ----------------------------------------------------------

_KINDS = {"u": "un", "i": "sn", "f": "f"}
_WHOLE = {"u": "ui", "i": "si"}


def client_row(format: PixelFormat, type_: PixelType) -> Format:
    """A row for format_numpy: channels in memory order, and who they are."""
    names = format.channels
    if type_.kind in "uif":
        kind = (_WHOLE if format.kind == "integer" else _KINDS)[type_.kind]
        channels = [(kind, 8 * type_.bytes)] * len(names)
    elif type_.kind == "packed":
        channels = [("ui" if format.kind == "integer" else "un", n) for n in type_.widths]
        if not type_.reverse:
            channels, names = channels[::-1], names[::-1]
    elif type_.kind == "r11g11b10":
        channels = [("f", 11), ("f", 11), ("f", 10)]
    else:
        channels = [("m", 9)] * 3 + [("e", 5)]
    swizzle = ""
    for c in "RGBA":
        at = names.find("L") if "L" in names and c != "A" else names.find(c)
        swizzle += str(at) if at >= 0 else "o" if c == "A" else "z"
    kind = {"ui": "uint", "si": "sint", "m": "shared"}.get(channels[0][0], "float")
    bits = sum(n for _, n in channels)
    return Format(0, "client", kind, bits, tuple(channels), swizzle, 0)


def some_pixels(format: PixelFormat, type_: PixelType, count: int) -> np.ndarray:
    """Bytes of pixels, (count, bytes a pixel); floats are finite."""
    row = client_row(format, type_)
    rng = np.random.default_rng(5)
    if type_.kind == "f":
        values = rng.uniform(-0.25, 1.25, (count, len(format.channels)))
        return values.astype({4: np.float32, 2: np.float16}[type_.bytes]).view(np.uint8)
    out = rng.integers(0, 256, (count, row.bytes), np.uint8)
    if type_.kind == "r11g11b10":  # neither infinite nor not a number
        out[:, 1] &= 0xFB & 0xFF
        out = (out.view(np.uint32) & 0x77DEFBBF).view(np.uint8)
    return out


PAIRS = [
    (f, t) for f in FORMATS for t in TYPES
    if f.kind in ("color", "integer") and t.kind != "bits" and not error_of(f.enum, t.enum)
]  # fmt: skip
#: a destination of each way of storing, and the base format with which it is used
FLOATS = [
    ("R8G8B8A8_UNORM", "RGBA"), ("B8G8R8A8_UNORM", "RGBA"), ("R8G8B8X8_UNORM", "RGB"),
    ("R8G8B8A8_UNORM", "RGB"), ("B5G6R5_UNORM", "RGB"), ("B4G4R4A4_UNORM", "RGBA"),
    ("L8_UNORM", "L"), ("A8_UNORM", "A"), ("I8_UNORM", "I"), ("L8A8_UNORM", "LA"),
    ("R16G16B16A16_UNORM", "RGBA"), ("R32G32B32A32_FLOAT", "RGBA"), ("R16G16_FLOAT", "RG"),
    ("R8G8B8A8_SRGB", "RGBA"), ("R11G11B10_FLOAT", "RGB"), ("R9G9B9E5_FLOAT", "RGB"),
    ("R8_SNORM", "R"), ("R10G10B10A2_UNORM", "RGBA"), ("L16A16_FLOAT", "LA"),
]  # fmt: skip
WHOLES = [
    ("R8G8B8A8_UINT", "RGBA"), ("R16G16_SINT", "RG"), ("R32G32B32X32_UINT", "RGB"),
    ("L8A8_SINT", "LA"), ("R32G32B32A32_SINT", "RGBA"), ("A16_UINT", "A"),
]  # fmt: skip


def stored(fmt: Format) -> Format:
    """The row by which numbers are stored: sRGB ones stay encoded."""
    return BY_NAME[fmt.name.replace("_SRGB", "_UNORM")]


def as_read(rgba: np.ndarray, base: str) -> np.ndarray:
    """glGetTexImage's r, g, b, a of a texture (GL 2.1, table 6.1 with Mesa's order)."""
    out = rgba.copy()
    for c, letter in enumerate("RGBA"):
        here = {"L": "R", "LA": "RA", "I": "R"}.get(base, base)
        if letter not in here:
            out[:, c] = int(letter == "A")
    return out


def near(got: np.ndarray, want: np.ndarray, fmt: Format) -> bool:
    """Equal as texels, whatever is in their padding; a half that is rounded the other way on one
    side may differ by one."""
    if (got == want).all():
        return True
    if fmt.kind in ("shared", "snorm") or ("sn", 8) in fmt.channels:  # one number has two forms
        values = (format_numpy.unpack(fmt, x) for x in (got, want))
        got, want = (format_numpy.pack(fmt, x) for x in values)
    for a, b, (kind, _) in zip(*(format_numpy.channels(fmt, x) for x in (got, want)), fmt.channels):
        step = np.abs(a.astype(np.int64) - b.astype(np.int64))
        if kind != "x" and (step.max() > 1 or (step != 0).mean() > 0.005):
            return False
    return True


@pytest.mark.parametrize(("name", "base"), FLOATS + WHOLES)
def test_every_pair_is_uploaded_and_read_back(t: Textures, name: str, base: str) -> None:
    width, height = 301, 3
    fmt = BY_NAME[name]
    whole = fmt.kind in ("uint", "sint")
    res = resource(name, width, height)
    for format, type_ in PAIRS:
        if (format.kind == "integer") != whole:
            continue
        row = client_row(format, type_)
        pixels = some_pixels(format, type_, width * height)
        rgba = format_numpy.unpack(row, pixels)
        if whole:  # clamped to what the other sign has
            low, high = (0, 2**32 - 1) if fmt.kind == "uint" else (-(2**31), 2**31 - 1)
            rgba = np.clip(rgba.astype(np.int64), low, high)
        if base == "RGB":
            rgba[:, 3] = 1
        want = format_numpy.pack(stored(fmt), rgba)
        assert t.upload(res, format.enum, type_.enum, pixels, (0, 0, 0, width, height, 1),
                        BASES[base])  # fmt: skip
        texels = texels_of(res, fmt)
        got = np.ascontiguousarray(texels[0, :height, :width]).reshape(-1, fmt.bytes)
        assert near(got, want, fmt), (format, type_)
        assert skirt_holds(texels)
        back = np.full((width * height, row.bytes), 0xA5, np.uint8)
        if not t.download(res, format.enum, type_.enum, back, (0, 0, 0, width, height, 1),
                          BASES[base]):  # fmt: skip
            raise AssertionError("refused")
        numbers = as_read(format_numpy.unpack(stored(fmt), got), base)
        expected = format_numpy.pack(row, numbers)
        if row.kind == "float" and type_.kind in ("f", "r11g11b10"):
            assert np.array_equal(
                format_numpy.unpack(row, back), format_numpy.unpack(row, expected), equal_nan=True
            ), (format, type_)
        else:
            assert near(back, expected, row), (format, type_)


_SPLIT = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32
)
_PART = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)


@pytest.mark.parametrize(
    ("format", "type_", "target", "store", "parts"),
    [
        (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, TARGET_2D, {}, 6),
        (gl.GL_BGRA, gl.GL_UNSIGNED_BYTE, TARGET_3D, {HEIGHT: 130}, 6),
        (gl.GL_RGB, gl.GL_FLOAT, TARGET_3D, {LENGTH: 140, ALIGN: 8}, 42),
        (gl.GL_RGB, gl.GL_FLOAT, TARGET_1D_ARRAY, {}, 41),
        (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, TARGET_2D, {LENGTH: 100}, 1),  # rows over each other
        (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, TARGET_3D, {HEIGHT: 60}, 1),  # images likewise
    ],
)  # fmt: skip
def test_parts_in_any_order(t: Textures, format: int, type_: int, target: int,
                            store: dict[int, int], parts: int) -> None:  # fmt: skip
    """Large transfers come in parts, whose order is the driver's affair; where what is written last
    counts, there is one."""
    pipe: Any = PipeNative.ctype()()
    asked: list[int] = []

    def backwards(_: int, work: int, argument: int, count: int) -> None:
        asked.append(count)
        for n in reversed(range(count)):
            _PART(work)(argument, n)

    split = _SPLIT(backwards)
    box = (0, 0, 0, 130, 101, 13) if target == TARGET_3D else (0, 0, 0, 130, 1300, 1)
    res = resource("R8G8B8A8_UNORM", *box[3:], target=target)
    for place, value in store.items():
        t.n.raw.unpack[place] = t.n.raw.pack[place] = value
    source = np.random.default_rng(5).integers(0, 255, 1 << 22, np.uint8)
    if type_ == gl.GL_FLOAT:
        source = np.random.default_rng(5).random(1 << 20, np.float32).view(np.uint8)
    results = []
    for native in (ctypes.addressof(pipe), ctypes.addressof(pipe)):
        t.n.pipe = native
        target_memory = np.zeros(1 << 23, np.uint8)
        assert t.upload(res, format, type_, source, box, gl.GL_RGBA, dims=3 if box[5] > 1 else 2)
        assert t.download(res, format, type_, target_memory, box, gl.GL_RGBA,
                          dims=3 if box[5] > 1 else 2)  # fmt: skip
        results.append(target_memory)
        pipe.split = ctypes.cast(split, ctypes.c_void_p).value
    t.n.pipe = 0
    assert results[0].any() and np.array_equal(*results)
    assert (asked[-1] if len(asked) == 2 else 1) == parts


def test_a_second_time_python_is_not_asked(t: Textures) -> None:
    res = resource("R16G16_UNORM", 5, 5)
    pixels = np.zeros((5, 5, 4), np.uint8)
    box = (0, 0, 0, 5, 5, 1)
    assert t.upload(res, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels, box, gl.GL_RG)
    t.asked.clear()
    for _ in range(3):
        assert t.upload(res, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels, box, gl.GL_RG)
        assert t.download(res, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels, box, gl.GL_RG)
    assert not t.asked


def laid_out(image: np.ndarray, store: dict[int, int], dims: int) -> tuple[np.ndarray, int]:
    """An image (depth, rows, columns, bytes) in memory as store parameters say; and its size."""
    depth, rows, columns, size = image.shape
    length = store.get(LENGTH) or columns
    align = store.get(ALIGN, 1)
    step = -(-length * size // align) * align
    tall = (store.get(HEIGHT) or rows) if dims == 3 else rows
    skip_images = store.get(SKIP_IMAGES, 0) if dims == 3 else 0
    skip_rows = store.get(SKIP_ROWS, 0) if dims > 1 else 0
    first = skip_images * tall * step + skip_rows * step + store.get(SKIP_PIXELS, 0) * size
    memory = np.full(first + (depth * tall + rows) * step + 64, 0x5A, np.uint8)
    for z in range(depth):
        for y in range(rows):
            at = first + z * tall * step + y * step
            memory[at : at + columns * size] = image[z, y].ravel()
    return memory, at + columns * size


STORES = [
    {}, {ALIGN: 8}, {LENGTH: 40, SKIP_PIXELS: 5}, {SKIP_ROWS: 3, ALIGN: 4},
    {HEIGHT: 9, SKIP_IMAGES: 2, SKIP_ROWS: 1, LENGTH: 35, ALIGN: 2, SKIP_PIXELS: 3},
]  # fmt: skip


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("target", [TARGET_2D, TARGET_3D, TARGET_1D_ARRAY])
@pytest.mark.parametrize("kind", [gl.GL_UNSIGNED_BYTE, gl.GL_UNSIGNED_SHORT])
def test_boxes_and_store_parameters(t: Textures, store: dict[int, int], target: int,
                                    kind: int) -> None:  # fmt: skip
    """A box within a level changes itself alone; reading touches no other memory."""
    dims = 3 if target == TARGET_3D else 2
    fmt = BY_NAME["R8G8B8A8_UNORM"]
    res = resource(fmt.name, 67, 21, 5 if dims == 3 else 1, target, 2)
    level = 1 if target == TARGET_2D else 0
    x, y, z, width, height, depth = (0, 0, 0, 31, 6, 1) if level else (7, 2, 0, 29, 8, 1)
    if dims == 3:
        z, depth = 1, 3
    before = texels_of(res, fmt, level)
    rng = np.random.default_rng(2)
    dtype = np.uint8 if kind == gl.GL_UNSIGNED_BYTE else np.uint16
    image = rng.integers(0, 256, (depth, height, width, 3)).astype(dtype)
    image = (image * (257 if dtype == np.uint16 else 1)).astype(dtype)
    memory, end = laid_out(np.ascontiguousarray(image).view(np.uint8), store, dims)
    for n, value in store.items():
        t.n.raw.unpack[n] = t.n.raw.pack[n] = value
    box = (x, y, z, width, height, depth)
    assert t.upload(res, gl.GL_RGB, kind, memory, box, gl.GL_RGBA, level=level, dims=dims)
    after = texels_of(res, fmt, level)
    want = np.full((depth, height, width, 4), 255, np.uint8)
    want[..., :3] = (image // (257 if dtype == np.uint16 else 1)).astype(np.uint8)
    if target == TARGET_1D_ARRAY:  # rows are layers
        part = np.s_[y : y + height, 0, x : x + width]
        want = want[0]
    else:
        part = np.s_[z : z + depth, y : y + height, x : x + width]
    before[part] = want
    before[:, :-1, -1], before[:, -1] = before[:, :-1, 0], before[:, 0]
    before[:, -1, -1] = before[:, 0, 0]
    assert (after == before).all()
    back = np.full(len(memory), 0x5A, np.uint8)
    assert t.download(res, gl.GL_RGB, kind, back, box, gl.GL_RGBA, level=level, dims=dims)
    assert (back == memory).all() and end <= len(memory)


@pytest.mark.parametrize("depth", [1, 3])
def test_stores_that_lead_beyond_all_memory(t: Textures, depth: int) -> None:
    """Strides and skips whose products would wrap around end beyond the buffer object."""
    res = resource("R8G8B8A8_UNORM", 8, 8, 5, TARGET_3D)
    storage, many = np.zeros(4096, np.uint8), 0x7FFFFFFF
    buffer: Any = BufferObject.ctype()()
    buffer.data, buffer.size = storage.ctypes.data + Storage.size, 2048
    Storage.view(storage.ctypes.data).size = 2048
    offset = np.zeros(0, np.uint8)
    asked = gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, offset, (0, 0, 0, 2, 2, depth), gl.GL_RGBA
    refused = []
    for length in (0, 0x40000000, many):
        for height in (0, 0x40000000, many):
            for skip in (0, 4, 0x40000000, many):
                for store in (t.n.raw.pack, t.n.raw.unpack):
                    store[LENGTH], store[HEIGHT], store[SKIP_IMAGES] = length, height, skip
                for name, field in (("upload", "unpack_buffer"), ("download", "pack_buffer")):
                    setattr(t.n.pixel, field, ctypes.addressof(buffer))
                    job = t.job(res, *asked, dims=3)
                    job.pixels = 0
                    done = t.call("tex_" + name, job)
                    setattr(t.n.pixel, field, 0)
                    refused.append((done, t.n.error))
                    t.n.error = 0
                fits = length == 0 and (height == 0 or depth == 1) and (skip == 0)
                fits = fits or length == height == 0 and skip == 4
                want = (1, 0) if fits else (0, gl.GL_INVALID_OPERATION)
                assert refused[-2:] == [want, want], (length, height, skip)


def test_swapped_bytes(t: Textures) -> None:
    res = resource("R16G16B16A16_UNORM", 9, 4)
    image = np.random.default_rng(1).integers(0, 65536, (4, 9, 4), np.uint16)
    t.n.raw.unpack[SWAP] = 1
    box = (0, 0, 0, 9, 4, 1)
    assert t.upload(res, gl.GL_RGBA, gl.GL_UNSIGNED_SHORT, image.byteswap(), box, gl.GL_RGBA)
    got = texels_of(res, BY_NAME["R16G16B16A16_UNORM"])[0, :4, :9]
    assert (np.ascontiguousarray(got).view(np.uint16) == image).all()
    back = np.zeros_like(image)
    t.n.raw.pack[SWAP] = 1
    assert t.download(res, gl.GL_RGBA, gl.GL_UNSIGNED_SHORT, back, box, gl.GL_RGBA)
    assert (back.byteswap() == image).all()


def test_transfer_operations(t: Textures) -> None:
    """Scale and bias reach beyond 1 in float textures; maps clamp."""
    res = resource("R32G32B32A32_FLOAT", 33, 2)
    image = np.random.default_rng(1).uniform(0, 1, (2, 33, 4)).astype(np.float32)
    raw, box = t.n.raw, (0, 0, 0, 33, 2, 1)
    raw.pixel_scale[:4], raw.pixel_bias[:4] = [2.0, 1.0, -1.0, 1.0], [0.5, 0.0, 0.0, 0.25]
    assert t.upload(res, gl.GL_RGBA, gl.GL_FLOAT, image, box, gl.GL_RGBA)
    got = np.ascontiguousarray(texels_of(res, BY_NAME["R32G32B32A32_FLOAT"])[0, :2, :33])
    want = image * np.array([2, 1, -1, 1], np.float32) + np.array([0.5, 0, 0, 0.25], np.float32)
    assert np.array_equal(got.view(np.float32), want.astype(np.float32))
    raw.pixel_scale[:], raw.pixel_bias[:] = [1.0] * 5, [0.0] * 5
    raw.map_color = 1
    for c, which in enumerate("RGBA"):
        n = getattr(gl, f"GL_PIXEL_MAP_{which}_TO_{which}") - gl.GL_PIXEL_MAP_I_TO_I
        raw.pixel_map_size[n] = 2
        t.n.pixel.maps[n * 256 : n * 256 + 2] = [1.0, c / 4]
    back = np.zeros_like(image)
    assert t.download(res, gl.GL_RGBA, gl.GL_FLOAT, back, box, gl.GL_RGBA)
    ends = np.array([[1, 0], [1, 0.25], [1, 0.5], [1, 0.75]], np.float32)
    chosen = np.rint(np.clip(want, 0, 1)).astype(int)
    assert np.array_equal(back, ends[np.arange(4), chosen])


ZS = [
    ("Z16_UNORM", gl.GL_UNSIGNED_SHORT, 0), ("Z24X8_UNORM", gl.GL_UNSIGNED_INT, 8),
    ("Z32_UNORM", gl.GL_UNSIGNED_INT, 0), ("Z32_FLOAT", gl.GL_FLOAT, 0),
    ("Z24_UNORM_S8_UINT", gl.GL_UNSIGNED_SHORT, 0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "lost"), ZS)
def test_depths(t: Textures, name: str, kind: int, lost: int) -> None:
    fmt, box = BY_NAME[name], (0, 0, 0, 300, 2, 1)
    res = resource(name, 300, 2)
    dtype: Any = {gl.GL_UNSIGNED_SHORT: np.uint16, gl.GL_UNSIGNED_INT: np.uint32}.get(kind)
    rng = np.random.default_rng(1)
    image = rng.uniform(0, 1, (2, 300)).astype(np.float32)
    if dtype:
        image = rng.integers(0, np.iinfo(dtype).max, (2, 300), dtype, endpoint=True)
    assert t.upload(res, gl.GL_DEPTH_COMPONENT, kind, image, box, gl.GL_DEPTH_COMPONENT)
    texels = texels_of(res, fmt)
    exact = image.ravel() / np.iinfo(dtype).max if dtype else image.ravel().astype(np.float64)
    got = np.ascontiguousarray(texels[0, :2, :300]).reshape(-1, fmt.bytes)
    assert (got == format_numpy.pack_zs(fmt, exact, np.zeros(600, np.uint32))).all()
    assert skirt_holds(texels)
    back = np.zeros_like(image)
    assert t.download(res, gl.GL_DEPTH_COMPONENT, kind, back, box, gl.GL_DEPTH_COMPONENT)
    difference = np.abs(back.astype(np.float64) - image.astype(np.float64)).max()
    assert difference <= (1 << lost) / 2 if lost else difference == 0


@pytest.mark.parametrize("swap", [0, 1])
def test_depth_and_stencil_in_one_word(t: Textures, swap: int) -> None:
    res, box = resource("Z24_UNORM_S8_UINT", 37, 3), (0, 0, 0, 37, 3, 1)
    words = np.random.default_rng(1).integers(0, 2**32, (3, 37), np.uint32)
    t.n.raw.unpack[SWAP] = t.n.raw.pack[SWAP] = swap
    given = words.byteswap() if swap else words
    both = (gl.GL_DEPTH_STENCIL, gl.GL_UNSIGNED_INT_24_8)
    assert t.upload(res, *both, given, box, gl.GL_DEPTH_STENCIL)
    got = np.ascontiguousarray(texels_of(res, BY_NAME["Z24_UNORM_S8_UINT"])[0, :3, :37])
    assert (got.view(np.uint32)[..., 0] == (words >> 8 | words << 24)).all()
    back = np.zeros_like(words)
    assert t.download(res, *both, back, box, gl.GL_DEPTH_STENCIL)
    assert (back == given).all()
    # stencil values alone leave depths as they are, and the other way round
    t.n.raw.unpack[SWAP] = 0
    t.n.raw.index_offset = 3
    stencil = np.arange(37 * 3, dtype=np.uint8).reshape(3, 37)
    kind = (gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE)
    assert t.upload(res, *kind, stencil, box, gl.GL_DEPTH_STENCIL)
    got = np.ascontiguousarray(texels_of(res, BY_NAME["Z24_UNORM_S8_UINT"])[0, :3, :37])
    assert (got.view(np.uint32)[..., 0] & 0xFFFFFF == words >> 8).all()
    assert (got[..., 3] == stencil + 3).all()


def test_indices_and_bitmaps(t: Textures) -> None:
    """Colour indices become colours by maps; bitmaps are indices of one bit."""
    res, box = resource("R8G8B8A8_UNORM", 21, 2), (0, 0, 0, 21, 2, 1)
    raw = t.n.raw
    for c, which in enumerate("RGBA"):
        n = getattr(gl, f"GL_PIXEL_MAP_I_TO_{which}") - gl.GL_PIXEL_MAP_I_TO_I
        raw.pixel_map_size[n] = 4
        t.n.pixel.maps[n * 256 : n * 256 + 4] = [0.2 * c, 0.4, 0.6, 1.0]
    table = np.rint(np.array([[0.2 * c, 0.4, 0.6, 1.0] for c in range(4)]) * 255).astype(int)
    indices = np.random.default_rng(1).integers(0, 256, (2, 21), np.uint8)
    assert t.upload(res, gl.GL_COLOR_INDEX, gl.GL_UNSIGNED_BYTE, indices, box, gl.GL_RGBA)
    got = texels_of(res, BY_NAME["R8G8B8A8_UNORM"])[0, :2, :21]
    assert (got == table.T[indices & 3]).all()
    bits = np.random.default_rng(1).integers(0, 256, (2, 4), np.uint8)
    raw.unpack[SKIP_PIXELS], raw.unpack[LENGTH] = 5, 32
    assert t.upload(res, gl.GL_COLOR_INDEX, gl.GL_BITMAP, bits, box, gl.GL_RGBA)
    ones = np.unpackbits(bits, axis=1)[:, 5:26]
    assert (texels_of(res, BY_NAME["R8G8B8A8_UNORM"])[0, :2, :21] == table.T[ones]).all()


# -- blocks, mipmaps -------------------------------------------------------------------------------


def _blocks_job(res: PipeResource, fmt: Format, kept: np.ndarray, pixels: np.ndarray,
                box: tuple[int, ...], level: int) -> Any:  # fmt: skip
    job: Any = BlockTransfer.ctype()()
    job.pixels, job.size, job.resource = pixels.ctypes.data, pixels.size, res.address
    job.blocks, job.format, job.level = kept.ctypes.data, fmt.number, level
    for name, value in zip(("x", "y", "z", "width", "height", "depth"), box, strict=True):
        setattr(job.box, name, value)
    return job


@pytest.mark.parametrize(
    "name", ["DXT1_RGB", "DXT5_RGBA", "RGTC2_SNORM", "FXT1_RGBA", "LATC1_UNORM", "ETC2_RGBA",
             "EAC1_SNORM"]
)
def test_blocks_come_and_go(t: Textures, name: str) -> None:
    """A box of blocks of the second level changes itself alone, and is what is read."""
    texels.load_blocks(t.n)
    fmt = BY_NAME[name]
    held = BY_NAME[fmt.decoded]
    res = resource(held.name, 90, 44, 2, TARGET_2D_ARRAY, 2)
    across, down = -(-45 // fmt.width), -(-22 // 4)
    rng = np.random.default_rng(4)
    whole = rng.integers(0, 256, (2, down, across, fmt.bytes), np.uint8)
    kept, back = np.zeros_like(whole), np.zeros_like(whole)
    full = (0, 0, 0, 45, 22, 2)
    assert t.call("tex_blocks_in", _blocks_job(res, fmt, kept, whole, full, 1))
    assert (kept == whole).all()

    def shown() -> np.ndarray:
        grid = codec_numpy.decode(fmt, kept.reshape(-1, fmt.bytes))
        grid = grid.reshape(2, down, across, 4, fmt.width, -1).transpose(0, 1, 3, 2, 4, 5)
        return grid.reshape(2, down * 4, across * fmt.width, -1)[:, :22, :45]

    assert (texels_of(res, held, 1)[:, :-1, :-1] == shown()).all()
    part = rng.integers(0, 256, (2, 2, fmt.bytes), np.uint8)
    box = (2 * fmt.width, 8, 1, 2 * fmt.width, 8, 1)
    assert t.call("tex_blocks_in", _blocks_job(res, fmt, kept, part, box, 1))
    whole[1, 2:4, 2:4] = part
    assert (kept == whole).all()
    after = texels_of(res, held, 1)
    assert (after[:, :-1, :-1] == shown()).all() and skirt_holds(after)
    assert t.call("tex_blocks_out", _blocks_job(res, fmt, kept, back, full, 1))
    assert (back == whole).all()
    if fmt.codec not in ENCODERS:
        return
    # what is encoded means the texels that are then there
    t.call("tex_encode", _blocks_job(res, fmt, kept, part, (0, 0, 0, 45, 22, 2), 1))
    after = texels_of(res, held, 1)
    assert (after[:, :-1, :-1] == shown()).all() and skirt_holds(after)


def test_levels_are_made_one_of_the_other(t: Textures) -> None:
    hook = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint32)
    asked = []
    held = hook(lambda _, number: (asked.append(number), texels.mipmaps(number))[0])
    t.n.pixel.hook_mipmaps = ctypes.cast(held, ctypes.c_void_p).value
    res = resource("R8G8B8A8_UNORM", 8, 8, levels=4)
    image = np.random.default_rng(1).integers(0, 256, (8, 8, 4), np.uint8)
    box = (0, 0, 0, 8, 8, 1)
    assert t.upload(res, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, image, box, gl.GL_RGBA)
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, *[ctypes.c_uint32] * 2)
    for _ in range(2):
        run(t.n.pixel.tex_mipmaps)(t.address, res.address, 1, 3)
    assert len(asked) <= 1
    want = image.astype(int)
    for level in range(1, 4):
        size = 8 >> level
        want = (want.reshape(size, 2, size, 2, 4).sum(axis=(1, 3)) + 2) >> 2
        assert (texels_of(res, BY_NAME["R8G8B8A8_UNORM"], level)[0, :-1, :-1] == want).all()


@pytest.mark.parametrize(("width", "offset"), [(16, 0), (16, 1), (45, 0), (272, 0), (45, 3)])
def test_floats_that_kernels_take_where_they_lie(t: Textures, width: int, offset: int) -> None:
    """RGBA floats need no copy on the way, if they come in whole steps and lie as floats do;
    nothing behind them is touched, in no case."""
    res, box = resource("R16G16B16A16_FLOAT", width, 2), (0, 0, 0, width, 2, 1)
    numbers = np.random.default_rng(7).integers(0, 256, (2, width, 4)).astype(np.float32)
    source = np.zeros(offset + numbers.nbytes, np.uint8)
    source[offset:] = numbers.view(np.uint8).reshape(-1)
    assert t.upload(res, gl.GL_RGBA, gl.GL_FLOAT, source[offset:], box, gl.GL_RGBA)
    texels = texels_of(res, BY_NAME["R16G16B16A16_FLOAT"])[0, :2, :width]
    assert np.array_equal(np.ascontiguousarray(texels).view(np.float16), numbers)
    for base in ("RGBA", "LA"):
        back = np.full(len(source) + 64, 0xA5, np.uint8)
        assert t.download(res, gl.GL_RGBA, gl.GL_FLOAT, back[offset:], box, BASES[base])
        found = back[offset : len(source)].copy().view(np.float32).reshape(-1, 4)
        assert np.array_equal(found, as_read(numbers.reshape(-1, 4), base))
        assert (back[len(source) :] == 0xA5).all()
