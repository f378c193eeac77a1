# SPDX-License-Identifier: MIT
"""Builds the libraries: `python -m libgl_shim.build [--out DIR]`.

In: shim.h, the C files beside it and what stubs.py and core.py render. Out, in DIR (default:
build/lib of a checkout, pydri/lib of an installed package):

libGL.so.1  libGLX.so.0  libOpenGL.so.0  libEGL.so.1  libGLESv1_CM.so.1  libGLESv2.so.2
libOSMesa.so.8
                               what programs link or open; all code is in the first, which exports
                               egl and OSMesa functions too: whoever preloads it has all fronts;
                               libGLESv* export the entry points of OpenGL ES 1, and of 2 and 3, and
                               have stubs of their own for them
libGL.so  libGLX.so  ...       links to these: PyOpenGL opens the names without number
names/libGL.so ...             the same as libraries of that SONAME, for pydri.load()
vendor/libGLX_pydri.so.0       the GLVND vendor, alone in its folder with
vendor/libEGL_pydri.so.0       its EGL name, which holds no code: both vendors share one state
vendor/50_pydri.json           for __EGL_VENDOR_LIBRARY_FILENAMES; of its place, like the sidecar
_core.so                       the part that knows Python
pydri.sidecar                  where Python and its packages are
start.image                    the code of the modules that a start needs; of its place, too

Nothing is compiled again while the sources, the compiler's flags and the Python stay the same. The
sidecar is of the place where it is written: a wheel carries none, `pydri path` writes it (and the
links, which a wheel would turn into copies: a second driver in one process). Kernels are of a level
of the processor and serve machines of that level and above; a wheel of scripts/wheel has them for
three levels, another one none: then they are compiled at the first `pydri run` (installed.py;
--levels: here, for other machines).
"""

import argparse
import contextlib
import errno
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable, Iterator

