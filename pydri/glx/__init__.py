# SPDX-License-Identifier: MIT
"""GLX 1.4 on the application's own display.

In: the glX calls of a program.  Out: FBConfigs made from the X visuals, contexts, drawables, frames
in windows. The server's GLX extension is never asked, so servers without one do as well.
`entries.py` registers the entry points; `native.py` holds those that a steady frame uses, as
kernels.
"""
