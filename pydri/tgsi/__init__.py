# SPDX-License-Identifier: MIT
"""TGSI: Gallium's token streams, which state trackers gave drivers before NIR.

`opcodes.py`, `enums.py` and `layout.py` are the tables; `registers.py` and `parse.py` the data
structures and their tokens; `ureg.py` builds streams; `dump.py` and `text.py` are the text form;
`sanity.py` the law; `scan.py` facts for drivers; `exec.py` the meaning; `to_nir.py` and
`from_nir.py` translate.
"""
