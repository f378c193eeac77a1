# SPDX-License-Identifier: MIT
"""How a program would find GL, told from its file and without running it.

In: a path and the environment. Out: `Program`: what the file is (class, machine, static, set-uid,
script), and the libraries it is linked with, found as ld.so does (ld.so(8): DT_RPATH,
LD_LIBRARY_PATH, DT_RUNPATH, the cache, the default folders). A program that links no GL may open it
at run time: then the name stands in its text, or in that of a library (SDL, GLFW, GLUT).
"""

import mmap
import os
import shutil
import stat
import struct
import subprocess
from collections.abc import Iterator, Mapping
from typing import NamedTuple

GL_NAMES = (
    "libGL.so.1", "libGLX.so.0", "libOpenGL.so.0", "libEGL.so.1", "libGLESv1_CM.so.1",
    "libGLESv2.so.2", "libOSMesa.so.8",
)  # fmt: skip
_EM = {3: "x86", 62: "x86-64", 183: "aarch64", 40: "arm", 243: "riscv", 21: "ppc64"}
_DEFAULT = ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64",
            "/lib", "/usr/lib")  # fmt: skip
_PT_DYNAMIC, _PT_INTERP, _PT_LOAD = 2, 3, 1
_DT_NEEDED, _DT_STRTAB, _DT_SONAME, _DT_RPATH, _DT_RUNPATH = 1, 5, 14, 15, 29
_TOO_BIG = 256 << 20  # files beyond this are not searched for names


class Elf(NamedTuple):
    """The dynamic section of a 64-bit ELF file; other files have empty lists."""

    bits: int  # 32, 64, 0: no ELF file
    machine: str
    interpreter: str
    dynamic: bool
    needed: tuple[str, ...]
    soname: str
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]


NOT_ELF = Elf(0, "", "", False, (), "", (), ())


def read_elf(path: str) -> Elf:
    """Read a file's headers; NOT_ELF for what is none, OSError if it cannot be read."""
    with open(path, "rb") as file:
        head = file.read(64)
        if len(head) < 52 or head[:4] != b"\x7fELF" or head[5] != 1:
            return NOT_ELF
        machine = _EM.get(struct.unpack_from("<H", head, 18)[0], "another machine")
        if head[4] != 2:
            return Elf(32, machine, "", True, (), "", (), ())
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            return _read_64(data, machine)
        except (struct.error, IndexError, ValueError, OverflowError):
            return Elf(64, machine, "", False, (), "", (), ())  # cut off, or not what it says
        finally:
            data.close()


def _read_64(data: mmap.mmap, machine: str) -> Elf:
    at, size, count = (
        struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54),
    )  # fmt: skip
    loads: list[tuple[int, int, int]] = []
    interpreter, dynamic = "", (0, 0)
    for n in range(count):
        kind, _, offset, address, _, file_size = struct.unpack_from("<IIQQQQ", data, at + n * size)
        if kind == _PT_LOAD:
            loads.append((address, offset, file_size))
        elif kind == _PT_INTERP:
            interpreter = bytes(data[offset : offset + file_size]).rstrip(b"\0").decode()
        elif kind == _PT_DYNAMIC:
            dynamic = (offset, file_size)
    n_tags = min(dynamic[1], len(data)) // 16
    tags = [struct.unpack_from("<QQ", data, dynamic[0] + 16 * n) for n in range(n_tags)]
    table = next((value for tag, value in tags if tag == _DT_STRTAB), 0)
    strings = next((o + table - a for a, o, length in loads if a <= table < a + length), 0)

    def texts(wanted: int) -> list[str]:
        out = []
        for tag, value in tags:
            if tag == wanted and strings:
                end = data.find(b"\0", strings + value)
                out.append(bytes(data[strings + value : end]).decode("utf-8", "replace"))
        return out

    def folders(wanted: int) -> tuple[str, ...]:
        return tuple(f for text in texts(wanted) for f in text.split(":") if f)

    return Elf(
        64, machine, interpreter, bool(dynamic[1]), tuple(texts(_DT_NEEDED)),
        "".join(texts(_DT_SONAME)[:1]), folders(_DT_RPATH), folders(_DT_RUNPATH),
    )  # fmt: skip


class Library(NamedTuple):
    """A library that a program is linked with."""

    name: str
    path: str  # "": not found
    by: str  # who needs it
    how: str  # "rpath", "LD_LIBRARY_PATH", "runpath", "cache", "default", "preload" or ""


