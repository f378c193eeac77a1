# SPDX-License-Identifier: MIT
"""The start image: what comes from it, and what happens where it is not what it should be."""

import marshal
import os
import pathlib
import shutil
import struct
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from libgl_shim import folder, products, start_image
from pydri.util.start_image import MODULE, PACKAGE, Finder, Loader, serve
from tests.unit.shim.conftest import run

ASK = """
#include <stdio.h>
int eglInitialize(void *, int *, int *); void *eglGetDisplay(void *);
const char *eglQueryString(void *, int);
int main(void)
{
    void *display = eglGetDisplay(0);
    int done = eglInitialize(display, 0, 0);
    printf("%d %s\\n", done, done ? eglQueryString(display, 0x3053) : "");
    return 7;
}"""


def said(program: str, libdir: pathlib.Path) -> str:
    """Where modules came from, as the driver says; the program got its answer all the same."""
    env = {"LD_LIBRARY_PATH": str(libdir), "LIBGL_DEBUG": "verbose", "EGL_PLATFORM": "surfaceless"}
    done = run(program, env=env)
    assert done.returncode == 7 and done.stdout.startswith("1 pydri"), done.stderr
    lines = [line for line in done.stderr.splitlines() if "; modules from " in line]
    assert len(lines) == 1, done.stderr
    return lines[0].partition("; modules from ")[2]


@pytest.fixture
def copied(libdir: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    """A copy of the libraries, whose image may be damaged."""
    copy = tmp_path / "lib"
    shutil.copytree(libdir, copy, symlinks=True, ignore=shutil.ignore_patterns("objects"))
    os.symlink(libdir / "objects", copy / "objects")
    return copy


@pytest.fixture
def program(c_program: Callable[..., str], libdir: pathlib.Path) -> str:
    """Asks EGL for its version."""
    return c_program(ASK, f"-L{libdir}", "-l:libEGL.so.1", "-l:libGL.so.1")


def test_modules_come_from_the_image(program: str, libdir: pathlib.Path) -> None:
    assert said(program, libdir) == "the start image"


HOOKED_HOST = """
import builtins, ctypes, sys
seen, plain = set(), builtins.__import__
def look(name, *args, **named):
    seen.add(name)
    return plain(name, *args, **named)
builtins.__import__ = look
egl = ctypes.CDLL(sys.argv[1] + "/libEGL.so.1")
egl.eglGetDisplay.restype = ctypes.c_void_p
assert egl.eglInitialize(ctypes.c_void_p(egl.eglGetDisplay(None)), None, None)
from pydri.dri.screen import DriScreen
print(*sorted(name for name in seen if name.startswith("pydri")), len(sys.modules) > 150)
"""


def test_a_hosts_import_does_not_see_ours(libdir: pathlib.Path) -> None:
    """It is asked for what the host imports, what the boot begins with, and what a package imports
    that the host itself has found."""
    env = {"EGL_PLATFORM": "surfaceless"}
    done = run(sys.executable, "-c", HOOKED_HOST, str(libdir), env=env)
    asked = "pydri.boot pydri.dri.screen pydri.util.options"
    assert (done.stdout, done.stderr) == (f"{asked} True\n", "")


def _head_at(data: bytes) -> int:
    return int(struct.unpack_from("<I", data, 16)[0])


def _groups_at(data: bytes | bytearray) -> int:
    return int(struct.unpack_from("<I", data, 20)[0])


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-8],
        lambda data: data[:100],
        lambda data: b"",
        lambda data: data + b"\0" * 8,
        lambda data: b"ELF" + data[3:],
        lambda data: data[:8] + b"\0\0\0\0" + data[12:],  # another Python's
        lambda data: data[: _groups_at(data) - 16] + b"\0" * 16 + data[_groups_at(data) :],
        lambda data: _flipped(data, _head_at(data) - 9),
        lambda data: _flipped(data, _head_at(data) + 99),
    ],
)  # fmt: skip
def test_damaged(program: str, copied: pathlib.Path, damage: Callable[[bytes], bytes]) -> None:
    image = copied / start_image.NAME
    image.write_bytes(damage(image.read_bytes()))
    assert said(program, copied) == "their files"


def test_damaged_group(program: str, copied: pathlib.Path) -> None:
    """The modules of a group that is not as it was written come from their files."""
    image = copied / start_image.NAME
    data = bytearray(image.read_bytes())
    for at in range(_groups_at(data) + 500, len(data), 1000):
        data[at] ^= 1
    image.write_bytes(data)
    assert said(program, copied) == "the start image"


def test_missing_or_anybodys_to_write(program: str, copied: pathlib.Path) -> None:
    image = copied / start_image.NAME
    image.chmod(0o666)
    assert said(program, copied) == "their files"
    image.unlink()
    assert said(program, copied) == "their files"


