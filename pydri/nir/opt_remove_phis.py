# SPDX-License-Identifier: MIT
"""Phis that choose between one value and itself are that value.

In: a shader.  Out: True if a phi was removed.  Counterpart of nir_opt_remove_phis.c.
"""

from __future__ import annotations

from pydri.nir.dominance import Dominance
from pydri.nir.ir import Shader, SSADef, Undef


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        changed = True
        while changed:
            dominance: Dominance | None = None
            replace: dict[SSADef, SSADef] = {}
            for block in function.blocks():
                for phi in block.phis:
                    values = {value for _, value in phi.srcs} - {phi.dest}
                    # An undefined source may be taken to be whatever the others are, if that
                    # value is there at all on every way to the phi.
                    real = {v for v in values if not isinstance(v.instr, Undef)} or values
                    if len(real) != 1:
                        continue
                    value = real.pop()
                    home = value.instr.block
                    if value in replace or home is None:
                        continue
                    if len(values) > 1:  # the only value of all ways is there anyhow
                        dominance = dominance or Dominance(function)
                        if not dominance.dominates(home, block):
                            continue
                    replace[phi.dest] = value
                    phi.remove()
            function.rewrite(replace)
            changed = bool(replace)
            progress |= changed
    return progress
