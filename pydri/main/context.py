# SPDX-License-Identifier: MIT
"""The GL context: Python's object around the native struct of layout.py.

In: what the framebuffer configuration has, a context to share with, flags. Out: an initialised
native context whose address is what stubs pass, registered in `pydri.api.dispatch.CONTEXTS`. Rooms
above put their function pointers and hooks into `n` and their own data into attributes. The state
itself lives in `n`; nothing is mirrored here. Mesa: main/context.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydri.api import dispatch
from pydri.api.apis import ADJACENT_MODES, COMPAT, MODES, VERSIONS, reached
from pydri.api.enums import GL_LINES_ADJACENCY
from pydri.api.gl_table import TABLE
from pydri.api.where import registered
from pydri.jit.image import function_address
from pydri.main import core, defaults, memory
from pydri.main.arrays.layout import VertexArray
from pydri.main.get.contexts import context_flags, profile, release_behavior, reset_strategy
from pydri.main.layout import GLContext as Native
from pydri.main.names.share import ShareGroup
from pydri.pipe.caps import EVERYTHING
from pydri.pipe.interface import PipeScreen
from pydri.util import log, stats
from pydri.util.options import options

if TYPE_CHECKING:
    from pydri.api.where import In
    from pydri.main.debug.entries import DebugState
    from pydri.main.programs.ati_entries import Definition
    from pydri.main.shaders.cache import Facts
    from pydri.main.version import GLVersion

T = TypeVar("T")
_VOID_CTX = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_ERROR_HOOK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
_UNUSED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)

NO_VISUAL: Mapping[str, int] = {}


def _function_at(address: int) -> Callable[..., int]:
    """A kernel as a function of 64-bit integers, however many it takes."""
    made: dict[int, Any] = {}

    def call(*args: int) -> int:
        function = made.get(len(args))
        if function is None:
            kinds = [ctypes.c_uint64] * len(args)
            function = made[len(args)] = ctypes.CFUNCTYPE(ctypes.c_uint64, *kinds)(address)
        found: int = function(*args)
        return found

    return call


def visual_of(config: Any) -> dict[str, Any]:
    """The visual block's fields from an FBConfig of pydri.glx (None: no framebuffer)."""
    if config is None:
        return {}
    layout = config.layout
    return {
        "red": layout.red,
        "green": layout.green,
        "blue": layout.blue,
        "alpha": config.alpha,
        "depth": config.depth,
        "stencil": config.stencil,
        "double_buffer": int(config.double_buffer),
        "samples": config.samples,
        "accum": (config.accum,) * 4,
    }