def test_image_of_another_place(program: str, copied: pathlib.Path) -> None:
    sidecar = copied / products.SIDECAR
    sidecar.write_text(sidecar.read_text() + "path=/somewhere/else\n")
    assert said(program, copied) == "their files"


def finder(
    tmp_path: pathlib.Path, joined: bool = False, ahead: tuple[str, ...] = (), first: str = ""
) -> tuple[Finder, pathlib.Path]:
    """Of a package with two modules, whose code in the image says that it is from there. The one
    imports the other, whose code `first` is."""
    package = tmp_path / "imaged"
    package.mkdir()
    group: dict[str, Any] = {}
    for name, file, kind, text in (
        ("imaged", "__init__", PACKAGE, ""),
        ("imaged.first", "first", MODULE, first),
        ("imaged.part", "part", MODULE, "import imaged.first as first\n" if ahead else ""),
    ):
        path = package / f"{file}.py"
        path.write_text("origin = 'file'\n")
        status = path.stat()
        code = compile(f"origin = 'image'\n{text}", str(path), "exec")
        group[name] = (str(path), status.st_size, status.st_mtime_ns, kind, code)
    data = marshal.dumps(group)
    places = dict.fromkeys(group, (0, len(data), 0))
    return Finder(memoryview(data), (places, {"imaged.part": ahead}, [], (), 0), joined), package


