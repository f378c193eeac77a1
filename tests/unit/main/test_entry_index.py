# SPDX-License-Identifier: MIT
"""Entry points are found in the module that the index names, whatever else is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_EACH_ALONE = """
import os, sys
from pydri.api import dispatch
from pydri.jit import cache
cache.use(cache.ObjectCache(None))
from pydri.main.entry_index import know_entries
from pydri import st, vbo
rooms = ("pydri.main.entries", *vbo.ENTRIES, *st.ENTRIES)
if not (child := os.fork()):
    know_entries(*rooms)
    assert not dispatch.ENTRY_MODULES and len(dispatch.ENTRIES) > 100, len(dispatch.ENTRIES)
    know_entries(*rooms)
    assert dispatch.ENTRY_MODULES.keys() == dispatch.ENTRIES.keys()
    print("\\n".join(f"{n} {m}" for n, m in dispatch.ENTRY_MODULES.items()), flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
_ONE = """
import sys
from pydri.api import dispatch
for line in sys.stdin.read().splitlines():
    name, module = line.split()
    dispatch.ENTRY_MODULES[name] = module
import os
for module in sorted(set(dispatch.ENTRY_MODULES.values())):
    if not (child := os.fork()):
        mine = [n for n, m in dispatch.ENTRY_MODULES.items() if m == module]
        missing = [n for n in mine if dispatch.gl_entry(n) is None or not dispatch.has_entry(n)]
        print(module, *missing, flush=True)
        os._exit(len(missing) > 0)
    assert os.waitpid(child, 0)[1] == 0, module
assert dispatch.gl_entry("glNoSuchName") is None
"""
_BUILT = """
import sys
from libgl_shim import prebuild
prebuild._modules = lambda: []  # machine code takes its time
prebuild.compile_into(sys.argv[1])
"""
_SHIPPED = """
import sys
from pydri.api import dispatch
from pydri.jit import cache
from pydri.st.context import know_all_entries
cache.use(cache.ObjectCache(None, cache.process_salt(), shipped=sys.argv[1]))
know_all_entries()
assert "pydri.main.entries" not in sys.modules
print(dispatch.ENTRY_MODULES["glLinkProgram"])
"""


def _said(code: str, given: str = "", *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], input=given, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert not done.returncode, done.stderr + done.stdout
    return done.stdout


def test_each_module_has_its_entries() -> None:
    index = _said(_EACH_ALONE)
    assert "glLinkProgram pydri.main.shaders.entries" in index
    assert len(_said(_ONE, index).splitlines()) > 15


def test_the_build_ships_the_index(tmp_path: Path) -> None:
    """A program that finds no cache imports no more than others."""
    folder = str(tmp_path / "objects")
    first, done = _said(_BUILT, "\0", folder).splitlines()
    assert first.startswith("of ") and done == "done"
    assert _said(_SHIPPED, "", folder) == "pydri.main.shaders.entries\n"