class GLContext:
    """One context. `address` is the native struct's, `n` its ctypes view, `shared` the share
    group.
    """

    def __init__(
        self,
        visual: Mapping[str, int] = NO_VISUAL,
        share: GLContext | None = None,
        *,
        renderer: str = "pydri",
        version: GLVersion | None = None,
        screen: PipeScreen | None = None,
        debug: bool = False,
        no_error: bool = False,
        flush_on_release: bool = True,
        robust_access: bool = False,
        lose_context_on_reset: bool = False,
    ) -> None:
        from pydri.main.version import context_version

        version = version or context_version(COMPAT, screen)
        self.address: int = memory.allocate(Native.size)
        n = self.n = self._born()
        for name, value in visual.items():
            setattr(n.visual, name, value)
            setattr(n.framebuffers.window_visual, name, value)
        self.renderer: str = renderer
        self.flush_on_release = flush_on_release  # acted on where contexts are bound: pydri/dri
        self.screen = screen  # None: of a driver that can do everything (tests)
        self.version: GLVersion = version
        self.api = version.api
        self.strings: dict[Any, Any] = {}  # results of glGetString, which must stay where they are
        # made by their rooms when they are first used
        self.extensions: list[str] | None = None
        self.glsl_facts: Facts | None = None  # what shaders may use
        self.ati_definition: Definition | None = None  # between glBegin- and glEndFragmentShaderATI
        self.messages: DebugState | None = None
        self._kernels: dict[str, Any] = {}
        self.keep: list[Any] = []  # callbacks whose address stands in the native struct
        self._viewport_known = self._destroyed = False
        n.api, n.forward, n.steps = version.api, int(version.forward), _steps(version)
        defaults.begin(n, screen.get_caps() if screen is not None else EVERYTHING)
        n.modes = _modes(version.api, n.steps)
        n.no_error = int(no_error or options.MESA_NO_ERROR)
        n.stats = stats.BASE
        self.shared: ShareGroup = share.shared if share is not None else ShareGroup()
        self.shared.contexts.add(self)
        n.shared = self.shared.address
        self._attach_core()
        self._set_hooks()
        self.call("switches_begin")
        self.call("share_join")
        with self.shared.lock:
            rooms = ("textures_join", "programs_join")
            if not all(self.kernel(name)(self.address) for name in rooms):
                raise MemoryError("no memory for the objects 0")
        n.raw.debug_output = int(debug)
        self.debug_context = debug
        self.robust_access = robust_access
        self.lose_context_on_reset = lose_context_on_reset
        self._tell_of_making()
        if debug or options.is_set("MESA_DEBUG") or log.verbose():
            n.debug |= 1
        dispatch.CONTEXTS[self.address] = self

    def _tell_of_making(self) -> None:
        """What glGet says of how the context was made."""
        n, version = self.n, self.version
        n.major, n.minor = version.major, version.minor
        n.context_flags, n.profile = context_flags(self), profile(self)
        n.reset_strategy, n.release_behavior = reset_strategy(self), release_behavior(self)

    def _born(self) -> Any:
        """The native struct's view, with the state that all contexts begin with."""
        self.image = core.core_image()
        self.call("context_born")
        return Native.view(self.address)

    def _attach_core(self) -> None:
        n = self.n
        tables = self.tables = core.build_tables(self.api)
        n.exec_table, n.begin_end_table = tables.exec, tables.begin_end
        n.save_table = tables.save
        n.python_table = tables.python
        n.dispatch = n.exec_table
        symbols = self.image.symbols
        n.flush_vertices = symbols.get("vbo_flush", 0)
        n.draw = symbols.get("st_draw", 0)
        n.framebuffers.detach = symbols.get("fbo_detach", 0)
        self._flush: Callable[[int], None] | None = (
            _VOID_CTX(n.flush_vertices) if n.flush_vertices else None
        )

    # -- for all rooms ----------------------------------------------------------------------------

    def callback(self, name: str, prototype: Any, function: Callable[..., Any]) -> int:
        """Native address of a Python function for the hook `name`; it lives as long as the context.
        Exceptions are reported and give 0.
        """
        made = prototype(dispatch.hook(name, function))
        self.keep.append(made)
        return function_address(made)

    def flush_vertices(self) -> None:
        """Draw what immediate mode has collected."""
        if self.n.vbo.count and self._flush is not None:
            self._flush(self.address)

    def record_error(self, enum: int, message: str) -> None:
        """Set the GL error, unless one is set; `message` names the call, as in
        `glEnable(cap=0x1)`.
        """
        n = self.n
        if not n.error and not n.no_error:
            n.error = enum
        self._report(enum, f"{_error_name(enum)} in {message}")

    def _report(self, enum: int, text: str) -> None:
        if self.n.debug & 1:
            log.gl_error(text)
        if self.n.raw.debug_output:
            from pydri.main.debug.entries import error_message

            error_message(self, enum, text)

    def refuses(self, slot: int) -> None:
        """A call that the API has not was told of. From now on a kernel refuses it, which has no
        name for it: so where nobody asks for names or the calls.
        """
        n = self.n
        named = n.debug & 1 or n.raw.debug_output or "api" in options.PYDRI_DEBUG
        if self.api != COMPAT and not named:
            table = (ctypes.c_uint64 * len(TABLE)).from_address(n.exec_table)
            table[slot] = self.image.symbols["gl_begin_end_error"]

    def _native_error(self, _address: int, enum: int, slot: int) -> None:
        name = TABLE.row(slot).name if slot < len(TABLE) else "a call that is not allowed there"
        self._report(enum, f"{_error_name(enum)} in {name}")

    def know_extensions(self, _address: int = 0) -> None:
        """Which ones it has, and which of them it tells."""
        from pydri.main.extensions import NUMBERS
        from pydri.main.version import enabled, told

        n = self.n
        names = enabled(self.screen, self.version)
        self.extensions = told(names)
        n.extension_count = len(self.extensions)
        for name in names:
            number = NUMBERS[name.removeprefix("GL_")]
            n.extensions[number >> 6] |= 1 << (number & 63)
        n.extensions_known = 1

    def has(self, where: In) -> bool:
        """Whether a row with this column is in the context (kernels: pydri/main/rows.py)."""
        n = self.n
        if n.steps & where.steps:
            return True
        if not n.extensions_known:
            self.know_extensions()
        from pydri.main.extensions import NUMBERS

        for name, bits in where.brought_by.items():
            number = NUMBERS.get(name)
            if number is not None and bits & self.api:
                if n.extensions[number >> 6] >> (number & 63) & 1:
                    return True
        return False

    def row(self, rows: Mapping[Any, T], enum: int, key: Any = None) -> T | None:
        """The row of an enum (in `rows` by `key`, if that is another), if the context has it; None:
        there is no such row."""
        from pydri.api.where import where_of

        found = rows.get(enum if key is None else key)
        if found is None or not self.has(where_of(enum, getattr(found, "where", None))):
            return None
        return found

    def _load_images(self, _address: int) -> None:
        from pydri.main.textures import image_loader

        image_loader.load(self)

    def _load_targets(self, _address: int) -> None:
        from pydri.main.framebuffers import loader

        loader.load(self)

    def _set_hooks(self) -> None:
        n = self.n
        n.images.hook_load = self.callback("hook_load", _VOID_CTX, self._load_images)
        n.framebuffers.hook_load = self.callback("hook_load", _VOID_CTX, self._load_targets)
        n.hook_extensions = self.callback("hook_extensions", _VOID_CTX, self.know_extensions)
        n.hook_error = self.callback("hook_error", _ERROR_HOOK, self._native_error)
        n.arb.hook_variant = self.callback("hook_variant", _UNUSED, self._ati_variant)
        n.program.hook_unused = self.callback("hook_unused", _UNUSED, self._program_unused)

    def _ati_variant(self, _address: int, signature: int) -> None:
        from pydri.main.programs import ati_entries

        ati_entries.make_variant(self, signature)

    def _program_unused(self, _address: int, name: int) -> None:
        from pydri.main.shaders import objects

        with self.shared.lock:
            objects.unused(self, name)

    def first_bind(self, width: int, height: int) -> None:
        """The first drawable a context is bound to gives viewport and scissor their size (GL 2.1,
        2.11.1).
        """
        if self._viewport_known:
            return
        self._viewport_known = True
        from pydri.main.layout import DIRTY_VIEWPORT

        raw = self.n.raw
        raw.viewport[:] = (0.0, 0.0, float(width), float(height))
        raw.scissor[:] = (0, 0, width, height)
        self.n.dirty |= DIRTY_VIEWPORT

    def call(self, name: str, *args: Any) -> None:
        """Call a kernel of the core whose parameters after the context are 32-bit integers."""
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *([ctypes.c_uint32] * len(args)))
        prototype(self.image.address(name))(self.address, *args)

    def kernel(self, name: str) -> Any:
        """A kernel of the core as a function of 64-bit integers (addresses, sizes, numbers)."""
        found = self._kernels.get(name)
        if found is None:
            found = self._kernels[name] = _function_at(self.image.address(name))
        return found

    @property
    def default_vao(self) -> int:
        """Address of the vertex array object 0."""
        return self.address + Native.offset("arrays.default")

    @property
    def vao(self) -> Any:
        """The bound vertex array object's native struct."""
        return VertexArray.view(self.n.arrays.vao)

    def destroy(self) -> None:
        """Free everything. The context must not be current anywhere."""
        if self._destroyed:
            return
        self._destroyed = True
        dispatch.CONTEXTS.pop(self.address, None)
        # what it refers to, room by room in any order, and then its names
        for kernel in core.leaving(self.image):
            self.call(kernel)
        self.call("names_leave")
        self.call("framebuffers_end")
        self.call("share_leave")
        with self.shared.lock:
            self.shared.contexts.discard(self)
            last = not self.shared.contexts
        if last:
            from pydri.main.shaders import held

            for program in self.shared.programs.values():
                program.destroy(self)
            self.call("names_end")
            held.bury(self)
            self.shared.destroy()
        n = self.n
        for address in (n.attrib.save, n.attrib.client_save, n.textures.saved, self.address):
            memory.free(address)
        # Callbacks and the rooms above refer back to this object, and the collector knows nothing
        # of the native memory that they hold: so it is let go here, not at the collector's turn.
        vars(self).clear()
        self._destroyed = True


def _modes(api: int, steps: int) -> int:
    """The primitive modes of a context, as bits."""
    adjacent = ADJACENT_MODES if steps & registered(GL_LINES_ADJACENCY).steps else 0
    return MODES[api] | adjacent


def _steps(version: GLVersion) -> int:
    """The versions that a context has reached. A forward-compatible one of 3.0 is what the core
    profile began with."""
    number = max(10 * version.major + version.minor, VERSIONS[version.api][0])
    return reached(version.api, number)


_ERRORS = {
    0x0500: "GL_INVALID_ENUM",
    0x0501: "GL_INVALID_VALUE",
    0x0502: "GL_INVALID_OPERATION",
    0x0503: "GL_STACK_OVERFLOW",
    0x0504: "GL_STACK_UNDERFLOW",
    0x0505: "GL_OUT_OF_MEMORY",
    0x0506: "GL_INVALID_FRAMEBUFFER_OPERATION",
}


def _error_name(enum: int) -> str:
    return _ERRORS.get(enum, f"0x{enum:04X}")
