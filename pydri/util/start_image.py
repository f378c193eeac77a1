# SPDX-License-Identifier: MIT
"""Imports from the start image: one file that holds the code of the driver's modules.

In: the image (libgl_shim/start_image.py writes it beside the libraries; the boot, core_boot.c, maps
it, sees that it is whole and of this Python, and runs this module's code out of it). Out: `serve`
puts a finder before all others, that gives modules without looking for them.

The modules that a start needs come in groups, each of which is unmarshalled at once when the first
module of it is asked for: what their code has in common, above all names, is there once. A module
counts only if its source looks as it did when the image was made; else,
as without an image, it comes from its file: sources are live. In a host's interpreter only our own
modules come from here, and only where the host would take them from the same folder.
"""

import marshal
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import ExtensionFileLoader, SourceFileLoader
from posix import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

    #: path, size, time of change, kind, code
    Ready = tuple[str, int, int, int, CodeType | None]

MODULE, PACKAGE, EXTENSION = range(3)
_FOREIGN = 4  # added to a kind: the module is Python's own, or a dependency's


class Loader(SourceFileLoader):
    """Runs code that is there; everything else is as of a module from its source."""

    def __init__(self, name: str, path: str, code: "CodeType") -> None:
        super().__init__(name, path)
        self.code = code

    def get_code(self, fullname: str) -> "CodeType":
        """The module's code."""
        return self.code

    def exec_module(self, module: "ModuleType") -> None:
        """Run it. The file's name is set here: a spec that has a location would be asked where the
        code is cached."""
        module.__file__ = self.path
        exec(self.code, module.__dict__)


class Finder:
    """Finds what is in the image. `groups`: for each module where its group begins and ends."""

    def __init__(
        self, view: memoryview, groups: "dict[str, tuple[int, int]]", joined: bool
    ) -> None:
        self._view = view
        self._groups = groups
        self._joined = joined
        self._ready: dict[str, Ready] = {}

    def find_spec(self, name: str, path: "Sequence[str] | None" = None,
                  target: "ModuleType | None" = None) -> ModuleSpec | None:  # fmt: skip
        """How a module is made that the image has, if it is what its file says."""
        found = self._ready.pop(name, None) or self._fetch(name)
        if found is None:
            return None
        file, size, changed, kind, code = found
        if self._joined and not self._is_the_hosts(file, kind, path):
            return None
        try:
            status = stat(file)
        except OSError:
            return None
        if status.st_size != size or status.st_mtime_ns != changed:
            return None
        if code is None:
            return ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)
        spec = ModuleSpec(name, Loader(name, file, code), origin=file)
        if kind & 3 == PACKAGE:
            spec.submodule_search_locations = [file[: file.rindex("/")]]
        return spec

    def _fetch(self, name: str) -> "Ready | None":
        """Look for a module that is not at hand."""
        group = self._groups.get(name)
        if group is None:
            return None
        self._groups = {each: at for each, at in self._groups.items() if at != group}
        self._ready |= marshal.loads(self._view[group[0] : group[1]])
        return self._ready.pop(name, None)

    def _is_the_hosts(self, file: str, kind: int, path: "Sequence[str] | None") -> bool:
        """Whether the host would find this very file."""
        if kind & _FOREIGN or path is None:
            return False
        folder = file[: file.rindex("/")]
        return folder in path or (kind == PACKAGE and folder[: folder.rindex("/")] in path)


def serve(view: memoryview, head: "tuple[dict[str, tuple[int, int]], list[str]]",
          joined: bool) -> bool:  # fmt: skip
    """From now on modules come from the image, if it was made of the folders that they would come
    from; whether it was."""
    groups, path = head
    if not joined and path != sys.path:
        return False
    sys.meta_path.insert(0, Finder(view, groups, joined))  # type: ignore[arg-type]
    return True
