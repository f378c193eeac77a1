# SPDX-License-Identifier: MIT
"""`pydri doctor [PROGRAM]`: what is there, what is missing, and the one command that mends it.

In: the machine, the environment, a program's file (never run). Out: `Finding`s in sections; a
finding that is a problem carries a command. Nothing here needs the driver to work, and nothing is
changed on the machine.
"""

import importlib.metadata
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from libgl_shim import folder, installed, machine, products
from pydri.tools.program import GL_NAMES, Program, examine

OK, NOTE, PROBLEM = "ok", "note", "problem"
_X_LIBRARIES = {
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
}
# What changes how GL is found, or what is found.
_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "__GLX_VENDOR_LIBRARY_NAME",
              "__EGL_VENDOR_LIBRARY_FILENAMES", "LIBGL_DRIVERS_PATH", "GALLIUM_DRIVER",
              "MESA_LOADER_DRIVER_OVERRIDE", "LIBGL_ALWAYS_INDIRECT")  # fmt: skip


class Finding(NamedTuple):
    """One fact; `fix` is a shell command that mends it, for problems that one can mend."""

    section: str
    level: str
    text: str
    fix: str = ""


# -- the machine -----------------------------------------------------------------------------------


def check_system() -> Iterator[Finding]:
    """The distribution, and whether the driver can be had on this kind of machine at all."""
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    if problem := machine.why_not():
        yield Finding("system", PROBLEM, problem)
    yield Finding("system", OK, f"{name or platform.system()}, {platform.machine()}")


def _source() -> str:
    """Where this pydri came from, for pip. (A bare name would be whoever's the index has.)"""
    if products.is_checkout():
        return products.ROOT
    try:
        told = importlib.metadata.distribution("pydri").read_text("direct_url.json")
        url = json.loads(told or "{}").get("url", "")
    except (importlib.metadata.PackageNotFoundError, ValueError):
        url = ""
    return url or "FOLDER-OF-THE-SOURCE"


def check_python() -> Iterator[Finding]:
    """The interpreter that the driver runs in, and its packages."""
    name = f"Python {sys.version.split()[0]}"
    library = folder.libpython()
    if library:
        yield Finding("python", OK, f"{name} with {library}")
    else:
        another = ("apt-get install python3 libpython3-dev python3-venv && python3 -m venv .venv"
                   f" && .venv/bin/pip install {_source()}")  # fmt: skip
        debian = f"apt-get install libpython{sys.version_info[0]}.{sys.version_info[1]}"
        yield Finding(
            "python", PROBLEM, f"{name} has no shared libpython: programs that are no Python"
            " themselves cannot load it", debian if sys.base_prefix == "/usr" else another,
        )  # fmt: skip
    yield from _check_packages()


def _check_packages() -> Iterator[Finding]:
    """The packages as pyproject.toml bounds them, told by the metadata of the installation."""
    try:
        metadata = importlib.metadata.metadata("pydri")
    except importlib.metadata.PackageNotFoundError:
        yield Finding("python", NOTE, "pydri is not installed here: no versions are known to hold")
        return
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

    pip = f"{sys.executable} -m pip install"
    bounds = metadata["Requires-Python"] if "Requires-Python" in metadata else ""
    if not SpecifierSet(bounds).contains(sys.version.split()[0], prereleases=True):
        yield Finding("python", PROBLEM, f"this Python is not in '{bounds}'")
    for text in metadata.get_all("Requires-Dist") or []:
        wanted = Requirement(text)
        if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
            continue
        need = f"{wanted.name}{wanted.specifier}"
        try:
            found = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            yield Finding("python", PROBLEM, f"{wanted.name} is missing", f"{pip} '{need}'")
            continue
        if wanted.specifier.contains(found, prereleases=True):
            yield Finding("python", OK, f"{wanted.name} {found}")
        else:
            yield Finding("python", PROBLEM, f"{wanted.name} {found} is not in"
                          f" '{wanted.specifier}'", f"{pip} '{need}'")  # fmt: skip


