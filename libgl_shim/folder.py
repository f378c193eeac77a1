# SPDX-License-Identifier: MIT
"""The folder of libGL.so.1: what lies in it, and what is of its place.

In: a folder with the compiled libraries (build.py). Out: the sidecar, which tells the boot where
Python and its packages are; the links without a number; the description of the EGL vendor. They
name paths of this machine, so a wheel carries none of them: they are written where the driver will
run. The names of all that is there are in products.py.
"""

import hashlib
import importlib.machinery
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator

from libgl_shim import start_image
from libgl_shim.products import (
    EGL_VENDOR,
    ICD,
    LINKED,
    OBJECTS,
    PRODUCTS,
    ROOT,
    SIDECAR,
    STAMP,
)
from pydri.util import source_tree

_DEPENDENCIES = ("numpy", "llvmlite", "cffi", "_cffi_backend")
_VERSION_CODE = "import llvmlite.binding as b; print('.'.join(map(str, b.llvm_version_info)))"


def libpython() -> str:
    """Absolute path of this Python's shared library; "" if there is none. One that was moved after
    it was built, as conda's and uv's are, has it beside its executable, and not where the build
    has noted it: another Python may be there by now."""
    names = [sysconfig.get_config_var(v) for v in ("INSTSONAME", "LDLIBRARY")]
    folders = [os.path.join(sys.base_prefix, "lib")]
    folders += [sysconfig.get_config_var(v) for v in ("LIBDIR", "LIBPL")]
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


def _extensions(stdlib: str) -> str:
    """The folder of the standard library's compiled modules, for which likewise what the build has
    noted comes last."""
    beside = os.path.join(stdlib, "lib-dynload")
    noted = sysconfig.get_config_var("DESTSHARED")
    return noted if noted and not os.path.isdir(beside) else beside


# -- packages --------------------------------------------------------------------------------------


