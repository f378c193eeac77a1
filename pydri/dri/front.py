# SPDX-License-Identifier: MIT
"""The kernels of a window system's entry points: how they are compiled, find their globals and get
into the shim's table. What all fronts share of it.

In: the front of pydri.api.dispatch, the struct of its globals, then its kernels and which entries'
Python forms they go on in. Out: an image, loaded once (`image`) and installed once (`install`).
"""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydri.api import dispatch
from pydri.dri import closing
from pydri.dri.closing import dri_display_closed
from pydri.dri.swap import register as register_swap
from pydri.jit import Module, extern_c, void
from pydri.jit.image import register_extern


class FrontKernels:
    """One front's. `globals_type` is a Struct with what kernels cannot get as arguments, since C
    fixes their signatures: `thread`, a function that gives the calling thread's block, and
    function pointers to Python forms.
    """

    def __init__(self, front: dispatch.Front, globals_type: Any) -> None:
        self._front = front
        self._type = globals_type
        self._name = f"pydri_{front.kind}_globals"
        self._extern = extern_c(self._name, void)
        self._block = ctypes.create_string_buffer(globals_type.size + 64)
        self.globals: Any = globals_type.view(ctypes.addressof(self._block))
        self._kernels: Sequence[Any] = ()
        self._python: Mapping[str, str] = {}
        self._prepare: Callable[[], None] = lambda: None
        self._image: Any = None
        self._installed = False
        self.module: Any = None

    def kernel_globals(self, b: Any) -> Any:
        """The block of globals, as a kernel addresses it."""
        return b.int_to_ptr(b.ptr_to_int(b.address_of(self._extern)), self._type)

    def define(
        self, kernels: Sequence[Any], python: Mapping[str, str], prepare: Callable[[], None],
        others: Sequence[Any] = (),
    ) -> None:  # fmt: skip
        """`kernels` bear the names of entry points; `python`: field of the globals -> the entry
        whose Python form it gets; `prepare` fills in what else kernels read, before they are
        loaded; `others`: kernels that are called by their addresses in the image.
        """
        self._kernels, self._python, self._prepare = kernels, python, prepare
        self.module = Module(f"pydri.{self._front.kind}", [*kernels, *others, dri_display_closed])

    def image(self) -> Any:
        """The compiled kernels."""
        if self._image is None:
            self._prepare()
            register_extern(self._name, ctypes.addressof(self.globals))
            register_swap()
            self._image = self.module.compile()
        return self._image

    def install(self) -> None:
        """Put the kernels into the shim's table; once."""
        if self._installed or dispatch.shim is None:
            return
        for field, name in self._python.items():
            setattr(self.globals, field, dispatch.python_form(self._front, name))
        self.globals.thread = int(dispatch.ffi.cast("uintptr_t", dispatch.shim.thread))
        image = self.image()
        self._installed = True
        for native in self._kernels:
            dispatch.set_native(self._front, native.name, image.address(native.name))

    def publish_configs(self, table: int) -> None:
        """Where kernels find attributes of configs from now on (native_configs.py): a field of the
        globals."""
        self.globals.configs = table

    def watch_display(self, display: Any) -> Any:
        """Return memory (uint64_t *) that is not 0 until Xlib closes the Display."""
        return closing.watch_display(display, self.image().address("dri_display_closed"))
