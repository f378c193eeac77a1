# SPDX-License-Identifier: MIT
"""Pictures that tests compare with kept ones (the fixture `gl_picture` of pydri/pytest_plugin.py).

In: what a test has drawn, a folder of PNG files, how far pixels may be off. Out: an AssertionError
that says what differs, how much and where; files of what was drawn, of what was wanted, and of
their difference.
"""

import pathlib
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.tools.png import Image, decode, encode

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: what a difference is multiplied by to be seen
_SHOWN = 8
#: files of a picture that differs
_KINDS = ("got", "wanted", "difference")


class Difference(NamedTuple):
    """How one picture differs from another."""

    #: of which a channel is off by more than the tolerance
    pixels: int
    #: the greatest difference of a channel
    worst: int
    #: column and row of the first pixel that has it
    where: tuple[int, int]
    #: the differences, brighter than they are
    picture: Image


def image_of(picture: Any) -> Image:
    """An Image of what a test has: an Image, or an array of rows of RGB or RGBA bytes from the top
    down."""
    if isinstance(picture, Image):
        return picture
    import numpy as np

    rows = np.asarray(picture)
    if rows.ndim != 3 or rows.shape[2] not in (3, 4) or rows.dtype != np.uint8:
        raise TypeError(
            "a picture is an Image of pydri.tools.png, or an array of bytes of the shape"
            f" (height, width, 3 or 4); this is {rows.dtype} of the shape {rows.shape}"
        )
    return Image(rows.shape[1], rows.shape[0], rows[:, :, :3].tobytes())


def _rows(image: Image) -> "NDArray[Any]":
    import numpy as np

    return np.frombuffer(image.rgb, np.uint8).reshape(image.height, image.width, 3).astype(int)


def difference(got: Image, wanted: Image, tolerance: int) -> Difference:
    """Between two pictures of one size."""
    import numpy as np

    off = np.abs(_rows(got) - _rows(wanted))
    most = off.max(axis=2)
    row, column = divmod(int(most.argmax()), got.width)
    shown = np.minimum(off * _SHOWN, 255).astype(np.uint8).tobytes()
    return Difference(
        int((most > tolerance).sum()), int(most.max()), (column, row),
        Image(got.width, got.height, shown),
    )  # fmt: skip


def _write(path: pathlib.Path, image: Image) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(image))


def file_name(text: str) -> str:
    """A name that any file system takes."""
    return re.sub(r"[^\w.=-]+", "-", text).strip("-.")


class Place(NamedTuple):
    """Where a test's pictures are."""

    wanted: pathlib.Path  # a folder
    failures: pathlib.Path
    test: str  # the name of the test, fit for a file
    update: bool


class Pictures:
    """Those of one test."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._names: set[str] = set()

    def check(self, picture: Any, name: str = "", tolerance: int = 0, pixels: int = 0) -> None:
        """Fail unless a picture is the kept one: an Image of pydri.tools.png (`gl_context.read()`),
        or an array of rows of RGB or RGBA bytes from the top down.

        `name` tells the pictures of one test apart. `pixels` of them may be off by more than
        `tolerance` in a channel. The driver draws the same bits on every machine, so both are 0 if
        nothing else is said.
        """
        __tracebackhide__ = True
        got, where = image_of(picture), self._place
        file = file_name(f"{where.test}-{name}" if name else where.test)
        if file in self._names:
            raise AssertionError(f"two pictures of this test are called {file}: give them names")
        self._names.add(file)
        wanted = where.wanted / f"{file}.png"
        if where.update:
            _write(wanted, got)
            return
        if told := self._told(got, wanted, tolerance, pixels):
            raise AssertionError(told)

    def _told(self, got: Image, wanted: pathlib.Path, tolerance: int, pixels: int) -> str:
        """What is wrong, in words; "" if nothing is."""
        shown = {kind: self._place.failures / f"{wanted.stem}.{kind}.png" for kind in _KINDS}
        for path in shown.values():
            path.unlink(missing_ok=True)  # of an earlier run
        try:
            kept = decode(wanted.read_bytes())
        except FileNotFoundError:
            _write(shown["got"], got)
            return (f"there is no picture {wanted}: look at {shown['got']}, and if it is right"
                    " write it with --gl-update")  # fmt: skip
        except ValueError as problem:
            return f"{wanted}: {problem}"
        size, kept_size = got[:2], kept[:2]
        if size != kept_size:
            _write(shown["got"], got)
            return (f"{wanted.name} is {kept_size[0]}x{kept_size[1]}, this picture"
                    f" ({shown['got']}) is {size[0]}x{size[1]}")  # fmt: skip
        found = difference(got, kept, tolerance)
        if found.pixels <= pixels:
            return ""
        for kind, image in zip(_KINDS, (got, kept, found.picture)):
            _write(shown[kind], image)
        column, row = found.where
        return (
            f"{wanted.name}: {found.pixels} pixels differ by more than {tolerance} ({pixels} may);"
            f" the worst by {found.worst}, in column {column} of row {row}:"
            f" {got.pixel(column, row)} instead of {kept.pixel(column, row)}; see {shown['got']},"
            " and beside it .wanted and .difference"
        )
