# SPDX-License-Identifier: MIT
"""The named passes and the driver that runs, prints, checks and records them.

In: a shader and names from `PASSES`.  Out: the same shader, changed in place; True for progress.
A pass is one module with `run(shader, **options) -> bool`, imported when it runs first, since a
warm start of the driver compiles nothing.  NIR_DEBUG=print shows the shader after every pass that
changed it; NIR_VALIDATE (or NIR_DEBUG=validate) checks it.  `record` keeps (name, listing) pairs
for tools that show a shader's way through the passes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from pydri.nir.ir import Shader
from pydri.util.deep_stack import DeepStack
from pydri.util.options import options
from pydri.util.spans import span
from pydri.util.turns import TURNS

#: name -> what it does; the module is pydri/nir/NAME.py
PASSES: Final[dict[str, str]] = {
    "lower_io_to_temporaries": "outputs -> locals, copied where the shader ends",
    "lower_tex": "coordinates are divided by projectors",
    "lower_var_copies": "copy_var -> loads and stores",
    "lower_indirect_io": "inputs and outputs indexed at run time get shadows",
    "lower_io_types": "arrays, matrices and structs among inputs and outputs are split",
    "lower_io": "variables of the interface -> load_input, store_output, load_uniform",
    "lower_packed_varyings": "varyings share slots, component after component",
    "lower_indirect_derefs": "small locals indexed at run time -> selections",
    "lower_vars_to_ssa": "locals -> SSA values and phis",
    "lower_wpos_ytransform": "window y and derivatives along it as the language counts them",
    "lower_alpha_test": "the alpha test -> discard",
    "lower_two_sided_color": "front and back colours -> a selection by the face",
    "lower_point_sprites": "texture coordinates of points -> the place in the point",
    "lower_clip_planes": "user clip planes -> distances and discard",
    "lower_blend": "blending, logic operation, colour mask -> arithmetic on the target's colour",
    "lower_alu": "opcodes a back end lacks -> simpler ones",
    "lower_alu_to_scalar": "vector arithmetic -> scalar arithmetic",
    "lower_load_const_to_scalar": "components of constants -> constants",
    "opt_copy_prop": "read through mov and vec",
    "opt_remove_phis": "phis of one value",
    "opt_dce": "dead code",
    "opt_cse": "common subexpressions",
    "opt_constant_folding": "operations on constants",
    "opt_algebraic": "algebraic rules",
    "opt_peephole_select": "small ifs -> bcsel",
    "opt_undef": "choices of what may be anything",
    "opt_deref": "constant indices -> elements",
    "opt_loop_unroll": "loops of known length -> copies of their body",
    "from_ssa": "phis -> registers, for back ends without SSA",
    "opt_dead_cf": "ifs on constants, empty ifs, loops that run once",
}

#: the passes of `optimize`, in order, until none makes progress
OPTIMIZE: Final = (
    "opt_deref",
    "lower_vars_to_ssa",
    "opt_copy_prop",
    "opt_remove_phis",
    "opt_dce",
    "opt_dead_cf",
    "opt_cse",
    "opt_peephole_select",
    "opt_constant_folding",
    "opt_algebraic",
    "opt_loop_unroll",
)

#: what they do leaves nothing of their own kind to do: each walks in the order of definitions
_AT_ONCE: Final = frozenset(
    ("opt_copy_prop", "opt_dce", "opt_cse", "opt_constant_folding", "opt_algebraic")
)
#: to whom it makes no difference that dead code is gone
_BLIND_TO_DEAD: Final = frozenset(
    ("opt_copy_prop", "opt_remove_phis", "opt_cse", "opt_constant_folding", "opt_algebraic")
)
_OF_VARIABLES: Final = frozenset(("opt_deref", "lower_vars_to_ssa"))
_OF_CONTROL_FLOW: Final = frozenset(
    ("opt_remove_phis", "opt_dead_cf", "opt_peephole_select", "opt_loop_unroll")
)

#: Python frames that passes may take on Ifs and Loops that nest as deep as a program's text
DEEPEST: Final = 20000

#: set by a test or tool: called with the pass's name and the shader after each pass
record: Callable[[str, Shader], None] | None = None


def run_pass(shader: Shader, name: str, **arguments: Any) -> bool:
    """Run one pass by name; a driver's own is named by its module, with dots."""
    if name not in PASSES and "." not in name:
        raise ValueError(f"no pass is called {name}; there are {', '.join(PASSES)}")
    TURNS.give_way()
    progress: bool = _code(name)(shader, **arguments)
    if progress:
        _unsettle(shader)
    _show(shader, name, progress)
    return progress


def _unsettle(shader: Shader) -> None:
    for function in shader.functions:
        function.settled = False


