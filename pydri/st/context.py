# SPDX-License-Identifier: MIT
"""StContext: a GL context joined to a driver's context, and what the kernels ask of Python.

Stage: between DRI, which owns drawables and calls `create_context`, and the driver. In: a
PipeContext and a configuration. Out: an object with the native context's `address`, `make_current`,
`lose_current`, `flush` and `destroy`. The hooks in the native context lead here: a plan that is
missing, a framebuffer that changed, drivers without native calls, a front buffer to show. None of
them is on the path of a steady frame. Counterpart of st_context.c, st_manager.c (framebuffer
validation) and st_atom_framebuffer.c.

Draw buffers follow GL 2.1, 4.2.1; two of them are two colour targets.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from pydri import st, vbo
from pydri.api import dispatch
from pydri.api import enums as gl
from pydri.api.apis import COMPAT
from pydri.main import core
from pydri.main.context import GLContext, visual_of
from pydri.main.entry_index import know_entries
from pydri.main.layout import DIRTY_ALL, DIRTY_FB
from pydri.main.layout import GLContext as Native
from pydri.main.memory import free
from pydri.pipe.interface import PipeContext
from pydri.pipe.native import MAX_TARGETS, SHADER_GEOMETRY, Surface
from pydri.st.draw.plan import PlanCache
from pydri.st.drawables import BOTH_BUFFERS, DRAWABLES, FRONT_BUFFERS
from pydri.util import log
from pydri.util.once import once
from pydri.util.options import options

_ADDRESS = ctypes.c_uint64
_PLAN_MISS = ctypes.CFUNCTYPE(_ADDRESS, _ADDRESS)
_FB = ctypes.CFUNCTYPE(ctypes.c_uint32, _ADDRESS)
_DRAW = ctypes.CFUNCTYPE(None, _ADDRESS, _ADDRESS)
_SHADE = ctypes.CFUNCTYPE(None, _ADDRESS, _ADDRESS, _ADDRESS)
_LOAD = _SHOW = ctypes.CFUNCTYPE(None, _ADDRESS)
_CLEAR = ctypes.CFUNCTYPE(None, _ADDRESS, ctypes.c_uint32)
_TEXELS = ctypes.CFUNCTYPE(None, _ADDRESS, *[ctypes.c_uint32] * 3)


def know_all_entries() -> None:
    """Have the Python entries of all rooms found: when the first gl* slot is resolved, and when the
    driver is built, which ships what was found."""
    know_entries("pydri.main.entries", *vbo.ENTRIES, *st.ENTRIES)


@once
def register_rooms() -> None:
    """Tell the core which modules hold kernels; once, before the first context."""
    for module in (*vbo.PARTS, *st.PARTS):
        core.register(module)
    dispatch.before_first_gl(know_all_entries)


def create_context(
    pipe: PipeContext, config: Any, share: StContext | None, attribs: Any
) -> StContext:
    """Make the GL context of a DRI context (pydri/dri/context.py)."""
    return StContext(pipe, config, share, attribs)


def _report_incomplete(_context: int, texture: int) -> None:
    """Under MESA_DEBUG=incomplete_tex: a texture that a unit samples is not complete."""
    from pydri.main.textures.layout import TextureObject
    from pydri.main.textures.tables import REASON_TEXTS

    seen = TextureObject.view(texture)
    text = list(REASON_TEXTS.values())[seen.reason]
    log.note(f"texture {seen.name} is incomplete: {text}")


class StContext:
    """A GL context on a driver. `gl` is pydri.main's GLContext, `n` the native struct's view."""

    def __init__(
        self, pipe: PipeContext, config: Any, share: StContext | None = None, attribs: Any = None
    ) -> None:
        from pydri.main.version import context_version

        register_rooms()
        self.pipe = pipe
        self._draw_bound: Any = None  # DriDrawables, as of the last make_current in Python
        self._read_bound: Any = None
        self.numbered = 0  # primitives of a draw in selection or feedback that comes in parts
        self.gl: GLContext = GLContext(
            visual_of(config),
            share.gl if share is not None else None,
            renderer=f"pydri {pipe.screen.get_name()}" if pipe.screen is not None else "pydri",
            screen=pipe.screen,
            version=context_version(
                getattr(attribs, "api", COMPAT), pipe.screen,
                bool(getattr(attribs, "forward_compatible", False)),
            ),
            debug=bool(getattr(attribs, "debug", False)) or "context" in options.MESA_DEBUG,
            no_error=bool(getattr(attribs, "no_error", False)),
            flush_on_release=bool(getattr(attribs, "flush_on_release", True)),
            robust_access=bool(getattr(attribs, "robust_access", False)),
            lose_context_on_reset=bool(getattr(attribs, "lose_context_on_reset", False)),
        )
        self.gl.st = self  # type: ignore[attr-defined]
        self.address: int = self.gl.address
        self.n: Any = self.gl.n
        self.n.framebuffers.follow = self.gl.image.address("st_targets")
        self._dyn = self.address + Native.offset("dyn")
        self.n.shade_vertex = self.gl.image.address("st_shade_vertex")
        self.n.pipe = pipe.native
        if "flush" in options.MESA_DEBUG:
            self.n.draw = self.gl.image.address("st_draw_flushed")
        self.plans = PlanCache(self.address, pipe, self.gl.image.address("st_insert_plan"))
        vbo.attach(self.gl)
        self._attach_textures()
        screen = pipe.screen
        captures = screen is not None and screen.get_caps().max_stream_output_buffers > 0
        self.n.feedback.captures = int(captures and pipe.draws)
        self._set_hooks()
        self._bind_framebuffers()

    def _attach_textures(self) -> None:
        table = self.pipe.sampler_table()
        if table:
            self.gl.kernel("st_attach_textures")(self.address, table)
        if "incomplete_tex" in options.MESA_DEBUG:
            hook = self.gl.callback("hook_incomplete", _DRAW, _report_incomplete)
            self.n.textures.hook_incomplete = hook

    def _set_hooks(self) -> None:
        n = self.n
        hooks: tuple[tuple[str, Any, Callable[..., Any]], ...] = (
            ("hook_plan_miss", _PLAN_MISS, lambda _: self.plans.miss()),
            ("hook_fb", _FB, lambda _: self.update_framebuffer()),
            ("hook_draw", _DRAW, self._draw),
            ("hook_clear", _CLEAR, self._clear),
            ("hook_flush", _CLEAR, self._flush),
            ("hook_shade", _SHADE, self._shade),
        )
        for name, prototype, function in hooks:
            setattr(n, name, self.gl.callback(name, prototype, function))
        pixel_hooks: tuple[tuple[str, Any, Callable[..., Any]], ...] = (
            ("hook_load", _LOAD, lambda _: self._pixels("load", n)),
            ("hook_token", _CLEAR, lambda _, token: self._pixels("token", self.gl, token)),
            ("hook_resolve", _DRAW, lambda _, surface: self.pipe.resolve(surface)),
            ("hook_accum", _LOAD, lambda _: self.draw.create_accum()),
            ("hook_textures", _LOAD, lambda _: self._textures("load", n)),
            ("hook_blocks", _LOAD, lambda _: self._textures("load_blocks", n)),
            ("hook_mipmaps", _CLEAR, lambda _, number: self._textures("mipmaps", number)),
            ("hook_texels", _TEXELS, lambda _, *numbers: self._textures("ready", *numbers)),
        )
        for name, prototype, function in pixel_hooks:
            setattr(n.pixel, name, self.gl.callback(name, prototype, function))
        n.framebuffers.hook_blit = self.gl.callback(
            "hook_blit", _DRAW, lambda _, info: self.pipe.blit(info)
        )
        n.framebuffers.hook_copy = self.gl.callback(
            "hook_copy", _DRAW, lambda _, info: self.pipe.copy_region(info)
        )

    @staticmethod
    def _pixels(name: str, *args: Any) -> None:
        from pydri.st.pixels import load as pixels

        getattr(pixels, name)(*args)

    @staticmethod
    def _textures(name: str, *args: Any) -> None:
        from pydri.st.textures import load as texels

        getattr(texels, name)(*args)

    # -- what DRI calls ----------------------------------------------------------------------------

    def make_current(self, draw: Any, read: Any) -> None:
        """Bind drawables (DriDrawables or None) as the default framebuffers."""
        self.gl.flush_vertices()
        self._set_drawables(draw, read)
        if draw is not None:
            self.gl.first_bind(draw.width, draw.height)
        self._bind_framebuffers()

    def lose_current(self) -> None:
        """Let the drawables go; until the next make_current there is nothing to draw to."""
        self.gl.flush_vertices()
        self._set_drawables(None, None)
        self._bind_framebuffers()

    def _set_drawables(self, draw: Any, read: Any) -> None:
        self._draw_bound, self._read_bound = draw, read
        self.n.draw_drawable = draw.address if draw is not None else 0
        self.n.read_drawable = read.address if read is not None else 0

    @property
    def draw(self) -> Any:
        """The DriDrawable that is drawn to, or None; a kernel may have bound it (dri/switch.py)."""
        return _drawable_at(self.n.draw_drawable, self._draw_bound)

    @property
    def read(self) -> Any:
        """The DriDrawable that is read from, or None."""
        return _drawable_at(self.n.read_drawable, self._read_bound)

    def flush(self) -> None:
        """Hand everything recorded to the rasteriser, and show a front buffer that was drawn to."""
        self.gl.flush_vertices()
        self._flush(self.address, 0)

    def copy_state(self, source: StContext, mask: int) -> None:
        """glXCopyContext: take over the attribute groups of a glPushAttrib mask."""
        from pydri.main.attrib.tables import SAVED

        for row in SAVED:
            if row.bit & mask:
                ctypes.memmove(self.address + row.offset, source.address + row.offset, row.size)
        if mask & gl.GL_TEXTURE_BIT and self.gl.shared is source.gl.shared:
            self._copy_bindings(source)
        self.n.dirty = DIRTY_ALL
        self.n.key_dirty = 1

    def _copy_bindings(self, source: StContext) -> None:
        """Bind the textures that are bound there, but those whose names are gone."""
        from pydri.main.names.objects import object_by_name
        from pydri.main.names.tables import TEXTURES
        from pydri.main.textures.layout import MAX_TEXTURE_TARGETS, TextureObject
        from pydri.main.textures.tables import BIND_TARGETS

        unit = self.n.raw.active_texture
        for place, there in enumerate(source.n.textures.bound):
            if there == self.n.textures.bound[place]:
                continue
            name = TextureObject.view(there).name
            target = BIND_TARGETS[place % MAX_TEXTURE_TARGETS]
            with object_by_name(self.gl, TEXTURES, name) as named:
                alive = name == 0 or (named is not None and ctypes.addressof(named) == there)
            if alive:
                self.n.raw.active_texture = place // MAX_TEXTURE_TARGETS
                self.gl.call("glBindTexture", target, name)
        self.n.raw.active_texture = unit

    def bind_tex_image(self, index: int, picture: Any) -> None:
        """A Picture (main/textures/image_loader.py) becomes the image of the texture that is bound
        to a target (TARGET_INDEX_*) of the active unit."""
        from pydri.main.textures.image_loader import import_image

        error = import_image(self.gl, index, picture)
        if error:
            self.gl.record_error(error, "binding an image of a drawable")

    def destroy(self) -> None:
        """Free the context; it must not be current."""
        self._set_drawables(None, None)
        for memory in ("rows", "work"):
            free(getattr(self.n.feedback, memory))
            setattr(self.n.feedback, memory, 0)
        self.plans.destroy()
        self.gl.destroy()

    # -- framebuffers ------------------------------------------------------------------------------

    def update_framebuffer(self) -> int:
        """hook_fb: new buffers, another size or another draw buffer. 0: nothing to draw to.

        Pending vertices are not flushed: it may be their flush that led here."""
        if self.draw is not None:
            width, height = size = tuple(self.n.raw.viewport[2:])
            if size != (self.draw.width, self.draw.height) and size != tuple(self.n.viewport_asked):
                self.draw.check_geometry()
            self.n.viewport_asked[:] = width, height
        for drawable in {self.draw, self.read}:
            if drawable is not None:
                drawable.validate()
        complete = self._bind_framebuffers()
        return int(complete and (self.draw is not None or bool(self.n.framebuffers.draw)))

    def _bind_framebuffers(self) -> bool:
        n = self.n
        block = n.framebuffers
        buffers = [n.raw.draw_buffer, *n.raw.more_draw_buffers]
        _bind(block.window_draw, self.draw, buffers, True)
        _bind(block.window_read, self.read, [n.raw.read_buffer], False)
        if self.draw is not None:
            front = Surface.view(self.draw.surface_address("front"))
            block.window_visual.srgb = int(front.srgb != 0)
            block.window_visual.encoded = front.encoded
        n.dirty &= ~DIRTY_FB
        complete = self.gl.kernel("st_targets")(self.address)
        if self.draw is not None and block.window_draw.front:
            self.draw.prepare_front()  # may change the stamp again, so after it was noted
        return bool(complete & 0xFFFFFFFF)

    # -- other hooks -------------------------------------------------------------------------------

    def _draw(self, _: int, info: int) -> None:
        key = self.n.key
        if key.render_mode and (not self.n.feedback.captures or key.stages[SHADER_GEOMETRY]):
            from pydri.st.feedback.vertices import draw

            draw(self.gl, info)
            return
        plan = self.n.plan
        if plan:
            self.pipe.draw_vbo(_pipeline_of(plan), self._dyn, info)

    def _shade(self, _: int, place: int, vertex: int) -> None:
        from pydri.st.draw.raster_position import shade_vertex

        shade_vertex(self.gl, place, vertex)

    def _clear(self, _: int, buffers: int) -> None:
        raw = self.n.raw
        color = self.address + Native.offset("raw.clear_color")
        self.pipe.clear(
            self._dyn, buffers, color, raw.clear_depth, raw.clear_stencil & 0xFF,
            self.n.key.color_mask, raw.stencil_writemask[0] & 0xFF,
        )  # fmt: skip

    def _flush(self, _: int, finish: int) -> None:
        if finish:
            self.pipe.finish()
        else:
            self.pipe.flush()
        show = self.n.framebuffers.show
        if show:
            _SHOW(show)(self.address)
        elif self.draw is not None and self.n.framebuffers.window_draw.front:
            self.draw.flush_front()
            self.draw.prepare_front()


def _drawable_at(address: int, likely: Any) -> Any:
    if not address or (likely is not None and likely.address == address):
        return likely if address else None
    return DRAWABLES.get(address)


def _pipeline_of(plan: int) -> int:
    from pydri.main.layout import PlanEntry

    return int(PlanEntry.view(plan).pipeline)


def _bind(fb: Any, drawable: Any, buffers: list[int], drawn: bool) -> None:
    """Point a native framebuffer at a drawable's buffers; none is a framebuffer of size 0.

    `drawn`: it is drawn to; else colour is read, of which several samples have become one."""
    buffer, *more = buffers
    fb.flip_y = 1
    fb.others[:] = [0] * (MAX_TARGETS - 1)
    if drawable is None:
        fb.cbuf = fb.zsbuf = fb.front = fb.accum = fb.stamp_source = 0
        fb.width = fb.height = fb.stamp = 0
        return
    native = drawable.native
    front = buffer != gl.GL_NONE and (not native.double_buffer or buffer in FRONT_BUFFERS)
    both = drawn and native.double_buffer and buffer in BOTH_BUFFERS
    place = drawable.draw_surface if drawn else drawable.surface_address
    fb.cbuf = 0 if buffer == gl.GL_NONE else place("front" if front and not both else "back")
    if both:
        fb.others[0] = place("front")
    for n, other in enumerate(more):
        if other != gl.GL_NONE:
            shown = not native.double_buffer or other in FRONT_BUFFERS
            front = front or shown
            fb.others[n] = place("front" if shown else "back")
    fb.zsbuf = drawable.surface_address("zs") if native.has_zs else 0
    fb.accum = drawable.surface_address("accum") if native.has_accum else 0
    fb.front = place("front") if front else 0
    fb.width, fb.height = native.width, native.height
    fb.stamp = native.stamp
    fb.stamp_source = drawable.address + type(native).stamp.offset


__all__ = ["StContext", "create_context", "register_rooms"]
