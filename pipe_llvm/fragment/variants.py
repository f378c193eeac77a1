# SPDX-License-Identifier: MIT
"""Which fragment kernel a plan gets: its own, or one for any blending.

In: plans with the parts that their fragment kernels are made of. Out: `LpPlan.fs`, and
`LpPlan.blend` where the kernel is shared. A kernel with the blending built in is the fastest and
costs some ten milliseconds of LLVM. Where nothing but blending, logic operation and colour mask
differs and these already have SHARED_FROM forms (programs that go through many combinations), the
next ones share one kernel, which reads from the plan what to do (gallivm/blend.py, the same bits in
every pixel) and costs nothing to have. A plan that is still drawn with after SHARED_USES states
gets its own kernel, once, unless many plans take turns. llvmpipe compiles every combination
(lp_state_fs.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.native import SHARED_USES, LpPlan
from pydri.jit import Module
from pydri.pipe.format import DISPLAY, FORMATS
from pydri.pipe.state import ANY_BLEND

if TYPE_CHECKING:
    from pipe_llvm.recipe import FragmentPart

SHARED_FROM = 8


class FragmentKernels:
    """The fragment kernels of one context's plans. The context owns their images."""

    def __init__(self) -> None:
        #: by a key without blending: the plans that differ in nothing else
        self._forms: dict[bytes, set[int]] = {}
        self._form: dict[int, bytes] = {}  # address of a plan -> where it is in `_forms`
        self._shared: dict[int, Module] = {}  # address of a plan -> the kernel of its own

    def choose(self, address: int, part: FragmentPart, module: Module) -> Module:
        """The module of the kernel that the plan at `address` begins with, its own or a shared
        one; the plan is told what that reads."""
        if len(part.targets) != 1:
            return module
        (target,) = part.targets
        blend, fmt = target.blend, FORMATS[target.format]
        mixes = (blend.enabled or blend.logicop or blend.colormask != 15) and not part.dual
        # of a window's format: what ANY_BLEND can describe
        if fmt.uses & DISPLAY and blend.colormask and mixes:
            from pipe_llvm.recipe import fragment_module

            shared = fragment_module(part._replace(targets=(target._replace(blend=ANY_BLEND),)))
            self._form[address] = shared.key
            forms = self._forms.setdefault(shared.key, set())
            forms.add(address)
            if len(forms) > SHARED_FROM and not module.is_cached():
                from pipe_llvm.gallivm.blend import describe

                describe(blend, fmt, LpPlan.view(address).blend)
                self._shared[address] = module
                return shared
        return module

    def count(self, address: int, states: int) -> None:
        """From now on (LpContext.states) count how often the plan is used, if its kernel is a
        shared one."""
        plan = LpPlan.view(address)
        shared = address in self._shared
        plan.uses.left, plan.uses.since = (SHARED_USES, states) if shared else (0, 0)

    def own(self, address: int) -> Module | None:
        """The kernel that the plan at `address` shall have instead of a shared one."""
        return self._shared.pop(address, None)

    def forget(self, addresses: set[int]) -> None:
        """Forget plans that are no more."""
        for address in addresses:
            self._shared.pop(address, None)
            key = self._form.pop(address, None)
            if key is not None:
                self._forms[key].discard(address)
                if not self._forms[key]:
                    del self._forms[key]


__all__ = ["SHARED_FROM", "FragmentKernels"]
