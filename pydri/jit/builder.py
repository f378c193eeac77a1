# SPDX-License-Identifier: MIT
"""`Builder`, what a kernel function gets as `b`: emitter.py, ops.py and flow.py in one.

It is loaded when the first kernel is traced; a warm start, which traces none, does without."""

from pydri.jit.flow import Flow
from pydri.jit.ops import Ops


class Builder(Ops, Flow):
    """Emits one function of a kernel: values, memory and calls (Emitter), SIMD and mathematics
    (Ops), control flow (Flow)."""
