# SPDX-License-Identifier: MIT
"""Builds the libraries: `python -m libgl_shim.build [--out DIR]`.

In: shim.h, the C files beside it and what stubs.py and core.py render. Out, in DIR (default:
build/lib of a checkout, pydri/lib of an installed package):

libGL.so.1  libGLX.so.0  libOpenGL.so.0  libEGL.so.1
                               what programs link or open; all code is in the first, which exports
                               egl functions too: whoever preloads it has both window systems
libGL.so  libGLX.so  ...       links to these: PyOpenGL opens the names without number
vendor/libGLX_pydri.so.0       the GLVND vendor, alone in its folder with
vendor/libEGL_pydri.so.0       its EGL name, which holds no code: both vendors share one state
vendor/50_pydri.json           for __EGL_VENDOR_LIBRARY_FILENAMES; of its place, like the sidecar
_core.so                       the part that knows Python
pydri.sidecar                  where Python and its packages are

Nothing is compiled again while the sources, the compiler's flags and the Python stay the same. The
sidecar is of the place where it is written: a wheel carries none, `pydri path` writes it (and the
links, which a wheel would turn into copies: a second driver in one process). Kernels are of a level
of the processor and serve machines of that level and above; a wheel carries none of them either,
they are compiled at the first `pydri run` (--levels: here, for other machines). Where the package's
folder is not ours to write (root's site-packages), all this is in the user's cache folder.
"""

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable, Iterator

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SIDECAR = "pydri.sidecar"
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
SOURCES = [
    "shim.h",
    "shim.c",
    "boot.c",
    "clocks.c",
    "vendor.c",
    "core_boot.c",
    "stubs.py",
    "core.py",
    "build.py",
]


def is_checkout() -> bool:
    """Whether we run from the source tree."""
    return os.path.exists(os.path.join(ROOT, "pyproject.toml"))


def default_out() -> str:
    """build/lib in a checkout, else the installed package's own folder."""
    if is_checkout():
        return os.path.join(ROOT, "build", "lib")
    return os.path.join(ROOT, "pydri", "lib")


def _digest() -> str:
    """Of everything that decides what comes out."""
    sha = hashlib.sha256(repr((sys.version, CFLAGS, WATCH, LDFLAGS)).encode())
    paths = [os.path.join(HERE, name) for name in SOURCES]
    api = os.path.join(ROOT, "pydri", "api")
    names = ("gl_table.py", "glx_table.py", "egl_table.py", "rows.py")
    paths += [os.path.join(api, name) for name in names]
    for path in paths:
        with open(path, "rb") as file:
            sha.update(file.read())
    return sha.hexdigest()


def libpython() -> str:
    """Absolute path of this Python's shared library; "" if there is none."""
    names = [sysconfig.get_config_var(v) for v in ("INSTSONAME", "LDLIBRARY")]
    folders = [sysconfig.get_config_var(v) for v in ("LIBDIR", "LIBPL")]
    multiarch = sysconfig.get_config_var("MULTIARCH")
    if multiarch:
        folders += [f"/usr/lib/{multiarch}", f"/lib/{multiarch}"]
    short = f"libpython{sys.version_info[0]}.{sys.version_info[1]}.so"
    for folder in folders:
        for name in [*names, short + ".1.0", short]:
            path = os.path.join(folder or "", name or "")
            if folder and name and ".so" in name and os.path.isfile(path):
                return os.path.realpath(path)
    return ""


