# SPDX-License-Identifier: MIT
"""`pydri info`: versions, processor, driver, what GL says of itself, paths, the cache's contents.

In: this machine. Out: a dict of sections. What GL says is asked of a real context (offscreen.py):
the driver joins this Python; no X server is needed. Limits are those that glGetIntegerv knows.
"""

import ctypes
import importlib.metadata
import os
import sys
from typing import Any

_GL_STRINGS = {"vendor": 0x1F00, "renderer": 0x1F01, "version": 0x1F02}
_GL_EXTENSIONS = 0x1F03
# Two numbers each.
_PAIRS = frozenset(("GL_MAX_VIEWPORT_DIMS",))


def versions() -> dict[str, str]:
    """Of everything that takes part."""
    from pydri import __version__
    from pydri.util import place

    out = {"pydri": __version__, "python": sys.version.split()[0]}
    for package in ("llvmlite", "cffi", "numpy"):
        try:
            out[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            out[package] = "missing"
    llvm = place.llvm_version()
    if llvm:
        out["llvm"] = llvm
    return out


def processor() -> dict[str, Any]:
    """What kernels are made for."""
    from pydri.jit import cpu
    from pydri.util import cpus

    host = cpu.host()
    return {
        "model": host.model,
        "level": host.level.name,
        "threads": os.cpu_count() or 1,
        "of them ours": cpus.available(),
        "vector width": cpu.native_vector_width(),
        "flags": " ".join(sorted(host.flags & {"sse4_1", "avx", "avx2", "fma", "f16c", "avx512f"})),
    }


def paths(libdir: str) -> dict[str, str]:
    """Where things are."""
    import pydri
    from pydri.jit.cache import cache_directory
    from pydri.jit.cpu import shipped_directory
    from pydri.loader.search import driver_name, search_path

    shipped = shipped_directory()
    return {
        "libraries": libdir,
        "glvnd vendor": os.path.join(libdir, "vendor"),
        "package": os.path.dirname(pydri.__file__),
        "drivers": search_path(),
        "driver": driver_name(),
        "cache": cache_directory() or "none",
        "shipped kernels": shipped if shipped and os.path.isdir(shipped) else "none",
    }


def cache_contents() -> dict[str, int]:
    """Objects and bytes in the on-disk cache."""
    from pydri.jit.cache import cache_directory

    objects = size = 0
    folder = cache_directory()
    if folder is not None and os.path.isdir(folder):
        for entry in os.scandir(folder):
            if entry.is_file(follow_symlinks=False):
                objects += 1
                size += entry.stat(follow_symlinks=False).st_size
    return {"objects": objects, "bytes": size}


def gl(libdir: str) -> dict[str, Any]:
    """What GL says of itself; {"error": why} if no context can be had."""
    from pydri.tools.offscreen import Offscreen

    try:
        context = Offscreen(libdir, 1, 1)
    except (OSError, RuntimeError) as problem:
        return {"error": str(problem)}
    out: dict[str, Any] = {name: context.string(value) for name, value in _GL_STRINGS.items()}
    out["extensions"] = context.string(_GL_EXTENSIONS).split()
    out["limits"] = _limits(
        context.function("glGetIntegerv", None, ctypes.c_uint, ctypes.POINTER(ctypes.c_int)),
        context.function("glGetError", ctypes.c_uint),
    )
    context.close()
    return out


def _limits(get_integer: Any, get_error: Any) -> dict[str, Any]:
    from pydri.api import enums
    from pydri.api.enum_names import constants_of

    found: dict[str, Any] = {}
    seen: set[int] = set()
    values = (ctypes.c_int * 16)()
    for name, value in constants_of(vars(enums)).items():
        if not name.startswith("GL_MAX_") or name.endswith(("_ARB", "_EXT")) or value in seen:
            continue
        assert isinstance(value, int)
        seen.add(value)
        values[0] = -1
        get_integer(value, values)
        if get_error() == 0:
            found[name] = list(values[:2]) if name in _PAIRS else values[0]
    return found


def collect(libdir: str) -> dict[str, Any]:
    """Every section, of a process that has not asked for a level of the processor yet: which one
    its kernels are of depends on those beside the libraries."""
    from pydri.util import place

    place.set_libdir(libdir)
    where = paths(libdir)
    return {
        "versions": versions(),
        "cpu": processor(),
        "gl": gl(libdir),
        "paths": where,
        "cache": cache_contents(),
    }


def report(sections: dict[str, Any]) -> str:
    """For people."""
    lines: list[str] = []
    for section, content in sections.items():
        lines.append(section)
        for name, value in content.items():
            if isinstance(value, dict):
                lines.append(f"  {name}")
                lines += [f"    {key:<44} {number}" for key, number in value.items()]
            elif isinstance(value, list):
                lines.append(f"  {name} ({len(value)})")
                lines += [f"    {word}" for word in value]
            else:
                lines.append(f"  {name:<16} {value}")
    return "\n".join(lines) + "\n"
