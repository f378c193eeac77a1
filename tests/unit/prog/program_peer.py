# SPDX-License-Identifier: MIT
"""A program: give program strings to the peer, without a window system.

`python program_peer.py PROGRAMS.json ANSWERS.json`: a list of [stage, text] in, a list of
[position, message] out. It needs a process of its own, as tests/unit/glsl/peer.py, which it uses.
"""

import ctypes
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "glsl"))
from peer import context, resolver

TARGETS = {"vertex": 0x8620, "fragment": 0x8804}
FORMAT, POSITION, STRING = 0x8875, 0x864B, 0x8874


def main(programs: str, answers: str) -> None:
    gl = resolver(context())
    uint, pointer = ctypes.c_uint, ctypes.c_void_p
    bind = gl("glBindProgramARB", None, uint, uint)
    give = gl("glProgramStringARB", None, uint, uint, ctypes.c_int, ctypes.c_char_p)
    ask = gl("glGetIntegerv", None, uint, pointer)
    string = gl("glGetString", ctypes.c_char_p, uint)
    found = []
    with open(programs) as file:
        given = json.load(file)
    for name, target in enumerate(TARGETS.values(), 1):
        bind(target, name)
    for stage, text in given:
        data, position = text.encode("latin-1"), ctypes.c_int()
        give(TARGETS[stage], FORMAT, len(data), data)
        ask(POSITION, ctypes.byref(position))
        found.append([position.value, string(STRING).decode("latin-1")])
    with open(answers, "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
