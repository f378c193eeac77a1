# SPDX-License-Identifier: MIT
"""The peer's GL without a window, by ctypes: run in a process of its own, which `ask` starts.

`ask(function, *arguments)` calls a function of a module by name in that process, and gives what it
returns (anything that pickle takes). The function gets a `Peer` first, whose context is one of the
compatibility profile, or with `ask_core` one of the core profile.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from pydri.api import enums
from tests import host

POINTER, INT, ENUM, FLOAT = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_float
NEEDS = ("libgl1-mesa-dri", "libegl1")
_EGL_OPENGL_API, _EGL_SURFACE_TYPE, _EGL_PBUFFER_BIT, _EGL_NONE = 0x30A2, 0x3033, 1, 0x3038
#: EGL_CONTEXT_MAJOR_VERSION, EGL_CONTEXT_MINOR_VERSION, EGL_CONTEXT_OPENGL_PROFILE_MASK
_CORE = (0x3098, 3, 0x30FB, 3, 0x30FD, 1, _EGL_NONE)
#: arguments of the calls that are used: i int, u enum or unsigned, f float, p pointer
SIGNATURES = {
    "GetError": "", "TexImage1D": "uiiiiuup", "TexImage2D": "uiiiiiuup", "TexImage3D": "uiiiiiiuup",
    "CompressedTexImage2D": "uiuiiiip", "GetTexImage": "uiuup", "GetCompressedTexImage": "uip",
    "GetTexLevelParameteriv": "uiup", "PixelStorei": "ui", "PixelTransferf": "uf",
    "PixelTransferi": "ui", "PixelMapfv": "uip", "GenerateMipmap": "u", "BindTexture": "uu",
    "TexSubImage2D": "uiiiiiuup", "GetIntegerv": "up", "TexParameteri": "uui",
    "GenTextures": "ip", "GenFramebuffers": "ip", "BindFramebuffer": "uu", "DrawBuffer": "u",
    "ReadBuffer": "u", "FramebufferTexture2D": "uuuui", "CheckFramebufferStatus": "u",
    "GenRenderbuffers": "ip", "BindRenderbuffer": "uu", "RenderbufferStorage": "uuii",
}  # fmt: skip


class Peer:
    """Calls by name; `p.TexImage2D(...)` takes ints and numpy arrays (or addresses)."""

    def __init__(self, core: bool = False) -> None:
        egl = ctypes.CDLL("libEGL.so.1")
        egl.eglGetDisplay.restype = egl.eglCreateContext.restype = POINTER
        egl.eglGetProcAddress.restype = POINTER
        display = POINTER(egl.eglGetDisplay(None))
        assert egl.eglInitialize(display, None, None) and egl.eglBindAPI(_EGL_OPENGL_API)
        config, found = POINTER(), INT()
        wanted = (INT * 3)(_EGL_SURFACE_TYPE, _EGL_PBUFFER_BIT, _EGL_NONE)
        egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(found))
        asked = (INT * len(_CORE))(*_CORE) if core else None
        context = POINTER(egl.eglCreateContext(display, config, None, asked))
        assert egl.eglMakeCurrent(display, None, None, context)
        self._egl = egl
        self._calls: dict[str, Callable[..., Any]] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        found = self._calls.get(name)
        if found is None:
            types = [{"i": INT, "u": ENUM, "f": FLOAT, "p": POINTER}[c] for c in SIGNATURES[name]]
            address = self._egl.eglGetProcAddress(b"gl" + name.encode())
            raw = ctypes.CFUNCTYPE(ENUM, *types)(address)

            def call(*args: Any) -> Any:
                return raw(*(a.ctypes.data if hasattr(a, "ctypes") else a for a in args))

            found = self._calls[name] = call
        return found

    def level(self, pname: int, target: int = enums.GL_TEXTURE_2D, level: int = 0) -> int:
        """glGetTexLevelParameteriv."""
        out = INT(-77)
        self.GetTexLevelParameteriv(target, level, pname, ctypes.byref(out))
        return out.value


def ask(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the peer says: `function(Peer(), *arguments)` in another process."""
    return _ask(function, arguments, core=False)


def ask_core(function: Callable[..., Any], *arguments: Any) -> Any:
    """The same in a context of the core profile, where names have to be generated."""
    return _ask(function, arguments, core=True)


def _ask(function: Callable[..., Any], arguments: tuple[Any, ...], core: bool) -> Any:
    env = host.side("peer", EGL_PLATFORM="surfaceless", PYTHONPATH=str(host.ROOT))
    job = pickle.dumps((function.__module__, function.__name__, arguments, core))
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.pipe.peer"], input=job, env=env, cwd=host.ROOT,
        stdout=subprocess.PIPE, timeout=60, check=True,
    )  # fmt: skip
    return pickle.loads(done.stdout)


def main() -> None:
    """The other process."""
    import importlib

    out = os.dup(1)
    os.dup2(2, 1)  # what a driver prints is no answer
    module, name, arguments, core = pickle.load(sys.stdin.buffer)
    answer = getattr(importlib.import_module(module), name)(Peer(core), *arguments)
    with os.fdopen(out, "wb") as f:
        pickle.dump(answer, f)


if __name__ == "__main__":
    main()