@pytest.fixture
def path_of(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A folder on sys.path; what is imported of it is forgotten."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in ("imaged", "imaged.part", "imaged.first"):
        monkeypatch.setitem(sys.modules, name, None)  # who takes this away again takes ours
        del sys.modules[name]
    return tmp_path


def test_finder(path_of: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, package = finder(path_of)
    monkeypatch.setattr(sys, "meta_path", [found, *sys.meta_path])
    import imaged.part  # type: ignore[import-not-found]

    assert imaged.origin == imaged.part.origin == "image"
    assert imaged.__path__ == [str(package)] and imaged.__file__ == str(package / "__init__.py")
    assert isinstance(imaged.part.__loader__, Loader)
    assert imaged.part.__loader__.get_source("imaged.part") == "origin = 'file'\n"
    assert imaged.part.__spec__.parent == imaged.part.__package__ == "imaged"


def test_what_was_edited_comes_from_its_file(
    path_of: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, package = finder(path_of)
    (package / "part.py").write_text("origin = 'edited'\n")
    monkeypatch.setattr(sys, "meta_path", [found, *sys.meta_path])
    import imaged.part

    assert (imaged.origin, imaged.part.origin) == ("image", "edited")


def test_image_of_other_enums(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of enums are in the code of all modules: none of them is right if these changed."""
    file = tmp_path / "enums.py"
    file.write_text("GL_ZERO = 0\n")
    status = file.stat()
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    seen = (str(file), status.st_size, status.st_mtime_ns)
    assert serve(memoryview(b""), ({}, {}, sys.path, (seen,), 0), False)
    file.write_text("GL_ZERO = 10\n")
    assert not serve(memoryview(b""), ({}, {}, sys.path, (seen,), 0), False)


def test_what_a_module_imports_comes_ahead(
    path_of: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Python would have imported it: for threads that ask meanwhile, too."""
    wait = "import time\ntime.sleep(0.3)\ndone = 1\n"
    found, package = finder(path_of, ahead=("imaged", "imaged.first"), first=wait)
    monkeypatch.setattr(sys, "meta_path", [found, *sys.meta_path])
    seen = []

    def ask() -> None:
        while "imaged.first" not in sys.modules:
            pass
        import imaged.first

        seen.append(imaged.first.done)

    other = threading.Thread(target=ask)
    other.start()
    import imaged.part

    other.join()
    first = imaged.part.first
    assert seen == [1] and first is imaged.first and first.origin == "image"
    assert first.__name__ == "imaged.first" and first.__package__ == "imaged"
    assert first.__file__ == str(package / "first.py") and first.__spec__.loader is first.__loader__


def test_what_fails_ahead(path_of: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no more than tried: who imports it gets it as without an image."""
    found, _ = finder(path_of, ahead=("imaged.first",), first="raise ValueError\n")
    monkeypatch.setattr(sys, "meta_path", [found, *sys.meta_path])
    import imaged.part

    assert (imaged.part.origin, imaged.part.first.origin) == ("image", "file")


def test_a_host_has_its_own(path_of: pathlib.Path) -> None:
    """In a host's interpreter: only what the host would find there, and no package."""
    found, package = finder(path_of, joined=True)
    assert found.find_spec("imaged", None) is None
    assert found.find_spec("imaged.part", [str(path_of / "elsewhere")]) is None
    found, _ = finder(path_of / "again", joined=True) if (path_of / "again").mkdir() else found, 0
    assert found.find_spec("other.part", [str(package)]) is None


def test_only_light_modules_are_in_it() -> None:
    """What a start imports of Python's own: a short list, and none of it is slow to make."""
    paths = start_image.module_folders(folder.sidecar_text(folder.read_sidecar("/nowhere")))
    groups, ahead = start_image._groups(paths, {})
    assert len(ahead["pydri.glx.entries"]) > 90 and "pydri.dri.base" in ahead["pydri.egl.entries"]
    first = next(group for group in groups if "pydri.st.context" in group)
    assert not {"pydri.api.enums", "pydri.api.egl_enums"} & {*first, *ahead["pydri.st.context"]}
    foreign = {name for group in groups for name, row in group.items() if row[3] >= 4}
    slow = {"typing", "re", "enum", "dataclasses", "inspect", "pickle", "numpy", "collections",
            "functools", "contextlib", "threading"}  # fmt: skip
    assert foreign.isdisjoint(slow)
    assert len(foreign) <= 16
    assert sum(map(len, groups)) <= 290


def test_modules_of_the_image_that_is_there(tmp_path: pathlib.Path) -> None:
    """To write an image again takes from the old one what is the same, and nothing else."""
    source = tmp_path / "part.py"
    source.write_text("x = 1\n")
    member = start_image.Member("", 0, "part", 0, True, str(source), MODULE)
    row = start_image._ready(member, {})
    group = start_image._whole_words(marshal.dumps({"part": row}))
    places = {"part": (0, len(group), start_image._sum(group))}
    head = marshal.dumps((None, (places, {}, [], (), b"way")))
    image = start_image._sealed([], head, group, b"")
    kept = start_image._kept(image, b"way")
    assert kept["part"][:-1] == row[:-1] and start_image._ready(member, kept) is kept["part"]
    assert start_image._kept(image, b"another way") == {}
    for damaged in (b"", image[:30], image[: len(image) // 2], _flipped(image, len(image) - 20)):
        assert start_image._kept(damaged, b"way") == {}
    source.write_text("x = 22\n")
    assert start_image._ready(member, kept)[1] == 7


FRAME = """
import ctypes, sys
X, G = ctypes.CDLL("libX11.so.6"), ctypes.CDLL(sys.argv[1])
for name in ("XOpenDisplay", "XDefaultRootWindow", "XCreateSimpleWindow"):
    getattr(X, name).restype = ctypes.c_void_p
for name in ("glXChooseVisual", "glXCreateContext", "glGetString"):
    getattr(G, name).restype = ctypes.c_void_p
P, L = ctypes.c_void_p, ctypes.c_ulong
dpy = P(X.XOpenDisplay(None))
window = L(X.XCreateSimpleWindow(dpy, L(X.XDefaultRootWindow(dpy)), 0, 0, 100, 80, 0, L(0), L(0)))
X.XMapWindow(dpy, window)
visual = P(G.glXChooseVisual(dpy, 0, (ctypes.c_int * 4)(4, 5, 0)))
context = P(G.glXCreateContext(dpy, visual, None, 1))
assert G.glXMakeCurrent(dpy, window, context)
G.glClear(0x4100)
G.glBegin(4)
for x, y in (0, 0), (1, 0), (0, 1):
    G.glVertex2f(ctypes.c_float(x), ctypes.c_float(y))
G.glEnd()
G.glXSwapBuffers(dpy, window)
X.XSync(dpy, 0)
G.glGetString(0x1F01)
assert G.glGetError() == 0
assert chr(0x20ac).encode("cp1252")[0] == 128  # an encoding that no start asks for
from pydri.util import place, source_tree
assert place.native_look is not None
assert place.fact("seen") == source_tree.appearance(source_tree.source_roots())
ours = [(name, module) for name, module in list(sys.modules.items())
        if name.partition(".")[0] in ("pydri", "pipe_llvm", "winsys_x11") and "." in name]
files = [name for name, module in ours if type(module.__loader__).__name__ != "Loader"]
print(len(ours) - len(files), *files)
"""


@pytest.mark.x11
def test_a_start_opens_no_source(
    libdir: pathlib.Path, display: str, tmp_path: pathlib.Path
) -> None:
    """All that a first frame imports of ours comes from the image: what is not in a group that it
    should be in is named here, and wants a row of `PHASES`. Nor is a source read to see what it is:
    all of them look to the core as they did to the build."""
    env = {"DISPLAY": display, "MESA_SHADER_CACHE_DIR": str(tmp_path)}
    for _ in range(2):  # with an empty cache it compiles
        done = run(sys.executable, "-c", FRAME, str(libdir / "libGL.so.1"), env=env)
        assert done.returncode == 0, done.stderr
    count, *files = done.stdout.split()
    assert files == [] and 150 <= int(count) <= 190
