# SPDX-License-Identifier: MIT
"""Random but valid sequences of vertex calls, as data: (name, arguments)."""

from __future__ import annotations

import random
from typing import Any

Call = tuple[str, tuple[Any, ...]]

# exact in binary, so that every path gives the same bits
_NUMBERS = [n / 4 for n in range(-8, 9)]


def attribute(rng: random.Random, inside: bool) -> Call:
    def some(n: int) -> list[float]:
        return [rng.choice(_NUMBERS) for _ in range(n)]

    kind = rng.randrange(9)
    if kind < 2:
        return "Color4f", tuple(some(4))
    if kind == 2:
        return "Normal3fv", (some(3),)
    if kind == 3:
        return "TexCoord2f", tuple(some(2))
    if kind == 4:
        return "MultiTexCoord3fv", (0x84C0 + rng.randrange(4), some(3))
    if kind == 5:
        return "VertexAttrib4fv", (1 + rng.randrange(4), some(4))
    if kind == 6:
        return "Color3ub", (rng.randrange(256), 0, 255)
    if kind == 7 and inside:
        return "Materialfv", (
            rng.choice((0x404, 0x405, 0x408)),
            rng.choice((0x1200, 0x1201, 0x1602)),
            some(4),
        )
    return "SecondaryColor3f", tuple(some(3))


def vertex(rng: random.Random, n: int) -> Call:
    kind = rng.randrange(8)
    if kind == 0:
        return "Vertex2f", (n, rng.choice(_NUMBERS))
    if kind == 1:
        return "Vertex4f", (n, 1.0, 2.0, rng.choice(_NUMBERS))
    return "Vertex3fv", ([n, rng.choice(_NUMBERS), 3.0],)


def random_script(rng: random.Random, prims: int, states: bool = True) -> list[Call]:
    out: list[Call] = []
    n = 0
    for _ in range(prims):
        for _ in range(rng.choice((0, 0, 1, 2))):
            out.append(attribute(rng, False))
        if states and rng.random() < 0.25:
            out.append(("ShadeModel", (rng.choice((0x1D00, 0x1D01)),)))
        if states and rng.random() < 0.1:
            out.append(("Materialfv", (0x408, 0x1201, [rng.choice(_NUMBERS) for _ in range(4)])))
        if rng.random() < 0.1:
            out.append(("Rectf", (n, 1.0, 2.0, 3.0)))
            continue
        out.append(("Begin", (rng.randrange(10),)))
        for _ in range(rng.randrange(12)):
            for _ in range(rng.choice((0, 0, 0, 1, 2))):
                out.append(attribute(rng, True))
            out.append(vertex(rng, n))
            n += 1
        out.append(("End", ()))
    return out


def play(gl: Any, script: list[Call]) -> None:
    for name, args in script:
        gl.call("gl" + name, *args)
