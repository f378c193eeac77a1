# SPDX-License-Identifier: MIT
"""The simulator as machine code: the same pictures as the numpy one, bit for bit, and fast.

layout.py has the structs that Python fills, lanes.py the types and the checks of addresses, alu.py,
sfu.py, tmu.py and tlb.py what their namesakes beside this folder define, program.py and words.py
translate a shader's words (translated once, by its words), vertices.py, setup.py and tiles.py are
the pipeline around shaders, play.py plays a job. What cannot be translated ahead (branches to
registers, set-ups that are computed) the numpy simulator plays.
"""
