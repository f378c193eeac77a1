# SPDX-License-Identifier: MIT
"""The folder of libGL.so.1: where it is, and what lies in it.

In: nothing. Out: names, which who starts a program or calls `pydri.load()` needs; what else there
is to say of that folder, and who makes it, is in folder.py and build.py, which import much more.
"""

import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIDECAR = "pydri.sidecar"
LINKED = [
    "libGL.so.1", "libGLX.so.0", "libOpenGL.so.0", "libEGL.so.1", "libGLESv1_CM.so.1",
    "libGLESv2.so.2", "libOSMesa.so.8",
]  # fmt: skip
"""What programs are linked with, the first three for GLX; all code is in the first, but for the
entry points' own of OpenGL ES, which its libraries export and no other."""
FILTERS = ["libEGL.so.1", "libOSMesa.so.8"]
"""Those that are nothing but names for what libGL.so.1 exports, too."""
UNNUMBERED = [f"names/{name[: name.index('.so') + 3]}" for name in LINKED]
"""Libraries whose SONAME has no number, for who opens `libGL.so` where the folder is on no search
path (pydri.load()): ld.so takes a loaded library for the one that is asked for by its SONAME."""
EGL_VENDOR = "vendor/libEGL_pydri.so.0"
CORE_LIBRARY = "_core.so"
PRODUCTS = [*LINKED, *UNNUMBERED, "vendor/libGLX_pydri.so.0", EGL_VENDOR, CORE_LIBRARY]
ICD = "vendor/50_pydri.json"
OBJECTS = "objects"  # the driver's own kernels, a folder for each level (prebuild.py)
STAMP = ".stamp"  # what the libraries were compiled of (build.py)


def is_checkout() -> bool:
    """Whether we run from the source tree. (A pyproject.toml is no sign of it: other people's
    wheels leave one in site-packages.)"""
    return os.path.exists(os.path.join(ROOT, "scripts", "run_program.py"))


def default_out() -> str:
    """build/lib in a checkout, else the installed package's own folder."""
    if is_checkout():
        return os.path.join(ROOT, "build", "lib")
    return os.path.join(ROOT, "pydri", "lib")