def _llvm_version() -> str:
    code = "import llvmlite.binding as b; print('.'.join(map(str, b.llvm_version_info)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def sidecar_text() -> str:
    """Where the interpreter of this build finds itself and us."""
    stdlib = sysconfig.get_path("stdlib")
    zipped = os.path.join(
        os.path.dirname(stdlib), f"python{sys.version_info[0]}{sys.version_info[1]}.zip"
    )
    paths = [ROOT, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    rows = [
        ("libpython", libpython()),
        ("home", sys.base_prefix),
        ("executable", sys.executable),
        ("version", f"{sys.version_info[0]}.{sys.version_info[1]}"),
        ("abi", str(sysconfig.get_config_var("SOABI"))),
        ("llvm", _llvm_version()),
        ("stdlib", zipped),
        ("stdlib", stdlib),
        ("stdlib", sysconfig.get_config_var("DESTSHARED") or os.path.join(stdlib, "lib-dynload")),
    ]
    rows += [("path", path) for path in dict.fromkeys(paths)]
    from pydri.jit import naming  # which needs nothing that is built

    roots = naming.source_roots()
    rows += [("sources", naming.contents(roots)), ("seen", naming.appearance(roots))]
    return "".join(f"{key}={value}\n" for key, value in rows)


def link_names(out: str) -> None:
    """The names without a number, as links: where Debian's -dev packages are installed, who looks
    for `libGL.so` would find the system's.
    """
    for name in LINKED:
        link = os.path.join(out, name[: name.index(".so") + 3])
        if not os.path.lexists(link):
            try:
                os.symlink(name, link)
            except OSError:
                return  # a folder that is not ours to write: the numbered names do without


def icd_text(out: str) -> str:
    """How GLVND's libEGL finds our vendor: by path, since it looks up a bare name in the system."""
    library = json.dumps(os.path.join(out, EGL_VENDOR))
    return (
        '{\n  "file_format_version": "1.0.0",\n'
        f'  "ICD": {{ "library_path": {library} }}\n}}\n'
    )


def write_sidecar(out: str) -> bool:
    """Write the sidecar if it is missing or says something else; True if it was written. The links
    and the description of the EGL vendor go with it.
    """
    link_names(out)
    _write_changed(os.path.join(out, ICD), icd_text(out))
    return _write_changed(os.path.join(out, SIDECAR), sidecar_text())


def _write_changed(path: str, text: str) -> bool:
    """Replace a file that says something else; True if it did."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return False
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)
    return True


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
    for name in ("stubs.c", "stubs.S", "tables.S"):
        cc.start(*flags, *include, "-c", name, "-o", f"{name}.o")
    for name in ("shim.c", "boot.c", "clocks.c", "vendor.c"):
        cc.start(*flags, *include, "-c", os.path.join(HERE, name), "-o", f"{name}.o")
    core.render(cc.path("_core.c"))  # cffi parses 3,400 declarations while gcc works
    quiet = ["-Wno-unused-parameter", "-Wno-missing-field-initializers", "-Wno-cast-function-type"]
    # What cffi writes is not ours: it is never watched, and then need not be quick either.
    fast = "-O0" if WATCH else "-O1"
    cc.start(*CFLAGS, fast, *quiet, *include, *python, "-c", "_core.c", "-o", "_core.o")
    boot = os.path.join(HERE, "core_boot.c")
    cc.start(*flags, *quiet, *include, *python, "-c", boot, "-o", "core_boot.o")
    cc.wait()

    os.makedirs(cc.path("vendor"), exist_ok=True)
    with open(cc.path("vendor.map"), "w", encoding="utf-8") as file:
        file.write("{ global: __glx_Main; __egl_Main; local: *; };\n")
    shim = ["stubs.c.o", "stubs.S.o", "tables.S.o", "shim.c.o", "boot.c.o", "clocks.c.o"]
    cc.link("libGL.so.1", *shim, "-Wl,-z,defs")
    cc.link(
        "vendor/libGLX_pydri.so.0",
        *shim,
        "vendor.c.o",
        "-Wl,-z,defs",
        "-Wl,--version-script=vendor.map",
    )
    cc.start(*LDFLAGS, "-o", "_core.so", "_core.o", "core_boot.o")
    cc.wait()
    origin = ["-nostdlib", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags"]
    for name in LINKED[1:3]:
        cc.link(name, *origin, "-L.", "-l:libGL.so.1")
    # A filter, by path: where libEGL.so.1 alone is preloaded the program brings the system's
    # libGL.so.1, which would count as the one that is needed; ours is searched before it.
    filter_ = "-Wl,--filter=$ORIGIN/libGL.so.1"
    cc.link("libEGL.so.1", "-nostdlib", filter_, "-x", "c", os.devnull)
    cc.link(EGL_VENDOR, *origin, "-Lvendor", "-l:libGLX_pydri.so.0")
    cc.wait()


LINKED = ["libGL.so.1", "libGLX.so.0", "libOpenGL.so.0", "libEGL.so.1"]
EGL_VENDOR = "vendor/libEGL_pydri.so.0"
PRODUCTS = [*LINKED, "vendor/libGLX_pydri.so.0", EGL_VENDOR, "_core.so"]
ICD = "vendor/50_pydri.json"
OBJECTS = "objects"  # the driver's own kernels, a folder for each level (prebuild.py)


@contextlib.contextmanager
def _alone(out: str) -> Iterator[None]:
    """One build of a folder at a time: two programs may be started at once."""
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, ".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(
    out: str | None = None, sidecar: bool = True, say: bool = True, kernels: str = "",
    levels: Iterable[str] = (),
) -> str:  # fmt: skip
    """Bring `out` up to date; returns it. `kernels`: a folder that has been built, whose kernels
    will do. `levels`: what kernels are made for, if not for this machine.
    """
    out = os.path.abspath(out or default_out())
    with _alone(out):
        _build(out, sidecar, say, kernels, levels)
    return out


def _build(out: str, sidecar: bool, say: bool, kernels: str, levels: Iterable[str]) -> None:
    stamp = os.path.join(out, ".stamp")
    digest = _digest()
    have = ""
    if os.path.exists(stamp) and all(os.path.exists(os.path.join(out, p)) for p in PRODUCTS):
        with open(stamp, encoding="utf-8") as file:
            have = file.read()
    if have != digest:
        begin = time.monotonic()
        if say:
            print(f"pydri: building libGL.so.1 and its company in {out}", file=sys.stderr)
        os.makedirs(os.path.join(out, "vendor"), exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="pydri-build-") as scratch:
            _compile(scratch)
            for name in PRODUCTS:  # renamed into place: a running program keeps its old file
                target = os.path.join(out, name)
                shutil.copy(os.path.join(scratch, name), f"{target}.new")
                os.replace(f"{target}.new", target)
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(digest)
        if say:
            print(f"pydri: built in {time.monotonic() - begin:.1f} s", file=sys.stderr)
    if sidecar:
        write_sidecar(out)
        if kernels:
            _borrow_kernels(os.path.join(kernels, OBJECTS), os.path.join(out, OBJECTS))
        else:
            _prebuild(out, say, levels)


def _borrow_kernels(theirs: str, ours: str) -> None:
    if os.path.islink(ours):
        os.unlink(ours)
    shutil.rmtree(ours, ignore_errors=True)
    os.symlink(theirs, ours)


def _prebuild(out: str, say: bool, levels: Iterable[str] = ()) -> None:
    """Compile the driver's own kernels beforehand, unless they are there; for this processor, or
    for levels by name (pydri/jit/cpu.py)."""
    from libgl_shim import prebuild
    from pydri.jit import cpu, naming

    rows = [row for row in cpu.LEVELS if row.name in levels] or [cpu.level()]
    for level in rows:
        folder = naming.level_folder(level)
        if os.path.isdir(os.path.join(out, OBJECTS, folder)):
            continue
        progress = Progress(f"compiling the driver's kernels for {level.name}", say)
        prebuild.prebuild(out, level.name, folder, progress)
        progress.end()


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


# -- an installed package --------------------------------------------------------------------------


def _up_to_date(out: str) -> bool:
    """Whether libraries and sidecar are there and right."""
    try:
        with open(os.path.join(out, SIDECAR), encoding="utf-8") as file:
            right = file.read() == sidecar_text()
    except OSError:
        return False
    return right and all(os.path.exists(os.path.join(out, name)) for name in PRODUCTS)


def _own_folder(package: str) -> str:
    """Where a user keeps what an installed package of somebody else's lacks."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = hashlib.sha256(package.encode()).hexdigest()[:16]
    return os.path.join(base, "pydri", f"lib-{name}")


def installed_folder() -> str:
    """The folder of libGL.so.1, as it is: build/lib, the package's own, or the user's copy."""
    out = default_out()
    if is_checkout() or os.access(out, os.W_OK) or _up_to_date(out):
        return out
    return _own_folder(out)


def ready_to_prepare() -> bool:
    """Whether this is an installed package that carries its libraries."""
    return not is_checkout() and os.path.exists(os.path.join(default_out(), PRODUCTS[0]))


def prepare(say: bool = True) -> str:
    """Libraries, sidecar and kernels, brought up to date as far as they are not; their folder."""
    out, package = installed_folder(), default_out()
    if is_checkout() or not os.path.exists(os.path.join(package, PRODUCTS[0])):
        return build(out, say=say)
    if out == package and not os.access(out, os.W_OK):
        return out
    with _alone(out):
        if out != package:
            os.makedirs(os.path.join(out, "vendor"), exist_ok=True)
            for name in PRODUCTS:
                _copy_changed(os.path.join(package, name), os.path.join(out, name))
        write_sidecar(out)
        _prebuild(out, say)
    return out


def _copy_changed(source: str, target: str) -> None:
    with open(source, "rb") as file:
        content = file.read()
    try:
        with open(target, "rb") as file:
            if file.read() == content:
                return
    except OSError:
        pass
    shutil.copy(source, f"{target}.new")
    os.replace(f"{target}.new", target)


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
    return f"{default_out()}-{kind}"


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
