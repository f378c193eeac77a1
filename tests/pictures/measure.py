# SPDX-License-Identifier: MIT
"""How far two pictures of a scene are apart, in numbers that a table can keep.

In: a folder of NAME.pam (rows, columns, RGBA; 0..255) and NAME.words (depth in the upper 24 bits,
stencil in the lower 8), as the client scenes.c writes them. Out: Measure, the row's numbers.

A pixel is *wrong* if a channel is further apart than the scene's tolerance. A wrong pixel is an
*edge* if in its neighbourhood of 3 x 3 the judge's picture has a step at least that large: there it
may belong to the one or the other primitive, as rasterisers differ in the last bits of a vertex.
Steps of our own picture explain nothing: what is wrong would excuse itself.
"""

import hashlib
import pathlib
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Colors = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint32]


class Picture(NamedTuple):
    """What a scene left: colours, and words of depth and stencil where there are any."""

    colors: Colors  # rows, columns, RGBA; top row first
    words: Words | None  # rows, columns

    @property
    def pixels(self) -> int:
        return int(self.colors.shape[0] * self.colors.shape[1])


class Measure(NamedTuple):
    """How ours differs from the judge's. Every field is a column of the table."""

    wrong: int  # pixels further apart than the tolerance
    inside: int  # of these, those that are no edge of the judge's picture
    greatest: int  # difference of a channel, of 255
    differ: int  # pixels that differ at all
    drift: (
        int  # sum of what ours is brighter by, over the channels of all pixels that are not wrong
    )
    z_wrong: int  # pixels whose depth is further apart than the tolerance in depth
    z_greatest: int  # difference of depth among the others, in units of 2^-24
    s_wrong: int  # pixels with another stencil value


def read_pam(path: pathlib.Path) -> Colors:
    """Rows, columns, RGBA of a file that the client wrote."""
    data = path.read_bytes()
    end = data.index(b"ENDHDR\n") + 7
    header = dict(line.split(b" ", 1) for line in data[:end].splitlines() if b" " in line)
    shape = (int(header[b"HEIGHT"]), int(header[b"WIDTH"]), 4)
    return np.frombuffer(data, np.uint8, offset=end).reshape(shape)


def read(folder: pathlib.Path, name: str) -> Picture:
    """One scene's picture with its words. FileNotFoundError if it was not drawn."""
    colors = read_pam(folder / f"{name}.pam")
    words = np.fromfile(folder / f"{name}.words", "<u4").reshape(colors.shape[:2])
    return Picture(colors, words)


def digest(picture: Picture) -> str:
    """Of all that was read back: the size, the colours, the words of depth and stencil."""
    seen = hashlib.blake2b(repr(picture.colors.shape).encode(), digest_size=12)
    seen.update(picture.colors.tobytes())
    if picture.words is not None:
        seen.update(picture.words.tobytes())
    return seen.hexdigest()


def steps(colors: Colors) -> npt.NDArray[np.int16]:
    """The largest difference between neighbours in each pixel's 3 x 3, of any channel."""
    padded = np.pad(colors.astype(np.int16), ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = colors.shape[:2]
    windows = np.stack([padded[y : y + height, x : x + width] for y in range(3) for x in range(3)])
    found: npt.NDArray[np.int16] = windows.max(axis=0) - windows.min(axis=0)
    return found.max(axis=2)


def measure(
    judge: Picture,
    ours: Picture,
    levels: int,
    z_levels: int,
    judge_steps: npt.NDArray[np.int16] | None = None,
) -> Measure:
    """Compare two pictures of one size (ValueError otherwise).

    `levels`: what a channel may be apart, of 255; `z_levels`: depth, in units of 2^-24. Where the
    judge has no words, those columns are 0. `judge_steps`: of the judge's colours, if known."""
    if judge.colors.shape != ours.colors.shape:
        raise ValueError(f"size {ours.colors.shape} instead of {judge.colors.shape}")
    signed = ours.colors.astype(np.int16) - judge.colors.astype(np.int16)
    distance = np.abs(signed).max(axis=2)
    wrong = distance > levels
    if judge_steps is None:
        judge_steps = steps(judge.colors)
    inside = wrong & (distance > judge_steps)
    z_wrong = z_greatest = s_wrong = 0
    if judge.words is not None and ours.words is not None:
        depths = (judge.words >> 8).astype(np.int64), (ours.words >> 8).astype(np.int64)
        apart = np.abs(depths[1] - depths[0])
        z_wrong = int((apart > z_levels).sum())
        z_greatest = int(apart[apart <= z_levels].max(initial=0))
        s_wrong = int(((judge.words ^ ours.words) & 255 != 0).sum())
    return Measure(
        wrong=int(wrong.sum()),
        inside=int(inside.sum()),
        greatest=int(distance.max(initial=0)),
        differ=int((distance > 0).sum()),
        drift=int(signed[~wrong].sum()),
        z_wrong=z_wrong,
        z_greatest=z_greatest,
        s_wrong=s_wrong,
    )