class Program(NamedTuple):
    """A program as far as finding GL goes."""

    path: str
    elf: Elf
    script: str  # the interpreter's path of a script, else ""
    privileged: bool  # set-uid, set-gid or capabilities: ld.so ignores LD_*
    libraries: tuple[Library, ...]
    opens: tuple[str, ...]  # GL libraries that are named in the text of the program or a library

    def linked_gl(self) -> list[Library]:
        """The GL libraries it is linked with, itself or through another library."""
        return [found for found in self.libraries if found.name in GL_NAMES]

    def python(self) -> str:
        """The version of the libpython it is linked with, as "3.11", or ""."""
        for found in self.libraries:
            if found.name.startswith("libpython3."):
                return found.name.removeprefix("libpython").split(".so")[0]
        return ""


def _cache() -> dict[str, str]:
    """What ldconfig knows: name -> path of a 64-bit library."""
    tool = shutil.which("ldconfig") or "/sbin/ldconfig"
    try:
        done = subprocess.run([tool, "-p"], capture_output=True, text=True, check=False)
    except OSError:
        return {}
    found: dict[str, str] = {}
    for line in done.stdout.splitlines():
        name, arrow, path = line.strip().partition(" => ")
        if arrow and "x86-64" in name:
            found.setdefault(name.split(" ")[0], path)
    return found


def _search(
    name: str, owner: Elf, origin: str, env: Mapping[str, str], secure: bool, cache: dict[str, str]
) -> tuple[str, str]:
    """Where ld.so finds a library, and by which rule."""
    variable = [] if secure else [f for f in env.get("LD_LIBRARY_PATH", "").split(":") if f]
    places: list[tuple[str, str]] = []
    if not owner.runpath:
        places += [("rpath", folder) for folder in owner.rpath]
    places += [("LD_LIBRARY_PATH", folder) for folder in variable]
    places += [("runpath", folder) for folder in owner.runpath]
    for how, folder in places:
        path = os.path.join(folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin), name)
        if os.path.isfile(path):
            return path, how
    if name in cache:
        return cache[name], "cache"
    for folder in _DEFAULT:
        if os.path.isfile(os.path.join(folder, name)):
            return os.path.join(folder, name), "default"
    return "", ""


def _closure(path: str, elf: Elf, env: Mapping[str, str], secure: bool) -> Iterator[Library]:
    cache = _cache()
    seen: set[str] = set()
    waiting = [(elf, path)]
    if not secure:
        for preload in env.get("LD_PRELOAD", "").replace(":", " ").split():
            if os.path.isfile(preload):
                soname = read_elf(preload).soname or os.path.basename(preload)
                seen.add(soname)
                yield Library(soname, preload, "LD_PRELOAD", "preload")
                waiting.append((read_elf(preload), preload))
    while waiting:
        owner, where = waiting.pop(0)
        for name in owner.needed:
            if name in seen:
                continue
            seen.add(name)
            origin = os.path.dirname(os.path.realpath(where))
            found, how = _search(name, owner, origin, env, secure, cache)
            yield Library(name, found, os.path.basename(where), how)
            if found:
                try:
                    waiting.append((read_elf(found), found))
                except OSError:
                    continue


def _names_in(path: str) -> set[str]:
    """GL libraries that stand in a file's text."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if not 0 < size <= _TOO_BIG:
                return set()
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return {name for name in GL_NAMES if data.find(name.encode()) >= 0}
    except (OSError, ValueError):
        return set()


def _privileged(path: str) -> bool:
    mode = os.stat(path).st_mode
    if mode & (stat.S_ISUID | stat.S_ISGID):
        return True
    try:
        return bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False


def examine(path: str, env: Mapping[str, str]) -> Program:
    """Look at a program; OSError if it cannot be read."""
    path = os.path.realpath(path)
    script = ""
    with open(path, "rb") as file:
        first = file.readline(256)
    if first.startswith(b"#!"):
        words = first[2:].decode("utf-8", "replace").split()
        script = words[0] if words else ""
        if os.path.basename(script) == "env" and len(words) > 1:
            script = shutil.which(words[-1], path=env.get("PATH")) or script
    subject = os.path.realpath(script) if script else path
    elf = read_elf(subject)
    secure = _privileged(subject)
    libraries = tuple(_closure(subject, elf, env, secure)) if elf.bits == 64 else ()
    opens: set[str] = set()
    if not any(found.name in GL_NAMES for found in libraries):
        for where in (path, *(found.path for found in libraries)):
            opens |= _names_in(where) if where else set()
    return Program(path, elf, script, secure, libraries, tuple(sorted(opens)))
