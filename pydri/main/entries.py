# SPDX-License-Identifier: MIT
"""Imports every module with Python entry points, so that they register; the boot does it before
the first gl* slot is resolved.

main's own are named here; rooms above add theirs with `register`, by name.
"""

from __future__ import annotations

MODULES: list[str] = ["pydri.main.bufferobj", "pydri.main.get", "pydri.main.strings"]


def register(module: str) -> None:
    """Add a module with `@entry` functions; it is imported at once."""
    if module not in MODULES:
        MODULES.append(module)
        __import__(module)


for _name in MODULES:
    __import__(_name)
