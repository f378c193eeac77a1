# SPDX-License-Identifier: MIT
"""Which fragment kernel a plan gets: its own, or one for any blending and any tests.

In: plans with the parts that their fragment kernels are made of. Out: `LpPlan.fs`, and
`LpPlan.blend` and `tests` where the kernel is shared. A kernel with the state built in is the
fastest and costs some ten milliseconds of LLVM. Where nothing but blending, logic operation, colour
mask and the functions of tests differs and these already have SHARED_FROM forms (programs that go
through many combinations), the next ones share one kernel, which reads from the plan what to do
(gallivm/blend.py and any_tests.py, the same bits in every pixel) and costs nothing to have. A plan
that is still drawn with after SHARED_USES states gets its own kernel, once, unless many plans take
turns: then one kernel that stays in the caches is faster than many, each of which is read from
memory. llvmpipe compiles every combination (lp_state_fs.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.native import SHARED_USES, LpPlan
from pydri.jit import Module
from pydri.pipe.format import DISPLAY, FORMATS
from pydri.pipe.state import ANY_BLEND, ANY_FUNC, ANY_SIDE

if TYPE_CHECKING:
    from pipe_llvm.recipe import FragmentPart
    from pydri.pipe.state import ColorTarget, DepthStencilAlpha

SHARED_FROM = 8


def _any_target(target: ColorTarget) -> ColorTarget:
    """The target of a kernel for any blending. One that replaces pixels stays: it reads none."""
    blend, fmt = target.blend, FORMATS[target.format]
    mixes = (blend.enabled or blend.logicop or blend.colormask != 15) and not blend.dual
    # of a window's format: what ANY_BLEND can describe
    known = fmt.uses & DISPLAY and blend.colormask and mixes
    return target._replace(blend=ANY_BLEND) if known else target


def _any_tests(part: FragmentPart) -> DepthStencilAlpha:
    """The tests of a kernel for any; what is off stays so, since that is less code."""
    from pipe_llvm.gallivm.alpha import GL_ALWAYS, in_bytes
    from pipe_llvm.gallivm.depth import layout_of

    dsa, front, back = part.dsa, part.dsa.stencil_front, part.dsa.stencil_back
    zs_format = FORMATS[part.zs_format]
    if part.zs_format and (dsa.depth_func or front) and not layout_of(zs_format).is_float:
        dsa = dsa._replace(
            depth_func=ANY_FUNC, depth_write=True, stencil_front=front and ANY_SIDE,
            stencil_back=back and ANY_SIDE,
        )  # fmt: skip
    color = FORMATS[part.targets[0].format if part.targets else 0]
    if dsa.alpha_func not in (0, GL_ALWAYS) and in_bytes(color) and not color.integer:
        dsa = dsa._replace(alpha_func=ANY_FUNC)
    return dsa


def shared_part(part: FragmentPart) -> FragmentPart:
    """What kernels for any blending and any tests are made of."""
    targets = part.targets
    if len(targets) == 1:
        targets = (_any_target(targets[0]),)
    return part._replace(targets=targets, dsa=_any_tests(part))


def _describe(part: FragmentPart, plan: Any) -> None:
    """Tell a plan (a ctypes view) what its shared kernel shall do."""
    from pipe_llvm.gallivm import any_tests, blend

    any_tests.describe(part.dsa, plan.tests)
    if len(part.targets) == 1:
        target = part.targets[0]
        if _any_target(target) != target:
            blend.describe(target.blend, FORMATS[target.format], plan.blend)


class FragmentKernels:
    """The fragment kernels of one context's plans. The context owns their images."""

    def __init__(self) -> None:
        #: by a key without blending and functions: the plans that differ in nothing else
        self._forms: dict[bytes, set[int]] = {}
        self._form: dict[int, bytes] = {}  # address of a plan -> where it is in `_forms`
        self._shared: dict[int, Module] = {}  # address of a plan -> the kernel of its own

    def choose(self, address: int, part: FragmentPart, module: Module) -> Module:
        """The module of the kernel that the plan at `address` begins with, its own or a shared
        one; the plan is told what that reads."""
        general = shared_part(part)
        if general == part:
            return module
        from pipe_llvm.recipe import fragment_module

        shared = fragment_module(general)
        if self._enter(address, shared.key) <= SHARED_FROM or module.is_cached():
            return module
        _describe(part, LpPlan.view(address))
        self._shared[address] = module
        return shared

    def _enter(self, address: int, form: bytes) -> int:
        """A plan has this form; how many there are that do."""
        self._form[address] = form
        forms = self._forms.setdefault(form, set())
        forms.add(address)
        return len(forms)

    def restored(self, address: int, form: bytes, own: Module) -> None:
        """A plan came from the cache that has a shared kernel; `form`: the key of that."""
        self._enter(address, form)
        self._shared[address] = own

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


__all__ = ["SHARED_FROM", "FragmentKernels", "shared_part"]
