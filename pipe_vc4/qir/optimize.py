# SPDX-License-Identifier: MIT
"""The passes in order, until none finds anything (qir_optimize); then what must be lowered.

In: a compile. Out: the same. `record` is for tools: called with a pass' name after each that
changed something.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pipe_vc4.qir.lower_uniforms import qir_lower_uniforms
from pipe_vc4.qir.opt_algebraic import qir_opt_algebraic
from pipe_vc4.qir.opt_coalesce_ff_writes import qir_opt_coalesce_ff_writes
from pipe_vc4.qir.opt_constant_folding import qir_opt_constant_folding
from pipe_vc4.qir.opt_copy_propagation import qir_opt_copy_propagation
from pipe_vc4.qir.opt_dead_code import qir_opt_dead_code
from pipe_vc4.qir.opt_peephole_sf import qir_opt_peephole_sf
from pipe_vc4.qir.opt_small_immediates import qir_opt_small_immediates
from pipe_vc4.qir.opt_vpm import qir_opt_vpm
from pipe_vc4.qir.qir import Vc4Compile

PASSES: Final[tuple[Callable[[Vc4Compile], bool], ...]] = (
    qir_opt_algebraic,
    qir_opt_constant_folding,
    qir_opt_copy_propagation,
    qir_opt_peephole_sf,
    qir_opt_dead_code,
    qir_opt_small_immediates,
    qir_opt_vpm,
    qir_opt_coalesce_ff_writes,
)


def qir_optimize(
    c: Vc4Compile, record: Callable[[str, Vc4Compile], None] | None = None
) -> None:
    """All passes, again and again."""
    progress = True
    while progress:
        progress = False
        for run in PASSES:
            if run(c):
                progress = True
                if record is not None:
                    record(run.__name__, c)


__all__ = ["PASSES", "qir_lower_uniforms", "qir_optimize"]
