# SPDX-License-Identifier: MIT
"""One context for each test; the compiled images are shared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.vbo.harness import GL


@pytest.fixture
def gl() -> Iterator[GL]:
    made = GL()
    yield made
    made.ctx.destroy()
