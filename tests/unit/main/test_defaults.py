# SPDX-License-Identifier: MIT
"""The initial state: what a kernel copies is what the table of defaults says."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from pydri.api.apis import COMPAT, ES1, ES2
from pydri.main import core, defaults
from pydri.main.default_kernels import _runs
from pydri.main.layout import GLContext


@pytest.mark.parametrize("api", (COMPAT, ES1, ES2))
def test_the_kernel_writes_what_the_table_says(api: int) -> None:
    kind: Any = GLContext
    views = [kind.ctype()() for _ in range(2)]
    for view in views:
        view.api = api
    defaults.fixed(views[0])
    born = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(core.core_image().address("context_born"))
    born(ctypes.addressof(views[1]))
    assert bytes(views[0]) == bytes(views[1])
    for view in views:
        defaults.begin(view)
        place = ctypes.addressof(view)
        assert view.matrix.top == place + kind.offset("matrix.modelview")
        assert view.arrays.vao == place + kind.offset("arrays.default")
        assert view.arrays.default.owner == place and view.dyn.const0 == place + kind.offset("val")
        assert view.val.point_size_max > 1 and view.dyn.points_unbounded == (api == ES2)
        assert view.raw.texgen_mode[5] == (0x8512 if api == ES1 else 0x2400)


def test_runs() -> None:
    data = bytearray(400)
    assert list(_runs(bytes(data))) == []
    data[17] = data[60] = data[300] = data[399] = 1
    assert [(at, len(found)) for at, found in _runs(bytes(data))] == [(16, 48), (296, 8), (392, 8)]
    data[0] = 1
    assert [(at, len(found)) for at, found in _runs(bytes(data))][0] == (0, 64)
