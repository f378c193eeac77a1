# SPDX-License-Identifier: MIT
"""The DRI room: driver and winsys become a screen, a state tracker a context, a window a drawable.

In: pydri.loader and a winsys.  Out: DriScreen, DriContext, DriDrawable for pydri.glx; the native
struct of a drawable (`native.py`) and the swap kernel (`swap.py`).
"""
