# SPDX-License-Identifier: MIT
"""What scenes must look like where no driver of Mesa's says so, computed with numpy.

In: the peer's pictures of what a scene is made of (frames, images without fog). Out: the picture
from GL's formulas. An oracle is a function over a dictionary of colours (rows from the bottom,
columns, RGBA, 0..1); INPUTS names what it is given.
"""

import pathlib
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tests.pictures import measure

Image = npt.NDArray[np.float64]  # rows from the bottom, columns, RGBA; 0..1
Oracle = Callable[[dict[str, Image]], Image]


def blur(frames: dict[str, Image]) -> Image:
    """GL 2.1, 4.2.4: GL_LOAD and GL_ACCUM of an eighth each, GL_RETURN of 1."""
    return sum((image / 8 for image in frames.values()), np.zeros(()))


def buffers(frames: dict[str, Image]) -> Image:
    """Half the front buffer and half the back buffer."""
    return frames["accum_frame_front"] / 2 + frames["accum_frame_30"] / 2


def operations(frames: dict[str, Image]) -> Image:
    """accum.c's twelve cells; in each the accumulation buffer begins with `clear`."""
    c = frames["accum_frame_20"]
    height, width = c.shape[:2]
    clear = np.broadcast_to(np.array([0.25, -0.5, 0.125, 1.0]), c.shape)
    red_blue, green_alpha = np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1])
    returned = [
        clear + 0.5 * c,
        0.75 * c * 1.2,
        c * 0.4,
        c - 0.3,
        clear,
        1 - c,
        np.where(red_blue, 0.3 * c, c),
        np.where(green_alpha, -clear, c),
        0.9 * c,
        clear + 0.5,
        (0.1 * c + 0.1 * c) * 3,
        0.5 * c,
    ]
    image = c.copy()
    for i, cell in enumerate(returned):
        x, y, w, h = i % 4 * width // 4, i // 4 * height // 3, width // 4, height // 3
        if i == 11:
            x, y, w, h = width * 3 // 4 + 5, height * 2 // 3 + 7, 33, 21
        image[y : y + h, x : x + w] = cell[y : y + h, x : x + w]
    return image


ORACLES: dict[str, tuple[Oracle, tuple[str, ...]]] = {
    "accum_blur": (blur, tuple(f"accum_frame_{6 * i}" for i in range(8))),
    "accum_buffers": (buffers, ("accum_frame_front", "accum_frame_30")),
    "accum_operations": (operations, ("accum_frame_20",)),
}


def inputs(name: str) -> tuple[str, ...]:
    """The scenes whose pictures an oracle is given. KeyError if there is no such oracle."""
    return ORACLES[name][1]


def expected(name: str, folder: pathlib.Path) -> measure.Picture:
    """A scene's picture by its oracle; `folder` has the pictures of its inputs."""
    oracle, scenes = ORACLES[name]
    images = {scene: measure.read_pam(folder / f"{scene}.pam")[::-1] / 255 for scene in scenes}
    image = np.clip(oracle(images), 0, 1)[::-1]
    return measure.Picture(np.round(image * 255).astype(np.uint8), None)
