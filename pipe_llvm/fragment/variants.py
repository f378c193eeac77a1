# SPDX-License-Identifier: MIT
"""Which fragment kernel a plan gets: its own, or one for any blending.

In: plans with their pipeline states. Out: `LpPlan.fs`, and `LpPlan.blend` where the kernel is
shared. A kernel with the blending built in is the fastest and costs some ten milliseconds of LLVM.
Where nothing but blending, logic operation and colour mask differs and these already have
SHARED_FROM forms (programs that go through many combinations), the next ones share one kernel,
which reads from the plan what to do (gallivm/blend.py, the same bits in every pixel) and costs
nothing to have. A plan that is still drawn with after SHARED_USES states gets its own kernel, once,
unless many plans take turns. llvmpipe compiles every combination (lp_state_fs.c).
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from pipe_llvm.fragment.packet import PacketLayout, without_rows
from pipe_llvm.native import SHARED_USES, LpPlan
from pydri.jit import Module
from pydri.jit.cache import blake2b
from pydri.jit.kernel import Kernel
from pydri.pipe.format import DISPLAY, FORMATS
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.pipe.state import (
    ANY_BLEND,
    PRIM_RECTS,
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    PipelineState,
    key_bytes,
)

SHARED_FROM = 8


class FsKey(NamedTuple):
    """What of a pipeline state selects the code of its fragment kernel."""

    fs: bytes
    layout: PacketLayout
    targets: tuple[ColorTarget, ...]
    dsa: DepthStencilAlpha
    zs_format: int
    depth_clamp: bool
    occlusion_count: bool
    prim: int  # PRIM_RECTS or 0
    rect: int
    samples: int
    multisample: Multisample


def fs_key(state: PipelineState, layout: PacketLayout) -> FsKey:
    """The canonical key of a pipeline's fragment kernel."""
    return FsKey(
        state.shader(SHADER_FRAGMENT).key,
        layout,
        state.targets,
        state.dsa,
        state.zs_format,
        state.rast.depth_clamp,
        state.occlusion_count,
        state.prim if state.prim == PRIM_RECTS else 0,
        state.rect,
        state.samples,
        state.multisample,
    )


def fs_module(state: PipelineState, layout: PacketLayout) -> Module:
    """The module of a pipeline state's fragment kernel, `lp_fs`."""
    layout = without_rows(layout)

    def kernels(hurried: bool) -> list[Kernel]:
        from pipe_llvm.fragment.samples import fragment_builder

        return [fragment_builder(state, layout, hurried).kernel("lp_fs")]

    best, first = partial(kernels, False), partial(kernels, True)
    return Module("lp_fs", best, key_bytes(fs_key(state, layout)), variant=True, first=first)


class FragmentKernels:
    """The fragment kernels of one context's plans. The context owns their images."""

    def __init__(self) -> None:
        #: by the digest of a key without blending: the plans that differ in nothing else
        self._forms: dict[bytes, set[int]] = {}
        self._form: dict[int, bytes] = {}  # address of a plan -> where it is in `_forms`
        self._shared: dict[int, Module] = {}  # address of a plan -> the kernel of its own

    def choose(
        self, address: int, state: PipelineState, layout: PacketLayout, module: Module
    ) -> Module:
        """The module of the kernel that the plan at `address` begins with, its own or a shared
        one; the plan is told what that reads."""
        plan = LpPlan.view(address)
        blend, fmt = state.blend, FORMATS[state.color_format]
        mixes = blend.enabled or blend.logicop or blend.colormask != 15
        # one target of a window's format: what ANY_BLEND can describe
        simple = len(state.targets) == 1 and fmt.uses & DISPLAY
        if simple and blend.colormask and mixes:
            any_state = state._replace(targets=(ColorTarget(fmt.number, ANY_BLEND),))
            content = key_bytes(fs_key(any_state, without_rows(layout)))
            key = blake2b(content, digest_size=16).digest()
            self._form[address] = key
            forms = self._forms.setdefault(key, set())
            forms.add(address)
            if len(forms) > SHARED_FROM and not module.is_cached():
                from pipe_llvm.gallivm.blend import describe

                describe(blend, fmt, plan.blend)
                self._shared[address] = module
                return fs_module(any_state, layout)
        return module

    def count(self, address: int, states: int) -> None:
        """From now on (LpContext.states) count how often the plan is used, if its kernel is a
        shared one."""
        plan = LpPlan.view(address)
        shared = address in self._shared
        plan.shared, plan.shared_since = (SHARED_USES, states) if shared else (0, 0)

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


__all__ = ["SHARED_FROM", "FragmentKernels", "fs_module"]
