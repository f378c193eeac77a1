# SPDX-License-Identifier: MIT
"""When Python looks for circles: hosts keep their thresholds, ours fall when something compiles."""

import gc

from pydri.util import garbage


def test_a_hosts_thresholds_stay() -> None:
    before = gc.get_threshold()
    garbage.compiling()
    assert gc.get_threshold() == before and not gc.get_freeze_count()


def test_ours_are_lower_once_something_compiles() -> None:
    before = gc.get_threshold()
    try:
        garbage.starting()
        starting = gc.get_threshold()
        garbage.compiling()
        assert gc.get_threshold() < starting and gc.get_freeze_count()
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
