# SPDX-License-Identifier: MIT
"""What scripts and tests share: the sides of a comparison, X servers, C clients, Debian packages.

In: this machine. Out: environments for subprocess, display names, paths of programs. Nothing here
imports pytest; tests/host.py and tests/conftest.py add what only tests want.
"""

import functools
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import NamedTuple

from libgl_shim import products
from pydri.tools.xserver import Missing, XServer
from pydri.tools.xserver import end as end  # one of what scripts and tests share

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIB = "/usr/lib/x86_64-linux-gnu"


# -- environments ----------------------------------------------------------------------------------

SIDES = ("peer", "ours")
"""Those that scripts measure; `environment` knows "softpipe" (Mesa's other rasteriser), too."""
STEERING = (
    "LIBGL_", "MESA_", "LP_", "GALLIVM_", "GALLIUM_", "NIR_", "PYDRI_", "ST_", "DRAW_", "SOFTPIPE_",
    "DRI_", "EGL_", "__GL", "__EGL_", "LD_", "vblank_mode",
)  # fmt: skip
"""How the names of variables begin that decide which GL driver a program gets, or what it does."""


def clean_environment() -> dict[str, str]:
    """The caller's, without anything that steers a GL driver: a result must not depend on who asks
    for it."""
    return {name: value for name, value in os.environ.items() if not name.startswith(STEERING)}


def environment(
    side: str, libdir: str = "", preload: bool = True, /, **more: str
) -> dict[str, str]:
    """What makes a program run on a side: "ours", "peer" (llvmpipe) or "softpipe".

    `libdir` is the folder of our libraries (default: this checkout's). With `preload` they come
    before those of a program's RPATH; without, a program finds them as installed ones.
    """
    env = clean_environment()
    if side == "ours":
        libdir = libdir or products.default_out()
        env["LD_LIBRARY_PATH"] = libdir
        if preload:
            env["LD_PRELOAD"] = os.path.join(libdir, "libGL.so.1")
    else:
        env["LIBGL_ALWAYS_SOFTWARE"] = "1"
        env["GALLIUM_DRIVER"] = {"peer": "llvmpipe"}.get(side, side)
    return {**env, **more}


def kernels() -> str:
    """MESA_SHADER_CACHE_DIR for tests: a folder that outlives the run. The driver names what it
    keeps there by its own sources and by the CPU, so nothing old is ever used; it bounds the size.
    TESTS_KERNELS names another one (scripts/test --cold: an empty one of this run).
    """
    folder = os.environ.get("TESTS_KERNELS") or os.path.join(ROOT, "build", "kernels")
    os.makedirs(folder, exist_ok=True)
    return folder


def apps_folder() -> str:
    """Where Python's GL packages are, for who measures or tests with them: an environment `venv`
    and sources in `pysrc`. APPS_WORK names it; else it is in this tree, since in /tmp it could be
    anybody's."""
    return os.environ.get("APPS_WORK") or os.path.join(ROOT, "build", "apps")


#: Debian 12's Mesa. What is written down of the peer (tables of pictures, of differences, of known
#: answers) is of this version.
REFERENCE_PEER = "22.3"


class Peer(NamedTuple):
    """The system's Mesa."""

    version: tuple[int, ...]  # (22, 3, 6) on Debian 12, (25, 0, 7) on Debian 13
    renderer: str  # "llvmpipe (LLVM 15.0.6, 256 bits)"
    reason: str = ""  # why there is none

    @property
    def is_reference(self) -> bool:
        """Whether it is the version that our tables speak of."""
        return ".".join(map(str, self.version[:2])) == REFERENCE_PEER

    @property
    def fingerprint(self) -> str:
        """What its pictures depend on."""
        return ".".join(map(str, self.version)) + " " + self.renderer


#: a Python program that prints GL_VERSION and GL_RENDERER of whose libGL.so.1 it finds
ASK = """
import ctypes as c
x, gl = c.CDLL("libX11.so.6"), c.CDLL("libGL.so.1")
for function in (x.XOpenDisplay, gl.glXChooseVisual, gl.glXCreateContext):
    function.restype = c.c_void_p
x.XDefaultRootWindow.restype, gl.glGetString.restype = c.c_ulong, c.c_char_p
display = c.c_void_p(x.XOpenDisplay(None))
visual = c.c_void_p(gl.glXChooseVisual(display, 0, (c.c_int * 3)(4, 5, 0)))
context = c.c_void_p(gl.glXCreateContext(display, visual, None, 1))
window = c.c_ulong(x.XDefaultRootWindow(display))
window = c.c_ulong(x.XCreateSimpleWindow(display, window, 0, 0, 9, 9, 0, 0, 0))
assert gl.glXMakeCurrent(display, window, context)
for name in (0x1F02, 0x1F01):
    print(gl.glGetString(name).decode())
"""


