# SPDX-License-Identifier: MIT
"""GL state and the API on it, cut into rooms by subject.

Here: `layout.py` (the one declaration of the native state), `defaults.py` (its initial one, which
`default_kernels.py` copies), `kernels.py` (what every native entry point is made of), `core.py`
(the image of them all), `context.py`, `entries.py`. Each subject is a folder (`buffers`,
`textures`, `state` ...) and all have the same shape; what a room does not need it does not have:

    layout.py    its part of the native state: structs
    tables.py    what exists and what may be set; no code that changes state
    kernels.py   the native entry points (imported only when the core image has to be made)
    entries.py   the Python entry points, for what no kernel does (imported at the first of them)

A room with a second subject has more files of the same kinds, `SUBJECT_kernels.py` and so on. The
docstring of each room says in which order to read it.
"""
