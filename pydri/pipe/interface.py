# SPDX-License-Identifier: MIT
"""PipeScreen and PipeContext: what a driver implements (Mesa's p_screen.h and p_context.h).

Plain abstract classes. A driver module exports `create_screen(winsys) -> PipeScreen`. Only
`create_pipeline`, `draw_vbo`, `clear`, `flush`, `finish` and `resolve` are on the path of a draw;
each may also have a native form (see native.py)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydri.pipe.caps import Caps, ShaderCaps
from pydri.pipe.format import FORMATS, linear
from pydri.pipe.native import TILE, PipeNative
from pydri.pipe.resource import FLAG_STAMPS, Resource
from pydri.pipe.state import PipelineState


class PipeScreen(ABC):
    """A driver on one winsys: shared by all contexts."""

    def __init__(self, winsys: Any) -> None:
        self.winsys = winsys

    @abstractmethod
    def get_name(self) -> str:
        """For GL_RENDERER, e.g. `llvmpipe (LLVM 22.1, 512 bits)`."""

    def get_caps(self) -> Caps:
        """What the driver can do, the same at each call."""
        return Caps()

    def get_shader_caps(self, stage: int) -> ShaderCaps:
        """What it can do in a stage (SHADER_*), the same at each call."""
        return ShaderCaps()

    @property
    def formats_name(self) -> str:
        """A name for what `is_format_supported` answers, where that is the same for all screens of
        the name, in each process that has these sources: it need be found out once. "": nobody
        knows."""
        return ""

    @abstractmethod
    def is_format_supported(self, format: int, target: int, samples: int, bind: int) -> bool:
        """Whether a resource of `target` (TARGET_*) with `format` (PipeFormat number) and
        `samples` (1 and more) works for all of `bind` (BIND_*).
        """

    def get_sample_position(self, samples: int, index: int) -> tuple[float, float]:
        """Where in a pixel of so many samples one of them lies, from the upper left corner of
        surface space: 0 to 1."""
        return 0.5, 0.5

    @abstractmethod
    def context_create(self) -> PipeContext:
        """A context of this driver."""

    @abstractmethod
    def surface_create(
        self, surface: Any, format: int, width: int, height: int, samples: int = 1
    ) -> None:
        """Give a native Surface (a Surface.ctype() view) memory for width x height pixels, padded
        as native.py says, with a number of samples that is_format_supported accepts.

        Raises MemoryError for sizes that cannot be had. Called for depth/stencil and for colour
        buffers that are not presented.
        """

    @abstractmethod
    def surface_attach(
        self, surface: Any, data: int, stride: int, format: int, width: int, height: int
    ) -> None:
        """Make a native Surface of memory that the winsys owns (a displaytarget)."""

    @abstractmethod
    def surface_destroy(self, surface: Any) -> None:
        """Free what surface_create or surface_attach took."""

    def surface_view(
        self, surface: Any, resource: int, level: int = 0, layer: int = 0, layers: int = 1
    ) -> None:
        """Make a native Surface the image of a native Resource that is drawn to (BIND_RENDER,
        BIND_DEPTH), of a slice, layer or face, or so many from that on. Neither goes before what
        draws to it is finished; the resource's memory may (rename).
        """
        native: Any = Resource.view(resource)
        place = native.level[level]
        surface.resource = resource
        surface.offset = place.offset + layer * place.image_stride
        surface.layers, surface.layer_stride = layers, place.image_stride
        surface.data = native.data + surface.offset
        fmt = FORMATS[native.format]
        surface.stride, surface.format = place.row_stride, linear(fmt).number
        surface.srgb = fmt.number if fmt.srgb else 0
        surface.width, surface.height = place.width, place.height
        surface.rows = (place.height + TILE - 1) // TILE * TILE
        surface.tiles_x = (place.width + TILE - 1) // TILE
        surface.layout = int(bool(native.flags & FLAG_STAMPS))
        surface.samples, surface.tile_state = native.samples, 0
        surface.stencil_known = surface.resolved = 0
        surface.serial += 1

    def surface_spread(self, surface: Any) -> None:
        """Give all samples of the surface's `multi` the surface's own pixels; nothing that draws to
        either is pending. Drivers that support one sample alone need not have it.
        """
        raise NotImplementedError

    def destroy(self) -> None:  # noqa: B027  (a driver without threads has nothing to do)
        """Release threads and memory."""


class PipeContext(ABC):
    """A stream of rendering commands. `native` is the address of its PipeNative struct."""

    native: int = 0
    screen: PipeScreen | None = None  # who made it; its name goes into GL_RENDERER
    draws: bool = True  # no: it accepts draws, and leaves nothing of them anywhere

    def native_view(self) -> Any:
        """ctypes view of the PipeNative struct."""
        return PipeNative.view(self.native)

    @abstractmethod
    def create_pipeline(self, state: PipelineState) -> int:
        """Compile (or find) everything that draws with this state; returns the driver's handle
        (an address, never 0).
        """

    def known_pipeline(self, name: bytes, state: Callable[[], PipelineState]) -> int:
        """The pipeline that `keep_pipeline` was told of under this name, in this process or an
        earlier one; 0: none is known. `state` gives its state, should the driver want that.
        """
        return 0

    def keep_pipeline(self, name: bytes, pipeline: int) -> None:  # noqa: B027  (it may forget)
        """`name` says all that this pipeline was made of: a driver with a cache finds it so."""

    @abstractmethod
    def draw_vbo(self, pipeline: int, dyn: int, info: int) -> None:
        """Draw; arguments are addresses of PipeDynamic and DrawInfo."""

    def draw_rect(self, pipeline: int, dyn: int, rect: int) -> None:  # noqa: B027
        """Draw a rectangle (addresses of PipeDynamic and RectInfo). A driver that has no native
        form draws none; `upload` is native alone.
        """

    @abstractmethod
    def clear(
        self,
        dyn: int,
        buffers: int,
        color: int,
        depth: float,
        stencil: int,
        colormask: int,
        stencil_mask: int,
    ) -> None:
        """Clear buffers (CLEAR_* bits) within the dynamic state's scissor; `color` is the address
        of four floats.
        """

    @abstractmethod
    def flush(self) -> None:
        """Hand everything recorded to the rasteriser."""

    @abstractmethod
    def finish(self) -> None:
        """Wait until everything drawn is in memory."""

    @abstractmethod
    def resolve(self, surface: int) -> None:
        """Make a surface's memory true (finish, and write pending fast clears)."""

    def blit(self, info: int) -> None:
        """Pixels of one surface to another; the address of a BlitInfo."""
        raise NotImplementedError

    def copy_region(self, info: int) -> None:
        """Texels of one resource to another; the address of a CopyInfo."""
        raise NotImplementedError

    def transfer_map(self, resource: int, flags: int) -> int:
        """The address of a native Resource's data (which a MAP_DISCARD may have changed), when the
        CPU may do to it what `flags` (MAP_*) say. Drivers that finish each call need not have it.
        """
        self.finish()
        return int(Resource.view(resource).data)

    def sampler_table(self) -> int:
        """The address of the driver's SamplerTable, which `pipe_texture_view` is given; 0 where
        the driver does not sample through functions.
        """
        return 0

    def texture_function(self, views: int) -> Callable[[Any, Mapping[str, Any]], Any] | None:
        """Of a driver that does not sample through functions: what nir's interpreter calls for
        the texture instructions of a vertex shader that someone else runs (feedback).
        """
        return None

    def delete_pipelines(self, handles: Iterable[int]) -> None:  # noqa: B027  (they may be free)
        """Finish, and free pipelines: none of these handles is used any more."""

    @abstractmethod
    def destroy(self) -> None:
        """Finish and release."""
