# SPDX-License-Identifier: MIT
"""Compiles, at build time, the kernels that every program needs: the driver's own machine code;
and notes in which modules the Python entry points are.

In: the folder of libGL.so.1, a level of the processor. Out: a folder of that level in its folder
`objects` (pydri/jit/cpu.py), which the object cache reads like its own (pydri/jit/cache.py).
What remains for the first run of a program is the code of its pipelines. It runs in processes of
their own, since LLVM stays in memory: several, which draw numbers of modules from one pipe and tell
through another one what they have done.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydri.jit.kernel import Module

_MOST_PROCESSES = 4  # the longest module takes a quarter of the time of all
_MOST_MODULES = 256  # a number is a byte


def _modules() -> list[Module]:
    """The modules that no state changes, in the form the driver asks for them; those that take
    longest come first."""
    from pipe_llvm.core import core_module
    from pipe_llvm.sample.table import common_keys, sampler_module
    from pipe_llvm.setup.any_image import any_module
    from pydri.dri.compiled import callbacks
    from pydri.egl import native as egl
    from pydri.glx import native as glx
    from pydri.main.textures.image_loader import images_module
    from pydri.osmesa import native as osmesa
    from pydri.st.pixels.load import pixel_module
    from pydri.st.textures.load import common_modules
    from pydri.vbo.images import save_module
    from winsys_x11 import present

    driver = [core_module(), any_module(), save_module(), pixel_module()]
    driver += [sampler_module(key) for key in common_keys()]
    driver += [images_module(), *common_modules()]
    fronts = [front.FRONT.module for front in (glx, egl, osmesa)]
    return [*driver, *fronts, present.MODULE, callbacks.MODULE]


def compile_into(folder: str, level: str = "") -> None:
    """Fill `folder` with objects for a level (none: the process's): those whose numbers, a byte
    each, are read from standard input, so that processes share the work. Says in a line how many
    there are in all, then in one each that it is done.
    """
    from pydri.jit import cache, compiler, cpu
    from pydri.util.options import options

    if level:
        cpu.work_on(next(row for row in cpu.LEVELS if row.name == level))
    compiler.at_leisure = True
    with options(LP_NATIVE_VECTOR_WIDTH=None):
        cache.use(cache.ObjectCache(folder, cache.process_salt()))
        _compile_numbers()


def _compile_numbers() -> None:
    from pydri.main import core
    from pydri.st.context import know_all_entries, register_rooms

    register_rooms()
    work: list[Callable[[], None]] = [know_all_entries, core.know_forms, _know_formats]
    work += [partial(_compile, module) for module in _modules()]
    assert len(work) <= _MOST_MODULES
    _tell(f"of {len(work)}")
    while number := os.read(0, 1):
        if number[0] < len(work):
            work[number[0]]()
            _tell("done")


def _know_formats() -> None:
    """Have the driver's formats found out."""
    from pipe_llvm.screen import LlvmScreen
    from pydri.main.driver_tables import driver_table

    screen = LlvmScreen(None)
    for finder in ("textures.image_formats", "framebuffers.target_formats"):
        driver_table(screen, f"pydri.main.{finder}")


def _tell(line: str) -> None:
    """Write a line whole: other processes write to the same pipe."""
    os.write(1, f"{line}\n".encode())


def _compile(module: Module) -> None:
    from pydri.jit import compiler, image

    try:
        compiler.begin_module(module)()
    except image.ImageError:
        pass  # compiled and kept; functions of X11 or of the shim are simply not loaded here


def _start(folder: str, level: str, numbers: int, said: int) -> subprocess.Popen[bytes]:
    """A process that compiles."""
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = (
        f"import sys; sys.path.insert(0, {top!r})\n"
        f"from libgl_shim import prebuild\nprebuild.compile_into({folder!r}, {level!r})"
    )
    return subprocess.Popen([sys.executable, "-P", "-c", code], stdin=numbers, stdout=said)


def _run(folder: str, level: str, progress: Callable[[int, int], None]) -> None:
    """Have all compiled, by as many processes as there are processors, within reason."""
    from pydri.util import cpus

    numbers, give = os.pipe()
    os.write(give, bytes(range(_MOST_MODULES)))
    os.close(give)
    listen, said = os.pipe()
    count = min(cpus.available(), _MOST_PROCESSES)
    running = [_start(folder, level, numbers, said) for _ in range(count)]
    os.close(numbers)
    os.close(said)
    done = total = 0
    with open(listen, encoding="utf-8") as lines:
        for line in lines:
            word, _, number = line.partition(" ")
            total = int(number) if word == "of" else total
            done += word == "done\n"
            progress(done, total)
    failed = [process for process in running if process.wait()]
    if failed:
        raise subprocess.CalledProcessError(failed[0].returncode, failed[0].args)


def prebuild(out: str, level: str, folder: str, progress: Callable[[int, int], None]) -> None:
    """Compile for a level into `folder` of `out`/objects. `progress` is told how many are done, of
    how many. What is there of other sources goes."""
    from pydri.jit.cpu import SHIPPED

    target = os.path.join(out, SHIPPED)
    if os.path.islink(target):
        os.unlink(target)
    os.makedirs(target, 0o755, exist_ok=True)
    fresh = os.path.join(target, ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    os.mkdir(fresh, 0o700)
    _run(fresh, level, progress)
    for name in os.listdir(fresh):
        os.chmod(os.path.join(fresh, name), 0o644)  # whoever may load the libraries may read these
    os.chmod(fresh, 0o755)
    known = folder.removeprefix(level)
    for name in os.listdir(target):
        if not name.endswith(known) or name == folder:
            _remove(os.path.join(target, name), but=fresh)
    os.replace(fresh, os.path.join(target, folder))


def _remove(path: str, but: str) -> None:
    if path == but:
        return
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)
