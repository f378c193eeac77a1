# SPDX-License-Identifier: MIT
"""Which slots have native forms, as the cache keeps it."""

import copy

import pytest

from pydri.api.apis import COMPAT
from pydri.api.gl_table import TABLE
from pydri.main import core, forms
from pydri.util.codec import Damaged, decode


def test_what_is_kept_is_of_an_image_and_stays_in_it() -> None:
    image = core.core_image()
    found = forms.of_image(image, core.PARTS, COMPAT)
    assert len(found.exec) > 20 and len(found.allowed) > 20

    def read(kept: forms.Forms, by: object = image) -> forms.Forms:
        return decode(forms._packed(kept, image), lambda each: forms._read(by, each))  # type: ignore[arg-type]

    assert read(found) == found
    other = copy.copy(image)
    other.mark ^= 1
    with pytest.raises(Damaged):
        read(found, other)
    for wrong in (
        found._replace(exec=((len(TABLE), 0),)), found._replace(be=((0, image.size),)),
        found._replace(save=((-1, 0),)), found._replace(allowed=(len(TABLE),)),
    ):  # fmt: skip
        with pytest.raises(Damaged):
            read(wrong)