_codes: dict[str, Callable[..., bool]] = {}


def _code(name: str) -> Callable[..., bool]:
    """The `run` of a pass."""
    found = _codes.get(name)
    if found is None:
        module = import_module(name if "." in name else f"pydri.nir.{name}")
        found = _codes[name] = module.run
    return found


def _show(shader: Shader, name: str, progress: bool) -> None:
    """What is asked for after a pass."""
    flags = options.NIR_DEBUG
    if progress and "print" in flags:
        from pydri.nir.printer import print_shader

        sys.stderr.write(f"{name}\n{print_shader(shader)}\n")
    if (options.NIR_VALIDATE or "validate" in flags) and "novalidate" not in flags:
        from pydri.nir.validate import validate

        validate(shader, name)
    if record is not None:
        record(name, shader)


def _idle(shader: Shader, name: str) -> bool:
    """Whether a pass of `OPTIMIZE` has nothing to look at: most shaders are one block without
    variables, and a look at that costs less than a walk."""
    if name in _OF_VARIABLES:
        return not shader.globals and not any(function.locals for function in shader.functions)
    if name in _OF_CONTROL_FLOW:
        return all(len(function.body) == 1 for function in shader.functions)
    return False


class _Seen:
    """What has changed since a pass last looked: who has seen everything need not look again."""

    def __init__(self) -> None:
        self._changes = 0
        self._removals = 0  # of dead code
        self._of: dict[str, tuple[int, int]] = {}

    def _now(self, name: str) -> tuple[int, int]:
        return self._changes, 0 if name in _BLIND_TO_DEAD else self._removals

    def all(self, name: str) -> bool:
        """Whether nothing that matters to a pass has changed."""
        return self._of.get(name) == self._now(name)

    def ran(self, name: str, progress: bool) -> None:
        """A pass looked, and changed something or nothing."""
        if progress and name == "opt_dce":
            self._removals += 1
        elif progress:
            self._changes += 1
        if not progress or name in _AT_ONCE:
            self._of[name] = self._now(name)


#: what is done in a hurry with arithmetic that became scalar: what is cheap, and what may change a
#: result's bits (rules of opt_algebraic with a ~), which all images of a shader do alike
SCALAR: Final = (
    "opt_copy_prop", "opt_dce", "opt_constant_folding", "opt_algebraic", "opt_dce",
)  # fmt: skip


def _optimized(shader: Shader, name: str, exact: bool) -> bool:
    if exact and name == "opt_algebraic":
        return _code(name)(shader, exact=True)
    return _code(name)(shader)


def optimize(shader: Shader, rounds: int = 20, exact: bool = False) -> bool:
    """Run the optimisations until nothing changes. `exact`: no result may change a bit."""
    watched = bool(options.NIR_DEBUG) or options.NIR_VALIDATE or record is not None
    if not watched and all(function.settled for function in shader.functions):
        return False
    any_progress = False
    quiet = 0
    seen = _Seen()
    for name in OPTIMIZE * rounds:
        TURNS.give_way()
        looks = not seen.all(name) and not _idle(shader, name)
        progress = looks and _optimized(shader, name, exact)
        seen.ran(name, progress)
        if watched:
            _show(shader, name, progress)
        if progress:
            any_progress = True
            quiet = 0
            continue
        quiet += 1
        if quiet == len(OPTIMIZE):
            for function in shader.functions:
                function.settled = True
            break
    return any_progress


def lower_for_backend(shader: Shader, *, scalar: bool = True, hurried: bool = False) -> None:
    """From a front end's IR to what back ends see (README.md). `hurried`: what
    costs time and saves instructions alone is left out; the results are the same, bit by bit."""
    with DeepStack(DEEPEST), span("nir passes"):
        run_pass(shader, "lower_io")
        run_pass(shader, "lower_tex")
        if shader.main.locals or shader.globals:
            optimize(shader)  # indices of loops that are unrolled are constants
            run_pass(shader, "lower_indirect_derefs")
        optimize(shader)
        if scalar and run_pass(shader, "lower_alu_to_scalar"):
            for name in SCALAR:
                run_pass(shader, name)
            if not hurried:
                optimize(shader, exact=True)


def lower_glsl(shader: Shader) -> None:
    """From what pydri/glsl/translate/to_nir.py makes to what linkers and state trackers work on:
    slots instead of variables, SSA values; what is indexed at run time is still a variable.
    """
    with DeepStack(DEEPEST), span("nir passes"):
        run_pass(shader, "lower_io_to_temporaries")
        run_pass(shader, "lower_vars_to_ssa")
        run_pass(shader, "lower_io")
        run_pass(shader, "lower_tex")
        optimize(shader)
    shader.main.index_ssa_defs()
