# SPDX-License-Identifier: MIT
"""Compiles, at build time, the kernels that every program needs: the driver's own machine code;
and notes in which modules the Python entry points are.

In: the folder of libGL.so.1. Out: its folder `objects`, which the object cache reads like its own
(pydri/jit/cache.py). What remains for the first run of a program is the code of its pipelines.
Runs in a process of its own, since LLVM stays in memory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def _modules() -> list[object]:
    """The modules that no state changes, in the form the driver asks for them."""
    from pipe_llvm.core import core_module
    from pipe_llvm.sample.table import common_keys, sampler_module
    from pipe_llvm.setup_any import any_module
    from pydri.egl import native as egl
    from pydri.glx import native as glx
    from pydri.main import core
    from pydri.main.textures.image_loader import images_module
    from pydri.st.context import register_rooms
    from pydri.st.pixels import pixel_module
    from pydri.st.texels import common_modules
    from pydri.vbo.images import save_module
    from winsys_x11 import present

    register_rooms()
    driver = [core.core_module(), core_module(), any_module(), save_module(), pixel_module()]
    driver += [sampler_module(key) for key in common_keys()]
    driver += [images_module(), *common_modules()]
    return [*driver, glx.FRONT.module, egl.FRONT.module, present.MODULE]


def compile_into(folder: str) -> int:
    """Fill `folder` with objects; returns how many."""
    from pydri.jit import cache, compiler, cpu, image
    from pydri.st.context import know_all_entries

    salt = cache.build_id() + cpu.cpu_id()
    cache.use(cache.ObjectCache(folder, salt))
    modules = _modules()
    for module in modules:
        try:
            compiler.compile_module(module)  # type: ignore[arg-type]
        except image.ImageError:
            pass  # compiled and kept; functions of X11 or of the shim are simply not loaded here
    know_all_entries()
    return len(modules)


def prebuild(out: str) -> None:
    """Compile into `out`/objects, replacing what an earlier build left there."""
    from pydri.jit.cache import SHIPPED

    fresh = os.path.join(out, SHIPPED + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = (
        f"import sys; sys.path.insert(0, {top!r})\n"
        f"from libgl_shim import prebuild\nprebuild.compile_into({fresh!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    os.chmod(fresh, 0o755)  # whoever may load the libraries may read these
    for name in os.listdir(fresh):
        os.chmod(os.path.join(fresh, name), 0o644)
    target = os.path.join(out, SHIPPED)
    shutil.rmtree(target, ignore_errors=True)
    os.replace(fresh, target)


if __name__ == "__main__":
    prebuild(os.path.abspath(sys.argv[1]))
