# SPDX-License-Identifier: MIT
"""Screens, contexts and drawables of compiled drivers: NAME_dri.so, as Mesa builds them.

In: what the loader has bound (pydri/loader/compiled.py).  Out: the three classes of
pydri/dri/base.py, which GLX and EGL use as those of our own drivers.  How they work says README.md.
"""
