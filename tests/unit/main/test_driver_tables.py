# SPDX-License-Identifier: MIT
"""Tables of a driver's formats: found out once where a driver says that they stay the same."""

import importlib

import pytest

from pipe_llvm.screen import LlvmScreen
from pydri.jit.cache import ObjectCache
from pydri.main import driver_tables
from pydri.main.driver_tables import driver_table


class Other(LlvmScreen):
    """A driver that is made of ours, and may have other formats."""


@pytest.mark.parametrize(
    "finder", ["pydri.main.textures.image_formats", "pydri.main.framebuffers.target_formats"]
)
def test_a_table_is_found_out_once(finder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ObjectCache(None)
    monkeypatch.setattr(driver_tables, "object_cache", lambda: cache)
    module = importlib.import_module(finder)
    first, every = module.find(LlvmScreen(None)), module.find(None)
    assert driver_table(LlvmScreen(None), finder) == first
    assert driver_table(None, finder) == every
    monkeypatch.setattr(module, "find", lambda screen: b"asked")
    assert driver_table(LlvmScreen(None), finder) == first
    assert driver_table(Other(None), finder) == driver_table(None, finder) == b"asked"
