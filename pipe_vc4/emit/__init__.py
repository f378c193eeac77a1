# SPDX-License-Identifier: MIT
"""From QIR to QPU words: the emitter (vc4_generate_code) and the scheduler."""

from pipe_vc4.emit.generate import QpuCode, vc4_generate_code

__all__ = ["QpuCode", "vc4_generate_code"]
