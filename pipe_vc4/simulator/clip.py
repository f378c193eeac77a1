# SPDX-License-Identifier: MIT
"""Primitives of vertices: assembled, clipped to the view volume, sent to the screen."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pipe_vc4.simulator import cl
from pipe_vc4.simulator.arrays import Doubles, Ints
from pipe_vc4.simulator.cl import State
from pipe_vc4.simulator.errors import JobError

#: Screen coordinates, in 1/16 pixel, that the shaders' 16 bits hold with room to spare.
GUARD = 30000.0


@dataclass
class Vertices:
    """Vertices on the screen: x, y in 1/16 pixel, z 0 to 1, 1/w, size; clip coordinates."""

    x: Ints
    y: Ints
    z: Doubles
    rw: Doubles
    size: Doubles
    clip: Doubles           # vertices x 4
    varyings: Doubles       # vertices x varyings

    #: vertices that clipping made, until they are put behind the others
    made: list[tuple[Doubles, Doubles]] = field(default_factory=list)

    def append(self, clip: Doubles, varyings: Doubles) -> int:
        """A vertex that clipping made; its number."""
        self.made.append((clip, varyings))
        return len(self.x) + len(self.made) - 1

    def settle(self, state: State) -> None:
        """What clipping made becomes vertices as the others are."""
        if not self.made:
            return
        clip, varyings = (np.array(of) for of in zip(*self.made, strict=True))
        self.made = []
        w = np.where(clip[:, 3] == 0, 1e-30, clip[:, 3])
        place = clip[:, :2] / w[:, None] * np.array(state.scale) + np.array(state.centre)
        if not (np.abs(place) < 2.0**30).all():
            raise JobError("the clipper's scale sends a vertex off the screen's numbers")
        x, y = np.rint(place).astype(np.int64).T
        depth = clip[:, 2] / w * state.depth[0] + state.depth[1]
        rows = {"x": x, "y": y, "z": depth, "rw": 1 / w, "size": np.ones(len(x)), "clip": clip,
                "varyings": varyings.reshape(len(x), -1)}
        for name, more in rows.items():
            setattr(self, name, np.concatenate([getattr(self, name), more]))


def assemble(mode: int, vertices: Ints) -> Ints:
    """Primitives as rows of vertices, the last of which gives what is flat; triangles keep turn."""
    v = vertices
    n = len(v)
    if mode == cl.POINTS:
        return v[:, None]
    if mode == cl.LINES:
        return v[:n // 2 * 2].reshape(-1, 2)
    if mode == cl.LINE_STRIP:
        return np.stack([v[:-1], v[1:]], axis=1)
    if mode == cl.LINE_LOOP:
        return np.stack([v, np.roll(v, -1)], axis=1) if n > 1 else np.zeros((0, 2), np.int64)
    if mode == cl.TRIANGLES:
        return v[:n // 3 * 3].reshape(-1, 3)
    if n < 3:
        return np.zeros((0, 3), np.int64)
    if mode == cl.TRIANGLE_FAN:
        return np.stack([np.repeat(v[:1], n - 2), v[1:-1], v[2:]], axis=1)
    rows = np.stack([v[:-2], v[1:-1], v[2:]], axis=1)
    rows[1::2, :2] = rows[1::2, 1::-1]
    return rows


def _distances(clip: Doubles, guarded: bool) -> Doubles:
    """How far inside of each plane clip coordinates lie (rows); negative: outside."""
    x, y, z, w = clip[..., 0], clip[..., 1], clip[..., 2], clip[..., 3]
    planes = [w - 1e-9, w + z, w - z]
    if guarded:
        planes += [w + x, w - x, w + y, w - y]
    return np.stack(planes, axis=-1)


def _distance(clip: Doubles, plane: int) -> float:
    """The same of one plane."""
    x, y, z, w = clip.tolist()
    found: float = (w - 1e-9, w + z, w - z, w + x, w - x, w + y, w - y)[plane]
    return found


def clip_primitives(vertices: Vertices, rows: Ints, state: State) -> tuple[Ints, Ints]:
    """Primitives within the view volume, and of each the vertex that gives what is flat."""
    provoking = rows[:, -1].copy()
    if not len(rows):
        return rows, provoking
    w = np.where(vertices.clip[:, 3] == 0, 1e-30, vertices.clip[:, 3])
    screen = np.abs(vertices.clip[:, :2] / w[:, None] * np.array(state.scale)
                    + np.array(state.centre))
    far = np.asarray((screen > GUARD) | ~np.isfinite(screen)).any(axis=1)
    inside = _distances(vertices.clip, rows.shape[1] == 1)
    if rows.shape[1] == 1:
        keep = (inside[rows[:, 0]] >= 0).all(axis=1)
        return rows[keep], provoking[keep]
    bad = np.asarray(np.asarray(inside < 0).any(axis=1) | far)
    touched = np.asarray(bad[rows].any(axis=1))
    if not touched.any():
        return rows, provoking
    # What goes behind the eye ends next to w = 0, however far out on the screen.
    outer = np.asarray(far | (vertices.clip[:, 3] <= 0))
    every = np.asarray(outer[rows].any(axis=1))
    beyond = np.asarray(np.asarray(_distances(vertices.clip, True) < 0)[rows].all(axis=1))
    gone = np.asarray(beyond[:, :3].any(axis=1) | every & beyond.any(axis=1))
    new: list[list[int]] = []
    flat: list[int] = []
    left = ~(touched & gone)
    for row, last, cut, guarded in zip(rows[left].tolist(), provoking[left].tolist(),
                                       touched[left].tolist(), every[left].tolist(),
                                       strict=True):
        if not cut:
            new.append(row)
            flat.append(last)
            continue
        outline = _clip(vertices, row, guarded)
        if len(row) == 2:
            pieces = [outline] if len(outline) == 2 else []
        else:
            pieces = [[outline[0], outline[i], outline[i + 1]] for i in range(1, len(outline) - 1)]
        new += pieces
        flat += [last] * len(pieces)
    vertices.settle(state)
    return np.array(new, np.int64).reshape(-1, rows.shape[1]), np.array(flat, np.int64)


def _clip(vertices: Vertices, row: list[int], guarded: bool) -> list[int]:
    """The vertices of a line or polygon cut off at every plane in turn (Sutherland and Hodgman)."""
    outline = [(vertices.clip[i], vertices.varyings[i], i) for i in row]
    closed = len(row) > 2
    for plane in range(7 if guarded else 3):
        result: list[tuple[Doubles, Doubles, int]] = []
        distances = [_distance(clip, plane) for clip, _, _ in outline]
        for k, (clip, varyings, number) in enumerate(outline):
            if distances[k] >= 0:
                result.append((clip, varyings, number))
            after = (k + 1) % len(outline)
            if after == 0 and not closed:
                continue
            if (distances[k] < 0) != (distances[after] < 0):
                t = distances[k] / (distances[k] - distances[after])
                result.append((clip + t * (outline[after][0] - clip),
                               varyings + t * (outline[after][1] - varyings), -1))
        outline = result
        if not outline:
            return []
    return [number if number >= 0 else vertices.append(clip, varyings)
            for clip, varyings, number in outline]
