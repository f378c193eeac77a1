# SPDX-License-Identifier: MIT
"""PYDRI_DEBUG=api on a program whose glX calls are kernels that go up to Python."""

import pytest

from tests.unit.glx.clients import ended

pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.needs("mesa-utils")]


def test_calls_of_kernels_that_go_up_to_python_are_printed_once(display: str) -> None:
    done = ended("glxinfo", display, "-B", GALLIUM_DRIVER="null", PYDRI_DEBUG="api")
    assert done.returncode == 0
    assert "RecursionError" not in done.stderr
    bound = [line for line in done.stderr.splitlines() if line.startswith("glXMakeCurrent(")]
    assert bound and all(" = 1" in line or "ctx=NULL" in line for line in bound)
