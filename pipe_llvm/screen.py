# SPDX-License-Identifier: MIT
"""The screen: what the driver can do, surfaces, and the rasteriser threads that all contexts
share (lp_screen.c).

Threads start with the first context: LP_NUM_THREADS of them, by default one less than the CPUs
this process may use (affinity and cgroup quota), since the thread that waits for a frame helps to
draw it.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from pipe_llvm import debug
from pipe_llvm.memory import Block
from pipe_llvm.native import MAX_VARYINGS, SAMPLE_POSITIONS, LpPool, LpThreadData
from pydri.pipe.caps import EVERYTHING, Caps, ShaderCaps
from pydri.pipe.format import BY_NAME, DEPTH, DISPLAY, FORMATS, TARGET, VERTEX, Format
from pydri.pipe.interface import PipeContext, PipeScreen
from pydri.pipe.native import MAX_TARGETS
from pydri.pipe.resource import (
    BIND_CONSTANT,
    BIND_DEPTH,
    BIND_DISPLAY,
    BIND_INDEX,
    BIND_RENDER,
    BIND_SAMPLED,
    BIND_VERTEX,
    MAX_SIZE,
    MULTISAMPLE,
    TARGET_2D,
    TARGET_2D_ARRAY,
)
from pydri.pipe.sampler import is_sampleable
from pydri.util import cpus
from pydri.util.options import options

#: Window space is 16384 pixels wide (GUARD_BAND); lines: draw/lines.py, draw/smooth.py.
CAPS = EVERYTHING._replace(
    max_texture_2d_size=MAX_SIZE, max_viewport_size=MAX_SIZE, max_render_targets=MAX_TARGETS
)
SHADER_CAPS = ShaderCaps(
    max_inputs=MAX_VARYINGS, max_outputs=MAX_VARYINGS,
    max_const_bytes=1 << 16, control_flow=True, integers=True,
)  # fmt: skip
MAX_BYTES = 1 << 30  # of a surface: a square of the greatest size, with 32 bits a pixel
MAX_THREADS = 32
#: What a format may be used for, by its row, and what that is of resources.
USES = (
    (TARGET, BIND_RENDER), (DISPLAY, BIND_DISPLAY), (DEPTH, BIND_DEPTH),
    (VERTEX, BIND_VERTEX | BIND_INDEX | BIND_CONSTANT),
)  # fmt: skip


@cache
def uses_of(fmt: Format) -> int:
    """What resources of a format may be used for (BIND_*). Blocks are decoded when they are given,
    and sampled as what they are decoded to.
    """
    texels = BY_NAME[fmt.decoded] if fmt.codec else fmt
    sampled = BIND_SAMPLED if is_sampleable(texels.number) else 0
    return sampled | sum(bind for use, bind in USES if fmt.uses & use)


def default_threads() -> int:
    """Rasteriser threads beside the caller."""
    return cpus.available() - 1


def num_threads() -> int:
    """Threads to start: LP_NUM_THREADS, else the default."""
    if options.is_set("LP_NUM_THREADS"):
        return max(0, min(MAX_THREADS, options.LP_NUM_THREADS))
    return default_threads()


#: Pools whose screen is gone, by the number of their threads, which sleep until a new screen takes
#: the pool over: a program that opens and closes displays neither starts threads nor leaves any.
_IDLE: dict[int, list[Block]] = {}
_POOLS_LOCK = threading.Lock()
_POOLS: list[Block] = []  # and their threads' memory, which these look at until the process ends


def _take_pool(threads: int) -> Block:
    """A pool with so many threads: an idle one, or a new one."""
    idle = _IDLE.setdefault(threads, [])
    try:
        return idle.pop()
    except IndexError:
        pass
    pool = Block(LpPool.size)
    _POOLS.append(pool)
    LpPool.view(pool.address).threads = threads
    if threads:
        memory = Block(threads * LpThreadData.size)
        _POOLS.append(memory)
        LpPool.view(pool.address).memory = memory.address
    import _thread
    import ctypes

    from pipe_llvm.core import core_image

    worker = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(core_image().address("lp_worker"))
    for _ in range(threads):
        _thread.start_new_thread(worker, (pool.address,))
    return pool


class LlvmScreen(PipeScreen):
    """pipe_llvm on one winsys."""

    def __init__(self, winsys: Any) -> None:
        super().__init__(winsys)
        self.threads = num_threads()
        debug.screen_made(self.get_name(), self.threads)
        self._pool: Block | None = None
        self._surfaces: dict[int, list[Block]] = {}

    def get_name(self) -> str:
        from pydri.jit.compiler import native_vector_width

        return f"llvmpipe (LLVM {_llvm_version()}, {native_vector_width()} bits)"

    @property
    def formats_name(self) -> str:
        # a driver that is made of this one may have other formats
        return "pipe_llvm" if type(self) is LlvmScreen else ""

    def get_caps(self) -> Caps:
        return CAPS

    def get_sample_position(self, samples: int, index: int) -> tuple[float, float]:
        if samples not in SAMPLE_POSITIONS:
            return 0.5, 0.5
        x, y = SAMPLE_POSITIONS[samples][index]
        return x / 256, y / 256

    def get_shader_caps(self, stage: int) -> ShaderCaps:
        return SHADER_CAPS

    def is_format_supported(self, format: int, target: int, samples: int, bind: int) -> bool:
        if not 0 < format < len(FORMATS) or (samples > 1 and samples not in SAMPLE_POSITIONS):
            return False
        if samples > 1 and target not in (TARGET_2D, TARGET_2D_ARRAY, *MULTISAMPLE):
            return False
        if samples <= 1 and target in MULTISAMPLE:
            return False
        return not bind & ~uses_of(FORMATS[format])

    def context_create(self) -> PipeContext:
        from pipe_llvm.context import LlvmContext

        return LlvmContext(self)

    def pool(self) -> int:
        """Address of the thread pool; its threads are started on the first call."""
        with _POOLS_LOCK:  # contexts of one screen may be made in several threads at once
            if self._pool is None:
                self._pool = _take_pool(self.threads)
            return self._pool.address

    # -- surfaces --------------------------------------------------------------------------------

    def surface_create(
        self, surface: Any, format: int, width: int, height: int, samples: int = 1
    ) -> None:
        fmt = FORMATS[format]
        if not (0 < width <= MAX_SIZE and 0 < height <= MAX_SIZE):
            raise MemoryError(
                f"a surface of {width}x{height} pixels; at most {MAX_SIZE}x{MAX_SIZE}"
            )
        stride = (width + 63) // 64 * 64 * fmt.bytes * samples
        rows = (height + 63) // 64 * 64
        if stride * rows > MAX_BYTES:
            raise MemoryError(f"a surface of {width}x{height} pixels takes {stride * rows} bytes")
        block = Block(stride * rows + 64)
        self._fill(surface, block.address, stride, format, width, height, [block])
        surface.layout = 1 if fmt.kind == "zs" or samples > 1 else 0
        surface.samples = samples
        surface.stencil_known = 0x100  # fresh memory is zero

    def surface_attach(
        self, surface: Any, data: int, stride: int, format: int, width: int, height: int
    ) -> None:
        self._fill(surface, data, stride, format, width, height, [])
        surface.layout = 0
        surface.samples = 1

    def surface_view(
        self, surface: Any, resource: int, level: int = 0, layer: int = 0, layers: int = 1
    ) -> None:
        import ctypes

        super().surface_view(surface, resource, level, layer, layers)
        address = ctypes.addressof(surface)
        for block in self._surfaces.pop(address, []):
            block.free()
        state = Block(4 * surface.tiles_x * (surface.rows // 64) * layers)
        surface.tile_state, surface.drawn, surface.changes = state.address, 0, 0
        self._surfaces[address] = [state]

    def surface_spread(self, surface: Any) -> None:
        import ctypes

        from pipe_llvm.core import core_image

        spread = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(core_image().address("lp_spread"))
        spread(ctypes.addressof(surface))

    def _fill(
        self,
        surface: Any,
        data: int,
        stride: int,
        format: int,
        width: int,
        height: int,
        blocks: list[Block],
    ) -> None:
        import ctypes

        self.surface_destroy(surface)
        tiles_x, tiles_y = (width + 63) // 64, (height + 63) // 64
        state = Block(4 * tiles_x * tiles_y)
        surface.data, surface.stride, surface.width, surface.height = data, stride, width, height
        surface.rows, surface.format, surface.tiles_x = tiles_y * 64, format, tiles_x
        surface.tile_state = state.address
        surface.clear_value[:] = (0, 0, 0, 0)
        surface.serial += 1
        surface.resolved = 0
        self._surfaces[ctypes.addressof(surface)] = [*blocks, state]

    def surface_destroy(self, surface: Any) -> None:
        import ctypes

        for block in self._surfaces.pop(ctypes.addressof(surface), []):
            block.free()
        surface.data = surface.tile_state = 0

    def destroy(self) -> None:
        """Let the threads go. Surfaces belong to who made them: a context that is current when its
        display is closed draws on.
        """
        with _POOLS_LOCK:
            if self._pool is None:
                return
            _IDLE[self.threads].append(self._pool)
            self._pool = None


def _llvm_version() -> str:
    """LLVM's version, which the build wrote down: llvmlite takes 40 ms to import."""
    from pydri.util.place import llvm_version

    return llvm_version()