@functools.cache
def peer(side: str = "peer") -> Peer:
    """Asks the peer (or "softpipe") for its version, on an X server of its own, once a process."""
    try:
        with XServer("64x64") as server:
            done = subprocess.run(
                [sys.executable, "-P", "-c", ASK], env=environment(side, DISPLAY=server.name),
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
    except (Missing, subprocess.TimeoutExpired) as problem:
        return Peer((), "", str(problem))
    lines = done.stdout.splitlines()
    found = re.search(r"Mesa (\d+(?:\.\d+)*)", done.stdout)
    driver = "llvmpipe" if side == "peer" else side
    if done.returncode or not found or not lines[1].startswith(driver):
        told = (done.stdout + done.stderr).strip()[-200:]
        return Peer((), "", f"no {driver} of Mesa's (Debian: libgl1-mesa-dri): {told}")
    return Peer(tuple(map(int, found[1].split("."))), lines[1])


# -- C clients -------------------------------------------------------------------------------------

_CLIENTS = os.path.join(ROOT, "build", "clients")
_KEPT_DAYS = 14


def compile_client(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *flags: str,
    folder: str | os.PathLike[str] = "",
    name: str = "",
) -> str:
    """Compile C files to one program (or, with -shared, a library); its path.

    Programs are kept in build/clients by a hash of the sources, of the headers beside them, and of
    the flags; with a `folder` the program is made there, each time. `name` is the program's name
    (default: that of the first file). Raises Missing without a compiler, CompiledBadly with the
    compiler's text.
    """
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    sources = [os.path.abspath(path) for path in source]
    name = name or os.path.splitext(os.path.basename(sources[0]))[0]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise Missing("pydri: there is no C compiler (Debian: apt-get install gcc libc6-dev)")
    # A compiler whose processors can fuse products with sums would, and scenes ask for other bits.
    order = [compiler, "-O1", "-Wall", "-ffp-contract=off"]
    if folder:
        target = os.path.join(folder, name)
        _compile([*order, *sources, *flags], target)
        return target
    place = os.path.join(_CLIENTS, _fingerprint(sources, [*order, *flags, name]))
    target = os.path.join(place, name)
    if os.path.exists(target):
        os.utime(place)  # when it was last used
        return target
    os.makedirs(place, exist_ok=True)
    _forget_clients()
    handle, partly = tempfile.mkstemp(dir=place)
    os.close(handle)
    try:
        _compile([*order, *sources, *flags], partly)
        os.chmod(partly, 0o755)  # the linker kept the mode of what it wrote over
    except BaseException:
        os.unlink(partly)
        raise
    os.replace(partly, target)
    return target


def compile_preload(name: str) -> str:
    """One of scripts/preload as a library for LD_PRELOAD; its path."""
    source = os.path.join(ROOT, "scripts", "preload", f"{name}.c")
    flags = ("-O2", "-fPIC", "-shared", "-Wno-nonnull-compare", "-ldl")
    return compile_client(source, *flags, name=f"{name}.so")


class CompiledBadly(AssertionError):
    """C that does not compile is a mistake of ours."""


def _compile(command: list[str], target: str) -> None:
    # The files come before the libraries they need, wherever in the flags these stand.
    done = subprocess.run(
        [*command, "-o", target], capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        raise CompiledBadly(f"{' '.join(command)}\n{done.stderr}")


def _fingerprint(sources: list[str], words: list[str]) -> str:
    compiler = os.stat(words[0])
    digest = hashlib.sha256(repr((words, compiler.st_size, compiler.st_mtime_ns)).encode())
    headers = {path for file in sources for path in glob.glob(f"{os.path.dirname(file)}/*.h")}
    for path in [*sources, *sorted(headers)]:
        with open(path, "rb") as file:
            content = file.read()
        digest.update(f"{os.path.basename(path)} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:32]


def _forget_clients() -> None:
    """Drop what has not been used for long."""
    oldest = time.time() - _KEPT_DAYS * 86400
    for entry in os.scandir(_CLIENTS):
        if entry.stat().st_mtime < oldest:
            shutil.rmtree(entry.path, ignore_errors=True)


# -- Debian packages -------------------------------------------------------------------------------


def _packages() -> dict[str, tuple[str, ...]]:
    """Rows of scripts/packages, which scripts/setup.sh reads, too."""
    with open(os.path.join(ROOT, "scripts", "packages")) as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {package: tuple(signs) for _, package, *signs in rows}


PACKAGES = _packages()
"""Debian package -> a command, or patterns of files, one of which shows that it is there."""
CLIENT = ("gcc", "libc6-dev", "libgl-dev", "libx11-dev")
"""What compiling a GLX client takes."""


def missing(packages: Iterable[str]) -> list[str]:
    """Those that are not installed, in order."""

    def there(what: str) -> bool:
        return bool(glob.glob(what)) if "/" in what else shutil.which(what) is not None

    return [name for name in dict.fromkeys(packages) if not any(map(there, PACKAGES[name]))]


def install(packages: Iterable[str], seconds: float = 900) -> str:
    """Install what is missing, as root on Debian; "" if all is there now, else why not."""
    absent = missing(packages)
    if not absent:
        return ""
    names = " ".join(absent)
    if os.getuid() or not shutil.which("apt-get"):
        return f"needs the Debian packages {names}"
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    order = ["install", "-y", "-qq", "--no-install-recommends", *absent]
    told = ""
    for words in (order, ["update", "-qq"], order):
        try:
            done = subprocess.run(
                ["apt-get", "-o", "DPkg::Lock::Timeout=300", *words], env=env, capture_output=True,
                text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=seconds, check=False,
            )  # fmt: skip
            told = done.stderr.strip()[-200:]
        except subprocess.TimeoutExpired:
            told = f"not done after {seconds:g} s"
        if not missing(absent):
            return ""
    return f"apt-get install {names} failed: {told}"


# -- processes -------------------------------------------------------------------------------------


def resident(pid: int) -> int:
    """Bytes of memory a process holds at the moment."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0
