# SPDX-License-Identifier: MIT
"""Imports from the start image: one file that holds the code of the driver's modules.

In: the image (libgl_shim/start_image.py writes it beside the libraries; the boot, core_image.c,
maps it, sees that it is whole and of this Python, and runs this module's code out of it). Out:
`serve` puts a finder before all others, that gives modules without looking for them.

What starts need comes in groups, each of which is unmarshalled at once when the first
module of it is asked for: what their code has in common, above all names, is there once. What a
module imports is run before it, in the order in which the build saw it done, so that Python's own
machinery, which is in Python and looks for each module anew, is asked for a few. All our other
modules are there, too, each by itself. A module counts only if its source looks as it did when the
image was made; else, as without an image, it comes from its file: sources are live. In a host's
interpreter only our own modules come from here, and only where the host would take them from the
same folder. What these import is not the host's business: they have Python's own `__import__`,
whatever the host has put in its place. (PySide6's reads the source of each module that somebody
imports, to see whether it speaks of PySide6: a quarter of a millisecond for each of ours.)
"""

import marshal
import sys
from _frozen_importlib import (  # type: ignore[attr-defined]
    ModuleSpec,
    _module_locks,
    _ModuleLock,
)
from _frozen_importlib_external import ExtensionFileLoader, SourceFileLoader
from posix import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, ModuleType

    #: path, size, time of change, kind, code
    Ready = tuple[str, int, int, int, CodeType | None]
    #: where a group begins and ends, and its sum
    Place = tuple[int, int, int]
    #: the place of each module's group; what those import that a start asks for by themselves;
    #: sys.path; how the files looked whose numbers are in the code of all others; the build's own
    Head = tuple[
        dict[str, Place], dict[str, tuple[str, ...]], list[str], Sequence[tuple[str, int, int]],
        object,
    ]  # fmt: skip

MODULE, PACKAGE, EXTENSION = range(3)
_FOREIGN = 4  # added to a kind: the module is Python's own, or a dependency's
_new_module = type(sys)


def unchanged(path: str, size: int, changed: int) -> bool:
    """Whether a file looks as it did. (The boot has a function of C's that takes a quarter of the
    time.)"""
    try:
        status = stat(path)
    except OSError:
        return False
    return status.st_size == size and status.st_mtime_ns == changed


def whole(begin: int, end: int, total: int) -> bool:
    """Whether a group is as it was written, which only the boot's function knows."""
    return True


class Loader(SourceFileLoader):
    """Runs code that is there; everything else is as of a module from its source."""

    def __init__(
        self, name: str, path: str, code: "CodeType", names: "dict[str, object] | None" = None
    ) -> None:
        self.name = name
        self.path = path
        self.code = code
        self.names = names

    def get_code(self, fullname: str) -> "CodeType":
        """The module's code."""
        return self.code

    def exec_module(self, module: "ModuleType") -> None:
        """Run it. The file's name is set here: a spec that has a location would be asked where the
        code is cached."""
        module.__file__ = self.path
        if self.names is not None:
            module.__dict__["__builtins__"] = self.names
        exec(self.code, module.__dict__)