def check_libraries(libdir: str) -> Iterator[Finding]:
    """What `pydri run` puts before the program."""
    wanted = products.PRODUCTS
    missing = [name for name in wanted if not os.path.exists(os.path.join(libdir, name))]
    again = f"{sys.executable} -P -m pydri.cli path"
    if missing and installed.is_package():
        yield Finding("libraries", NOTE, f"{libdir} is made at the first `pydri run`")
        return
    if missing:
        yield Finding("libraries", PROBLEM, f"{libdir} lacks {', '.join(missing)}", again)
        return
    yield Finding("libraries", OK, f"{libdir} (LD_LIBRARY_PATH; vendor/ for GLVND)")
    if installed.is_noexec(libdir):
        yield Finding("libraries", PROBLEM, f"{libdir} is mounted noexec: ld.so ignores what is in"
                      " it, and programs get the system's GL",
                      "export XDG_CACHE_HOME=/a/folder/of/yours")  # fmt: skip
    path = os.path.join(libdir, products.SIDECAR)
    facts = folder.read_sidecar(libdir)
    if not facts:
        yield Finding("libraries", PROBLEM, f"{path} is missing or empty", again)
        return
    if facts.get("libpython") and not os.path.exists(facts["libpython"]):
        yield Finding("libraries", PROBLEM, f"{path} names a libpython that is gone", again)
    yield from _check_kernels(libdir, again)


def _check_kernels(libdir: str, again: str) -> Iterator[Finding]:
    """The driver's own kernels beside its libraries, and whether they may be used."""
    from pydri.jit import cpu
    from pydri.util import place

    best = cpu.host().level
    level = cpu.shipped_level(os.path.join(libdir, cpu.SHIPPED), best)
    if level is None:
        yield Finding("libraries", NOTE, "the driver's kernels are not there: the first program"
                      f" compiles them, and each one if nothing is kept ({again})")  # fmt: skip
        return
    path = os.path.join(libdir, cpu.SHIPPED, cpu.level_folder(level))
    if not place.owned_by(os.stat(path), place.shippers(path)):
        yield Finding("libraries", PROBLEM, f"{path} may be written by others: it is not used",
                      f"chmod -R go-w {os.path.realpath(path)}")  # fmt: skip
        return
    less = "" if level is best else f"; this machine has {best.name}, for which {again} makes them"
    yield Finding("libraries", OK, f"kernels for {level.name}{less}")


def check_cpu() -> Iterator[Finding]:
    """The processor and whether machine code may be made at all."""
    from pydri.jit import cpu
    from pydri.util import cpus

    host = cpu.host()
    ours, threads = cpus.available(), os.cpu_count() or 1
    level = cpu.level()
    less = "" if level is host.level else f" of {host.level.name}"
    yield Finding("cpu", OK, f"{host.model}, {threads} threads, {cpu.native_vector_width()} bit "
                             f"vectors ({level.name}{less})")  # fmt: skip
    if ours < threads:
        yield Finding("cpu", NOTE, f"{ours} of {threads} threads may be used (CPU set, quota)")
    if host.level.width == 128:
        yield Finding("cpu", NOTE, "no AVX2: everything works, at a half or a quarter of the speed")
    if not _executable_memory():
        yield Finding("cpu", PROBLEM, "this system forbids memory that is written, then executed",
                      "setsebool -P deny_execmem 0")  # fmt: skip


def _executable_memory() -> bool:
    import mmap

    try:
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:
        return False
    page.close()
    return True


def check_cache() -> Iterator[Finding]:
    """Where compiled code is kept."""
    from pydri.jit.cache import cache_directory
    from pydri.util import place
    from pydri.util.options import options

    another = f"export MESA_SHADER_CACHE_DIR=/var/tmp/pydri-{os.geteuid()}"
    anew = "each start compiles anew"
    if options.MESA_SHADER_CACHE_DISABLE:
        yield Finding("cache", NOTE, "off (MESA_SHADER_CACHE_DISABLE): each start compiles anew")
        return
    directory = cache_directory()
    if directory is None:
        given = options.MESA_SHADER_CACHE_DIR or options.XDG_CACHE_HOME
        why = f"{given} is no absolute path" if given else "no home folder"
        yield Finding("cache", NOTE, f"{why}: {anew}", another)
        return
    existing = directory
    while not os.path.lexists(existing):
        existing = os.path.dirname(existing)
    if existing == directory and (os.path.islink(directory) or not os.path.isdir(directory)):
        yield Finding("cache", PROBLEM, f"{directory} is not a folder: {anew}", another)
    elif existing == directory and not place.is_private(os.stat(directory)):
        yield Finding("cache", PROBLEM, f"{directory} is not yours alone, so nothing in it is used:"
                                        f" {anew}", another)  # fmt: skip
    elif not os.access(existing, os.W_OK | os.X_OK):
        owner = os.stat(existing).st_uid
        whose = f" ({existing} belongs to user {owner})" if owner != os.geteuid() else ""
        # In a home of one's own that is what `sudo` has left: a problem, where others are a choice.
        ours = bool(whose) and _is_in_home(existing)
        mend = f"sudo chown -R {os.geteuid()} {existing}" if ours else another
        yield Finding("cache", PROBLEM if ours else NOTE,
                      f"{directory} cannot be written{whose}: {anew}", mend)  # fmt: skip
    else:
        yield Finding("cache", OK, directory)