def _folders_for_all() -> Iterator[str]:
    """Those that this interpreter has whoever calls it, and from where."""
    import site

    yield from (ROOT, sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
    yield from site.getsitepackages()


def _site_folders() -> Iterator[str]:
    """Where packages may be, those of the installation first. PYTHONPATH comes last, so that the
    sidecar does not change with the caller's environment; the current directory is never looked in.
    """
    import site

    yield from _folders_for_all()
    if site.ENABLE_USER_SITE:
        yield site.getusersitepackages()
    try:
        here = os.getcwd()
    except OSError:  # it was removed
        here = ""
    yield from (path for path in sys.path if os.path.isabs(path) and path != here)


def _found_in(package: str) -> str:
    """The folder in which an installed package of that name is; "" if there is none."""
    for folder in dict.fromkeys(_site_folders()):
        spec = importlib.machinery.PathFinder.find_spec(package, [folder])
        if spec is not None and spec.origin is not None:  # a folder without code has no origin
            return folder
    return ""


def package_folders() -> list[str]:
    """What the driver's interpreter needs on sys.path: our own tree, this Python's folder of
    packages, and others in which dependencies were found (an environment with
    --system-site-packages, Debian's dist-packages, `pip install --user`)."""
    folders = [ROOT, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    folders += [_found_in(package) for package in _DEPENDENCIES]
    return [folder for folder in dict.fromkeys(folders) if folder]


def _llvmlite_mark() -> str:
    """What tells one llvmlite from another without importing it; "" if there is none."""
    folder = os.path.join(_found_in("llvmlite") or "/nowhere", "llvmlite")
    mark = hashlib.sha256(folder.encode("utf-8", "surrogateescape"))
    try:
        with open(os.path.join(folder, "_version.py"), "rb") as file:
            mark.update(file.read())
        library = os.stat(os.path.join(folder, "binding", "libllvmlite.so"))
    except OSError:
        return ""
    mark.update(repr((library.st_size, library.st_mtime_ns)).encode())
    return mark.hexdigest()[:32]


def _llvm_version() -> str:
    """LLVM's version as llvmlite says it, in a process of its own (LLVM stays in memory). -P: what
    lies in the current directory is not imported."""
    command = [sys.executable, "-P", "-c", _VERSION_CODE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()


# -- the sidecar -----------------------------------------------------------------------------------


def read_sidecar(out: str) -> dict[str, str]:
    """Its lines, the first of each key; empty if there is none."""
    facts: dict[str, str] = {}
    try:
        with open(os.path.join(out, SIDECAR), encoding="utf-8") as file:
            for line in file:
                key, _, value = line.rstrip("\n").partition("=")
                facts.setdefault(key, value)
    except (OSError, UnicodeDecodeError):
        return {}
    return facts


def sidecar_text(old: dict[str, str]) -> str:
    """Where the interpreter of this build finds itself and us. `old` are the lines of an earlier
    one: LLVM is asked for its version (0.2 s) only if llvmlite is another one since, and sources
    are read only if they look otherwise."""
    stdlib = sysconfig.get_path("stdlib")
    zipped = os.path.join(
        os.path.dirname(stdlib), f"python{sys.version_info[0]}{sys.version_info[1]}.zip"
    )
    mark = _llvmlite_mark()
    known = old.get("llvm", "") if mark and old.get("llvmlite") == mark else ""
    rows = [
        ("libpython", libpython()),
        ("home", sys.base_prefix),
        ("executable", sys.executable),
        ("version", f"{sys.version_info[0]}.{sys.version_info[1]}"),
        ("abi", str(sysconfig.get_config_var("SOABI"))),
        ("llvm", known or _llvm_version()),
        ("llvmlite", mark),
        ("stdlib", zipped),
        ("stdlib", stdlib),
        ("stdlib", _extensions(stdlib)),
    ]
    rows += [("path", path) for path in package_folders()]
    roots = source_tree.source_roots()
    rows += [*(("look", root) for root in roots), ("besides", source_tree.TOOLS)]
    seen = source_tree.appearance(roots)
    sources = old.get("sources") if old.get("seen") == seen else ""  # nobody has touched them
    rows += [("sources", sources or source_tree.contents(roots)), ("seen", seen)]
    return "".join(f"{key}={value}\n" for key, value in rows)


def is_complete(out: str) -> bool:
    """Whether libraries, sidecar and start image are there and right."""
    if not all(os.path.exists(os.path.join(out, name)) for name in (*PRODUCTS, SIDECAR)):
        return False
    text = sidecar_text(read_sidecar(out))
    return _says(os.path.join(out, SIDECAR), text) and start_image.is_current(out, text)


def looked_at(out: str) -> list[str]:
    """The files and folders on which it depends what is right there, beside the sources of our
    packages; none if it depends on more: on whose call it is."""
    places = list(dict.fromkeys(_folders_for_all()))
    found = [_found_in(name) for name in _DEPENDENCIES]
    if not set(found) <= set(places):
        return []
    last = max(map(places.index, found))  # what appears in a later folder is not taken
    llvmlite = os.path.join(_found_in("llvmlite"), "llvmlite")
    here = os.path.dirname(os.path.abspath(__file__))
    names = (*PRODUCTS, SIDECAR, start_image.NAME, STAMP, ICD, OBJECTS)
    return [
        *places[: last + 1], here, *sorted(entry.path for entry in os.scandir(here)),
        *(os.path.join(llvmlite, name) for name in ("_version.py", "binding/libllvmlite.so")),
        *(os.path.join(out, name) for name in names),
    ]  # fmt: skip


def write_sidecar(out: str) -> bool:
    """Write the sidecar if it is missing or says something else; True if it was written. The links,
    the description of the EGL vendor and the start image go with it.

    SystemExit if this interpreter cannot run the driver: a folder that works for another one stays
    as it is."""
    lacking = [name for name in _DEPENDENCIES if not _found_in(name)]
    if lacking:
        raise SystemExit(f"pydri: {sys.executable} has no {', '.join(lacking)}: install them there,"
                         f" or use another Python; {out} was left as it is")  # fmt: skip
    _link_names(out)
    _write_changed(os.path.join(out, ICD), _icd_text(out))
    text = sidecar_text(read_sidecar(out))
    start_image.write(out, text)
    return _write_changed(os.path.join(out, SIDECAR), text)


def _link_names(out: str) -> None:
    """The names without a number, as links: where Debian's -dev packages are installed, who looks
    for `libGL.so` on LD_LIBRARY_PATH would find the system's. (Links, and not the libraries of
    UNNUMBERED: a program that is linked with `-L out -lGL` is to need libGL.so.1.)"""
    for name in LINKED:
        link = os.path.join(out, name[: name.index(".so") + 3])
        if not os.path.lexists(link):
            try:
                os.symlink(name, link)
            except OSError:
                return  # a folder that is not ours to write: the numbered names do without


def _icd_text(out: str) -> str:
    """How GLVND's libEGL finds our vendor: by path, since it looks up a bare name in the system."""
    library = json.dumps(os.path.join(out, EGL_VENDOR))
    return (
        '{\n  "file_format_version": "1.0.0",\n'
        f'  "ICD": {{ "library_path": {library} }}\n}}\n'
    )


def _says(path: str, text: str) -> bool:
    """Whether a file says just that."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read() == text
    except (OSError, UnicodeDecodeError):
        return False


def _write_changed(path: str, text: str) -> bool:
    """Replace a file that says something else; True if it did."""
    if _says(path, text):
        return False
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)
    return True