class Finder:
    """Finds what is in the image."""

    def __init__(
        self, view: memoryview, head: "Head", joined: bool,
        is_unchanged: "Callable[[str, int, int], bool]" = unchanged,
        is_whole: "Callable[[int, int, int], bool]" = whole,
        names: "dict[str, object] | None" = None,
    ) -> None:  # fmt: skip
        self._view = view
        self._names = names
        self._places, self._ahead = head[:2]
        self._joined = joined
        self._unchanged = is_unchanged
        self._whole = is_whole
        self._ready: dict[str, Ready] = {}

    def find_spec(self, name: str, path: "Sequence[str] | None" = None,
                  target: "ModuleType | None" = None) -> ModuleSpec | None:  # fmt: skip
        """How a module is made that the image has, if it is what its file says. What it imports is
        there when it is run."""
        found = self._take(name)
        if found is None:
            return None
        ahead = self._ahead.get(name)
        if ahead:
            self._import_ahead(name, ahead)
        return self._spec(name, found, path)

    def _spec(self, name: str, found: "Ready", path: "Sequence[str] | None") -> ModuleSpec | None:
        file, size, changed, kind, code = found
        if self._joined and not self._is_the_hosts(file, kind, path):
            return None
        if not self._unchanged(file, size, changed):
            return None
        if code is None:
            return ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)
        spec = ModuleSpec(name, Loader(name, file, code, self._names), origin=file)
        if kind & 3 == PACKAGE:
            spec.submodule_search_locations = [file[: file.rindex("/")]]
        return spec

    def _take(self, name: str) -> "Ready | None":
        """A module that nobody has asked for before, else None."""
        found = self._ready.pop(name, None)
        if found is None:
            place = self._places.get(name)
            if place is None or not self._whole(*place):
                return None
            group: dict[str, Ready] = marshal.loads(self._view[place[0] : place[1]])
            for each in group:
                del self._places[each]
            found = group.pop(name)
            self._ready |= group
        return found

    def _import_ahead(self, name: str, ahead: "tuple[str, ...]") -> None:
        """Import what a module will import. Threads that ask for one of these meanwhile wait for
        it, as they would for Python's."""
        known = sys.modules.keys() | _module_locks.keys()
        names = [each for each in ahead if each not in known]
        lock = _ModuleLock(name)
        lock.acquire()
        _module_locks.update(dict.fromkeys(names, lambda: lock))
        try:
            all(map(self._import_one, names))
        finally:
            for each in names:
                _module_locks.pop(each, None)
            lock.release()

    def _import_one(self, name: str) -> bool:
        """Import a module whose own imports are there, unless it must come from its file, or is of
        C; False: it failed, which who imports it shall see."""
        if name in sys.modules:  # one that came from its file has imported it
            return True
        parent, _, word = name.rpartition(".")
        package = sys.modules.get(parent)
        found = self._take(name) if package or not parent else None
        if found is None:
            return True
        if found[4] is None:
            self._ready[name] = found
            return True
        spec = self._spec(name, found, package.__path__ if package else None)
        if spec is None:
            return True
        module = sys.modules[name] = _new_module(name)
        names = module.__dict__
        names["__spec__"], names["__loader__"] = spec, spec.loader
        names["__file__"], names["__package__"] = found[0], parent
        if self._names is not None:
            names["__builtins__"] = self._names
        if spec.submodule_search_locations is not None:
            names["__path__"], names["__package__"] = spec.submodule_search_locations, name
        spec._initializing = True  # type: ignore[attr-defined]
        try:
            exec(found[4], names)
        except BaseException:
            del sys.modules[name]
            return False
        finally:
            spec._initializing = False  # type: ignore[attr-defined]
        if package is not None:
            setattr(package, word, module)
        return True

    def _is_the_hosts(self, file: str, kind: int, path: "Sequence[str] | None") -> bool:
        """Whether the host would find this very file."""
        if kind & _FOREIGN or path is None:
            return False
        folder = file[: file.rindex("/")]
        return folder in path or (kind == PACKAGE and folder[: folder.rindex("/")] in path)


def serve(
    view: memoryview, head: "Head", joined: bool,
    is_unchanged: "Callable[[str, int, int], bool]" = unchanged,
    is_whole: "Callable[[int, int, int], bool]" = whole,
    import_name: "Callable[..., ModuleType] | None" = None,
) -> bool:  # fmt: skip
    """From now on modules come from the image, if it was made of the folders that they would come
    from; whether it was. In a host's interpreter they import by `import_name`."""
    if not joined and head[2] != sys.path:
        return False
    if not all(is_unchanged(*file) for file in head[3]):
        return False
    names = None
    if joined and import_name is not None:
        names = {**__import__("builtins").__dict__, "__import__": import_name}
    finder = Finder(view, head, joined, is_unchanged, is_whole, names)
    sys.meta_path.insert(0, finder)  # type: ignore[arg-type]
    return True