def _is_in_home(path: str) -> bool:
    """Whether a folder is below a home that is this user's."""
    home = os.path.realpath(os.path.expanduser("~"))
    try:
        own = os.stat(home).st_uid == os.geteuid()
    except OSError:
        return False
    return own and os.path.realpath(path).startswith(home + "/")


def check_x(env: Mapping[str, str]) -> Iterator[Finding]:
    """The X server, asked with the libraries that a program would use."""
    import ctypes

    missing = []
    for name, package in _X_LIBRARIES.items():
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(package)
    if missing:
        yield Finding("x", PROBLEM, "client libraries of X are missing",
                      f"apt-get install {' '.join(missing)}")  # fmt: skip
        return
    display = env.get("DISPLAY", "")
    start = "Xvfb :99 -screen 0 1280x1024x24 & export DISPLAY=:99"
    if not display:
        if shutil.which("Xvfb", path=env.get("PATH")):
            yield Finding("x", NOTE, "DISPLAY is not set: `pydri run` starts an Xvfb")
        else:
            yield Finding("x", PROBLEM, "DISPLAY is not set: there is no X server to draw on",
                          "apt-get install xvfb")  # fmt: skip
        return
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XOpenDisplay.argtypes = [ctypes.c_char_p]
    handle = ctypes.c_void_p
    x11.XQueryExtension.argtypes = [handle, ctypes.c_char_p, handle, handle, handle]
    dpy = x11.XOpenDisplay(display.encode())
    if not dpy:
        yield Finding("x", PROBLEM, f"the X server {display} does not answer", start)
        return
    out = (ctypes.c_int * 3)()
    places = [ctypes.byref(out, 4 * n) for n in range(3)]
    here = {
        name: bool(x11.XQueryExtension(dpy, name.encode(), *places))
        for name in ("GLX", "MIT-SHM", "DRI3")
    }
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    x11.XCloseDisplay(dpy)
    yield Finding("x", OK, f"server {display}")
    for name, otherwise in (("GLX", "not needed"), ("MIT-SHM", "frames go through the socket")):
        if here[name]:
            yield Finding("x", OK, name)
        else:
            yield Finding("x", NOTE, f"no {name}: {otherwise}")
    yield Finding("x", NOTE, f"DRI3 {'is there' if here['DRI3'] else 'is not there'}: not used")


# -- the program -----------------------------------------------------------------------------------


def check_variables(env: Mapping[str, str]) -> Iterator[Finding]:
    """What is set that decides about GL."""
    for name in _VARIABLES:
        if env.get(name):
            yield Finding("environment", NOTE, f"{name}={env[name]}")


def check_program(name: str, env: Mapping[str, str], libdir: str) -> Iterator[Finding]:
    """How a program would find GL."""
    path = shutil.which(name, path=env.get("PATH"))
    if path is None:
        text = f"{name}: not found" if not os.path.exists(name) else f"{name}: not executable"
        fix = f"chmod +x {name}" if os.path.exists(name) else f"apt-cache search {name}"
        yield Finding("program", PROBLEM, text, fix)
        return
    try:
        program = examine(path, env)
    except OSError as problem:
        yield Finding("program", PROBLEM, f"{path}: {problem.strerror}")
        return
    yield from _describe(program, libdir)


