# SPDX-License-Identifier: MIT
"""The EGL room: EGL 1.5 as a second front over pydri.dri, beside GLX.

In: egl* calls (pydri.api.dispatch).  Out: displays, configs, surfaces, contexts and syncs on X11,
surfaceless and device platforms.  `entries` registers everything; `native` holds the kernels of a
steady frame.
"""
