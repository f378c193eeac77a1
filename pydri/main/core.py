# SPDX-License-Identifier: MIT
"""The native core: ONE image with every native GL entry point, and the dispatch tables made of its
symbols.

In: names of modules that define kernels (main's own, and what rooms above add with `register`, so
main imports none of them). Out: an image whose symbol table *is* the list of native entry points,
and three tables of n_gl addresses (exec, begin_end, save) for each API. A warm start finds the
image in the object cache and imports no module with kernels at all.

Symbols: `glFoo` is the native form; `be_glFoo` replaces it between glBegin and glEnd, `save_glFoo`
while a list is compiled. What has no native form is a lazy stub, which leads to Python. Mesa:
main/dispatch tables made by api_exec_init.c, vbo_init_tables, dlist.c.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import apis, dispatch
from pydri.api.gl_table import TABLE
from pydri.main import forms
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.jit.image import Image
    from pydri.jit.kernel import Module

PARTS: list[str] = [
    "pydri.main.kernels",
    "pydri.main.default_kernels",
    "pydri.main.names.object_kernels",
    "pydri.main.matrix.kernels",
    "pydri.main.light.kernels",
    "pydri.main.textures.kernels",
    "pydri.main.textures.object_kernels",
    "pydri.main.textures.parameter_kernels",
    "pydri.main.textures.sampler_kernels",
    "pydri.main.textures.image_kernels",
    "pydri.main.buffers.storage_kernels",
    "pydri.main.buffers.kernels",
    "pydri.main.buffers.point_kernels",
    "pydri.main.buffers.texel_kernels",
    "pydri.main.arrays.enable_kernels",
    "pydri.main.arrays.kernels",
    "pydri.main.queries.kernels",
    "pydri.main.queries.sync_kernels",
    "pydri.main.pixels.kernels",
    "pydri.main.framebuffers.object_kernels",
    "pydri.main.framebuffers.storage_kernels",
    "pydri.main.framebuffers.attach_kernels",
    "pydri.main.framebuffers.complete_kernels",
    "pydri.main.framebuffers.kernels",
    "pydri.main.framebuffers.invalidate_kernels",
    "pydri.main.framebuffers.copy_kernels",
    "pydri.main.framebuffers.share_kernels",
    "pydri.main.feedback.kernels",
    "pydri.main.names.counted_kernels",
    "pydri.main.shaders.kernels",
    "pydri.main.shaders.answer_kernels",
    "pydri.main.shaders.block_kernels",
    "pydri.main.shaders.uniform_kernels",
    "pydri.main.transform.object_kernels",
    "pydri.main.transform.kernels",
    "pydri.main.programs.kernels",
    "pydri.main.programs.parameter_kernels",
    "pydri.main.programs.ati_kernels",
    "pydri.main.state.enable_kernels",
    "pydri.main.state.kernels",
    "pydri.main.state.stipple_kernels",
    "pydri.main.state.raster_kernels",
    "pydri.main.attrib.kernels",
    "pydri.main.get.kernels",
    "pydri.main.get.object_kernels",
    "pydri.main.get.string_kernels",
    "pydri.main.get.texture_kernels",
    "pydri.main.direct.kernels",
    "pydri.main.direct.named_kernels",
    "pydri.main.es1.kernels",
]


def register(module: str) -> None:
    """Add a module of kernels (by name) to the core; before the first context is made."""
    if module not in PARTS:
        PARTS.append(module)


def _kernels() -> list[Any]:
    """Import the parts and collect what they marked: called only when the image has to be made."""
    import sys

    out: dict[str, Any] = {}
    for name in PARTS:
        __import__(name)
        for extra in getattr(sys.modules[name], "EXPORTS", ()):
            out[extra.name] = extra
    # rooms that were imported but not registered (tests) stay out
    for name, kernel in dispatch.KERNELS.items():
        made_in = getattr(getattr(kernel, "trace", None), "__module__", "")
        if made_in in PARTS:
            out[name] = kernel
    return list(out.values())


def core_module() -> Module:
    """The Module of all native GL entry points."""
    from pydri.jit.kernel import Module

    return Module("gl_core", _kernels, key="\n".join(PARTS).encode())


def core_image() -> Image:
    """The compiled core, once a process (and set of parts)."""
    return _image_of(tuple(PARTS))


@once
def _image_of(parts: tuple[str, ...]) -> Image:
    return core_module().compile()


@once
def leaving(image: Image) -> list[str]:
    """The kernels `leave_*` of all rooms: each lets go what a context that goes refers to there."""
    return sorted(name for name in image.symbols if name.startswith("leave_"))


class Tables(NamedTuple):
    """Addresses of the dispatch tables; `keep` holds their memory."""

    exec: int
    begin_end: int
    save: int
    python: int
    keep: tuple[Any, ...]


def lazy_table() -> Any:
    """A fresh table in which every slot leads to Python (null where there is no shim)."""
    table = (ctypes.c_uint64 * len(TABLE))()
    if dispatch.shim is not None:
        dispatch.fill_table(ctypes.addressof(table))
    return table


def build_tables(api: int) -> Tables:
    """The dispatch tables of an API's contexts; all of a process share them."""
    return _tables_of(tuple(PARTS), api)


def know_forms() -> None:
    """Have the forms of all APIs in the cache (the build does so)."""
    for api in apis.NAMES:
        forms.of_image(core_image(), tuple(PARTS), api)


@once
def _tables_of(parts: tuple[str, ...], api: int) -> Tables:
    image = core_image()
    base = image.base
    found = forms.of_image(image, parts, api)
    exec_ = lazy_table()
    stub = image.symbols["gl_begin_end_error"]
    for slot, _ in found.be:
        exec_[slot] = stub  # glEnd: only between glBegin and glEnd, unless there is another form
    for slot, offset in found.exec:
        exec_[slot] = base + offset
    begin_end = save = exec_
    if api == apis.COMPAT:  # the others have no glBegin and no glNewList
        begin_end = type(exec_).from_buffer_copy(struct.pack("<Q", stub) * len(TABLE))
        save = type(exec_).from_buffer_copy(exec_)
        for slot, offset in found.save:
            save[slot] = base + offset
        for slot in found.allowed:
            begin_end[slot] = exec_[slot]
        for slot, offset in found.be:
            begin_end[slot] = base + offset
    if dispatch.shim is not None:
        python = int(dispatch.ffi.cast("unsigned long", dispatch.shim.lazy_dispatch))
    else:
        python = ctypes.addressof(PYTHON_FORMS)
    keep = (exec_, begin_end, save)
    where = [ctypes.addressof(t) for t in keep]
    tables = Tables(where[0], where[1], where[2], python, keep)
    if dispatch.shim is not None:
        for address in {*where}:
            dispatch.table_ready(address)
    return tables


#: stands in for the shim's table of Python forms where there is no shim
PYTHON_FORMS = (ctypes.c_uint64 * len(TABLE))()
