# SPDX-License-Identifier: MIT
"""The OSMesa room: off-screen rendering into memory of the program, a front over pydri.dri beside
GLX and EGL.

In: OSMesa* calls (pydri.api.dispatch). Out: contexts whose drawables end in the program's buffers.
`entries` registers everything; `native` holds the kernels of a steady frame.
"""