def _describe(program: Program, libdir: str) -> Iterator[Finding]:
    kind = f"a script of {program.script}" if program.script else "a program"
    elf = program.elf
    if elf.bits == 0:
        yield Finding("program", PROBLEM, f"{program.path} is {kind}, which is no ELF file")
        return
    yield Finding("program", OK, f"{program.path}: {kind}, {elf.bits} bit, {elf.machine}")
    if elf.bits != 64 or elf.machine != "x86-64":
        yield Finding("program", PROBLEM, "only 64-bit x86 programs can load this driver")
        return
    if not elf.dynamic or not (elf.interpreter or elf.soname):
        yield Finding("program", PROBLEM, "it is static: it loads no libraries, so no GL of ours")
        return
    ours = os.path.realpath(libdir)
    if program.privileged:
        yield Finding(
            "program", PROBLEM,
            "it is set-uid or has capabilities: ld.so ignores LD_PRELOAD and LD_LIBRARY_PATH, and"
            " the driver does not start with rights that are not its user's",
        )  # fmt: skip
    for library in program.libraries:
        if not library.path:
            yield Finding("program", PROBLEM, f"{library.name} (for {library.by}) is not found",
                          f"apt-file search {library.name}")  # fmt: skip
    linked = program.linked_gl()
    for library in linked:
        whose = "ours" if os.path.realpath(library.path).startswith(ours) else "the system's"
        yield Finding("program", OK, f"linked with {library.name} (for {library.by}): now {whose},"
                                     f" {library.path} ({library.how})")  # fmt: skip
        if library.how == "rpath" and whose != "ours":
            yield Finding(
                "program", NOTE,
                "its RPATH comes before LD_LIBRARY_PATH; `pydri run` preloads, which comes first",
            )  # fmt: skip
    if linked:
        yield Finding("program", OK, f"under `pydri run` all of them are {libdir}'s")
    elif program.opens:
        names = ", ".join(program.opens)
        yield Finding(
            "program", OK,
            f"opens {names} when it runs (it or a library names them): `pydri run` comes first",
        )  # fmt: skip
    else:
        names = ", ".join(GL_NAMES)
        yield Finding(
            "program", NOTE,
            f"neither it nor its libraries name {names}: plugins may, or it uses no GL",
        )  # fmt: skip
    yield from _embedding(program)


def _embedding(program: Program) -> Iterator[Finding]:
    version = program.python()
    mine = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if version and version != mine:
        yield Finding(
            "program", PROBLEM,
            f"it is linked with Python {version}; one process holds one Python, and ours is {mine}",
            f"python{version} -m pip install {_source()}",
        )  # fmt: skip
    elif version:
        yield Finding("program", OK, f"it embeds Python {version} as ours: the driver joins it")


def diagnose(program: str | None, env: Mapping[str, str], libdir: str) -> list[Finding]:
    """All that there is to say."""
    found = [*check_system(), *check_python(), *check_libraries(libdir), *check_cpu()]
    found += [*check_cache(), *check_x(env)]
    found += check_variables(env)
    if program is not None:
        found += check_program(program, env, libdir)
    return found


_INSTALL = "apt-get install "


def commands(problems: list[Finding]) -> list[str]:
    """What mends them, each command once; Debian packages are installed by one."""
    fixes = list(dict.fromkeys(problem.fix for problem in problems if problem.fix))
    alone = [fix for fix in fixes if fix.startswith(_INSTALL) and "&" not in fix]
    if len(alone) < 2:
        return fixes
    packages = dict.fromkeys(word for fix in alone for word in fix.removeprefix(_INSTALL).split())
    return [_INSTALL + " ".join(packages), *(fix for fix in fixes if fix not in alone)]


def report(found: list[Finding]) -> str:
    """The findings for people, and at the end the commands that mend what is wrong."""
    signs = {OK: "  ok     ", NOTE: "  note   ", PROBLEM: "  PROBLEM"}
    lines: list[str] = []
    section = ""
    for finding in found:
        if finding.section != section:
            section = finding.section
            lines.append(section)
        lines.append(f"{signs[finding.level]} {finding.text}")
    problems = [finding for finding in found if finding.level == PROBLEM]
    if problems:
        lines += ["", "to mend it:" if any(p.fix for p in problems) else "there is no remedy here"]
        lines += [f"    {command}" for command in commands(problems)]
    else:
        lines += ["", "nothing is missing"]
    return "\n".join(lines) + "\n"


def as_json(found: list[Finding]) -> str:
    """The same for programs."""
    problems = sum(finding.level == PROBLEM for finding in found)
    rows = [finding._asdict() for finding in found]
    return json.dumps({"problems": problems, "findings": rows}, indent=1) + "\n"
