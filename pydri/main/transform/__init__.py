# SPDX-License-Identifier: MIT
"""Transform feedback: what a program's vertices are goes to buffers (EXT_transform_feedback; OpenGL
4.6, 13.3).

In: programs (what they capture is found when they are linked), numbered binding points of buffers.
Out: `ctx.transform`, and what drivers read of it in `dyn` (st/programs/captures.py)."""