from libgl_shim import folder, products
from libgl_shim.products import (
    EGL_VENDOR,
    FILTERS,
    LINKED,
    OBJECTS,
    PRODUCTS,
    ROOT,
    STAMP,
    UNNUMBERED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pydri.jit.cpu import Level

HERE = os.path.dirname(os.path.abspath(__file__))
CFLAGS = [
    "-O2",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-strict-aliasing",
    "-fno-asynchronous-unwind-tables",
    "-ftls-model=initial-exec",
    "-Wall",
    "-Wextra",
    "-std=gnu11",
]
WATCH: list[str] = []  # what `sanitize` adds for our own C
LDFLAGS = [
    "-shared",
    "-Wl,-z,nodelete",
    "-Wl,-z,noexecstack",
    "-Wl,--as-needed",
    "-Wl,--hash-style=gnu",
]
#: what libGL and the vendor library are linked of, beside what is generated
SHIM = ("shim.c", "afterwards.c", "boot.c", "clocks.c")
#: what _core.so is linked of, likewise
CORE = ("core_boot.c", "core_image.c", "core_memory.c")
SOURCES = [
    "shim.h",
    "core_image.h",
    "core_memory.h",
    *SHIM,
    *CORE,
    "vendor.c",
    "gles.c",
    "stubs.py",
    "core.py",
    "build.py",
    "folder.py",
    "products.py",
]


def _digest() -> str:
    """Of everything that decides what comes out."""
    sha = hashlib.sha256(repr((sys.version, CFLAGS, WATCH, LDFLAGS)).encode())
    paths = [os.path.join(HERE, name) for name in SOURCES]
    api = os.path.join(ROOT, "pydri", "api")
    tables = ("gl_table.py", "glx_table.py", "egl_table.py", "osmesa_table.py")
    names = (*tables, "rows.py", "availability.py")
    paths += [os.path.join(api, name) for name in names]
    for path in paths:
        with open(path, "rb") as file:
            sha.update(file.read())
    return sha.hexdigest()


class Compiler:
    """gcc in a scratch folder; several at a time."""

    def __init__(self, scratch: str) -> None:
        self.scratch = scratch
        self.cc = shutil.which(os.environ.get("CC", "gcc")) or shutil.which("cc")
        if not self.cc:
            raise SystemExit("pydri: a C compiler is needed (Debian: apt install gcc libc6-dev)")
        self.running: list[tuple[subprocess.Popen[bytes], list[str]]] = []

    def path(self, name: str) -> str:
        """A file in the scratch folder."""
        return os.path.join(self.scratch, name)

    def start(self, *args: str) -> None:
        """Begin one command."""
        command = [self.cc or "cc", *args]
        self.running.append((subprocess.Popen(command, cwd=self.scratch), command))

    def wait(self) -> None:
        """Until all are done; the first failure ends the build."""
        for process, command in self.running:
            if process.wait():
                raise SystemExit(f"pydri: failed: {' '.join(command)}")
        self.running.clear()

    def link(self, target: str, *args: str) -> None:
        """Begin linking a shared library under its SONAME."""
        self.start(
            *LDFLAGS, f"-Wl,-soname,{os.path.basename(target)}", "-o", self.path(target), *args
        )


def _compile(scratch: str) -> None:
    from libgl_shim import core, stubs

    cc = Compiler(scratch)
    for name, text in stubs.texts().items():
        with open(cc.path(name), "w", encoding="utf-8") as file:
            file.write(text)
    include = [f"-I{HERE}", f"-I{scratch}"]
    flags = [*CFLAGS, *WATCH]
    python = [f"-I{sysconfig.get_path('include')}", f"-I{sysconfig.get_path('platinclude')}"]
    for name in ("stubs.c", "stubs.S", "tables.S", *(f"{each}.c" for each in stubs.GLES)):
        cc.start(*flags, *include, "-c", name, "-o", f"{name}.o")
    for name in (*SHIM, "vendor.c", "gles.c"):
        cc.start(*flags, *include, "-c", os.path.join(HERE, name), "-o", f"{name}.o")
    core.render(cc.path("_core.c"))  # cffi parses 3,400 declarations while gcc works
    quiet = ["-Wno-unused-parameter", "-Wno-missing-field-initializers", "-Wno-cast-function-type"]
    # What cffi writes is not ours: it is never watched, and then need not be quick either.
    fast = "-O0" if WATCH else "-O1"
    cc.start(*CFLAGS, fast, *quiet, *include, *python, "-c", "_core.c", "-o", "_core.o")
    for name in CORE:
        path = os.path.join(HERE, name)
        cc.start(*flags, *quiet, *include, *python, "-c", path, "-o", f"{name}.o")
    cc.wait()

    make_folders(scratch)
    with open(cc.path("vendor.map"), "w", encoding="utf-8") as file:
        file.write("{ global: __glx_Main; __egl_Main; local: *; };\n")
    shim = [f"{name}.o" for name in ("stubs.c", "stubs.S", "tables.S", *SHIM)]
    cc.link("libGL.so.1", *shim, "-Wl,-z,defs")
    cc.link(
        "vendor/libGLX_pydri.so.0",
        *shim,
        "vendor.c.o",
        "-Wl,-z,defs",
        "-Wl,--version-script=vendor.map",
    )
    cc.start(*LDFLAGS, "-o", "_core.so", "_core.o", *(f"{name}.o" for name in CORE))
    cc.wait()
    origin = ["-nostdlib", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags"]
    for name in LINKED[1:3]:
        cc.link(name, *origin, "-L.", "-l:libGL.so.1")
    above = [flag.replace("$ORIGIN", "$ORIGIN/..") for flag in origin]
    for name in UNNUMBERED:
        cc.link(name, *above, "-L.", "-l:libGL.so.1")
    # Filters, by path: where libEGL.so.1 alone is preloaded the program brings the system's
    # libGL.so.1, which would count as the one that is needed; ours is searched before it.
    filter_ = "-Wl,--filter=$ORIGIN/libGL.so.1"
    for name in FILTERS:
        cc.link(name, "-nostdlib", filter_, "-x", "c", os.devnull)
    for name in stubs.GLES:
        cc.link(name, f"{name}.c.o", "gles.c.o", "-Wl,-z,defs")
    cc.link(EGL_VENDOR, *origin, "-Lvendor", "-l:libGLX_pydri.so.0")
    cc.wait()


@contextlib.contextmanager
def alone(out: str) -> Iterator[None]:
    """One build of a folder at a time: two programs may be started at once. (On a file system
    without locks, as some of a network are, both do it: files appear whole, by rename.)"""
    import fcntl  # which no Windows has: there a sentence says so, not an ImportError

    os.makedirs(out, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(os.path.join(out, ".lock"), flags, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as problem:
            if problem.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
        yield
    finally:
        os.close(lock)


def make_folders(out: str) -> None:
    """Those of PRODUCTS."""
    for name in {os.path.dirname(product) for product in PRODUCTS}:
        os.makedirs(os.path.join(out, name), exist_ok=True)


def build(
    out: str | None = None, sidecar: bool = True, say: bool = True, kernels: str = "",
    levels: Iterable[str] = (),
) -> str:  # fmt: skip
    """Bring `out` up to date; returns it. `kernels`: a folder that has been built, whose kernels
    will do. `levels`: what kernels are made for, if not for this machine.

    First it looks, then it locks: a tree that somebody else has set up is as good as one's own.
    """
    out = os.path.abspath(out or products.default_out())
    usable = _is_built(out) and (not sidecar or folder.is_complete(out))
    if usable and not kernels and (not sidecar or kernels_are_current(out, levels)):
        return out
    try:
        with alone(out):
            _build(out, sidecar, say, kernels, levels)
    except OSError as problem:  # somebody else's tree, a full disk, a read-only one
        if not usable:
            raise SystemExit(
                f"pydri: {out} is out of date, and cannot be written ({problem.strerror}):"
                " have its owner call scripts/run once, or clone the tree for yourself"
            ) from None
        _without_kernels(out, problem)
    return out


def _is_built(out: str) -> bool:
    """Whether the libraries are those of these sources, this compiler and this Python."""
    if not all(os.path.exists(os.path.join(out, name)) for name in PRODUCTS):
        return False
    try:
        with open(os.path.join(out, STAMP), encoding="utf-8") as file:
            return file.read() == _digest()
    except OSError:
        return False


def _build(out: str, sidecar: bool, say: bool, kernels: str, levels: Iterable[str]) -> None:
    if not _is_built(out):
        begin, digest = time.monotonic(), _digest()  # of what is read now: somebody may be editing
        if say:
            print(f"pydri: building libGL.so.1 and its company in {out}", file=sys.stderr)
        make_folders(out)
        with tempfile.TemporaryDirectory(prefix="pydri-build-") as scratch:
            _compile(scratch)
            for name in PRODUCTS:  # renamed into place: a running program keeps its old file
                target = os.path.join(out, name)
                shutil.copy(os.path.join(scratch, name), f"{target}.new")
                os.replace(f"{target}.new", target)
        with open(os.path.join(out, STAMP), "w", encoding="utf-8") as file:
            file.write(digest)
        if say:
            print(f"pydri: built in {time.monotonic() - begin:.1f} s", file=sys.stderr)
    if sidecar:
        folder.write_sidecar(out)
        if kernels:
            borrow_kernels(kernels, out)
        else:
            prebuild_kernels(out, say, levels)


def borrow_kernels(built: str, out: str) -> None:
    """Have `out` use the kernels of another folder of libraries, where they are."""
    theirs, ours = os.path.join(built, OBJECTS), os.path.join(out, OBJECTS)
    if os.path.islink(ours):
        os.unlink(ours)
    shutil.rmtree(ours, ignore_errors=True)
    os.symlink(theirs, ours)


def _level_folders(out: str, levels: Iterable[str]) -> "dict[Level, str]":
    """Where the kernels of levels belong: of this processor's or of those named
    (pydri/jit/cpu.py)."""
    from pydri.jit import cpu

    rows = [row for row in cpu.LEVELS if row.name in levels] or [cpu.level()]
    return {row: os.path.join(out, OBJECTS, cpu.level_folder(row)) for row in rows}


def _missing_levels(out: str, levels: Iterable[str]) -> "list[Level]":
    """Those without kernels."""
    return [row for row, path in _level_folders(out, levels).items() if not os.path.isdir(path)]


def kernel_folders(out: str) -> list[str]:
    """Where the kernels belong that programs of this processor use."""
    return list(_level_folders(out, ()).values())


def is_current(out: str) -> bool:
    """Whether all is there and right: libraries (which a package has compiled elsewhere), what is
    of this place, kernels."""
    built = not products.is_checkout() or _is_built(out)
    return built and folder.is_complete(out) and kernels_are_current(out)


def kernels_are_current(out: str, levels: Iterable[str] = ()) -> bool:
    """Whether the driver's own kernels are there, of these sources."""
    return not _missing_levels(out, levels)


def prebuild_kernels(out: str, say: bool, levels: Iterable[str] = ()) -> None:
    """Compile the driver's own kernels beforehand, unless they are there; for this processor, or
    for levels by name. Where there is no room for them, programs compile them for themselves."""
    from libgl_shim import prebuild
    from pydri.jit import cpu

    for level in _missing_levels(out, levels):
        progress = Progress(f"compiling the driver's kernels for {level.name}", say)
        try:
            prebuild.prebuild(out, level.name, cpu.level_folder(level), progress)
        except (OSError, subprocess.CalledProcessError) as problem:
            _without_kernels(out, problem)
            return
        progress.end()


def _without_kernels(out: str, problem: Exception) -> None:
    why = getattr(problem, "strerror", None) or problem
    print(
        f"pydri: the driver's kernels are not kept in {out} ({why}):"
        " each program compiles what it needs, or finds it in its user's cache",
        file=sys.stderr,
    )


class Progress:
    """Says how far something is: on a terminal in one line, else in a line every few seconds."""

    EVERY = 5.0  # seconds

    def __init__(self, what: str, say: bool) -> None:
        self.say, self.terminal = say, sys.stderr.isatty()
        self.begin = self.said = time.monotonic()
        self._print(f"pydri: {what} (half a minute, once)", "\n")

    def _print(self, text: str, end: str) -> None:
        if self.say:
            print(text, end=end, file=sys.stderr, flush=True)

    def __call__(self, done: int, total: int) -> None:
        """So many of so many are done."""
        text = f"pydri: kernels: {done} of {total}"
        if self.terminal:
            self._print(text, "\r")
        elif time.monotonic() > self.said + self.EVERY:
            self.said = time.monotonic()
            self._print(text, "\n")

    def end(self) -> None:
        """All are."""
        self._print(f"pydri: compiled in {time.monotonic() - self.begin:.1f} s", "\n")




# What a kind asks of the compiler, of our libraries and of programs that run on them.
SANITIZERS = {
    "address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    "thread": ["-fsanitize=thread"],
}


def sanitize(kind: str) -> str:
    """From here on build with a sanitizer (a row of SANITIZERS); the folder for such libraries.

    For programs that are themselves linked with it, or run with its runtime preloaded. What the
    driver compiles is not instrumented, nor is what cffi writes: this watches our C
    (tests/robust/test_sanitizers.py). Without optimisation no access is left out, and 3,400 stubs
    take a quarter of the time."""
    WATCH.extend(["-O0", *SANITIZERS[kind], "-g", "-fno-omit-frame-pointer"])
    LDFLAGS.extend(SANITIZERS[kind])
    return f"{products.default_out()}-{kind}"


def main() -> None:
    """The command line."""
    from pydri.jit import cpu

    parser = argparse.ArgumentParser(
        prog="python -m libgl_shim.build", description="build libGL.so.1"
    )
    parser.add_argument("--out", help="folder for the libraries")
    parser.add_argument(
        "--no-sidecar", action="store_true", help="for packaging: no paths of this place"
    )
    parser.add_argument("--sanitize", choices=tuple(SANITIZERS), help="watch our C")
    parser.add_argument(
        "--levels", nargs="+", default=(), choices=[row.name for row in cpu.LEVELS],
        help="levels of the processor to compile kernels for (default: this machine's)",
    )  # fmt: skip
    args = parser.parse_args()
    kernels = ""
    if args.sanitize:
        kernels = build(say=False)  # before the flags change
        folder = sanitize(args.sanitize)
        args.out = args.out or folder
    print(build(args.out, not args.no_sidecar, kernels=kernels, levels=args.levels))


if __name__ == "__main__":
    main()
