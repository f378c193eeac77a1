# SPDX-License-Identifier: MIT
"""One shader as QIR or as QPU words, outside of any draw: `pydri shader --as qir|qpu`.

In: what builds its nir. Out: what VC4_DEBUG prints of its plainest variants: an RGBA8888 target,
neither tests nor blending, attributes of floats; of a vertex shader both, the vertex shader's, with
all that it writes, and the coordinate shader's.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Final

from pipe_vc4.ntq.alu import NtqError
from pipe_vc4.ntq.keys import Vc4FsKey, Vc4TexKey, Vc4VsKey
from pipe_vc4.program import Key, ShaderCache, Vc4UncompiledShader
from pipe_vc4.qir.enums import STAGE_NAMES, QStage, QUniform
from pipe_vc4.qir.qir import QirError, VaryingSlot
from pipe_vc4.qpu.validate import QpuError
from pydri.nir.enums import VARYING_SLOT_POS, VARYING_SLOT_PSIZ
from pydri.nir.gather_info import gather
from pydri.nir.ir import Shader
from pydri.util.options import options
from pydri.util.registers import NoRegister

#: what VC4_DEBUG prints of a variant
FORMS: Final = ("qir", "qpu")


class ListingError(Exception):
    """A shader that VC4 cannot run."""


def _variants(shader: Shader) -> list[tuple[QStage, Key]]:
    """Stages and keys of what is shown."""
    if shader.stage == "fragment":
        return [(QStage.FRAG, Vc4FsKey(tex=(Vc4TexKey(),) * gather(shader).textures))]
    if shader.stage != "vertex":
        raise ListingError(f"VC4 has no {shader.stage} shaders")
    info = gather(shader)
    tex = (Vc4TexKey(),) * info.textures
    others = (slot for slot in info.outputs if slot not in (VARYING_SLOT_POS, VARYING_SLOT_PSIZ))
    slots = tuple(VaryingSlot(slot, channel) for slot in others for channel in range(4))
    return [(QStage.VERT, Vc4VsKey(slots, tex=tex)),
            (QStage.COORD, Vc4VsKey(is_coord=True, tex=tex))]  # fmt: skip


def _uniforms(contents: list[QUniform], data: list[int]) -> str:
    """The stream of uniforms, a line each, in the order in which words read them."""
    lines = []
    for number, (kind, value) in enumerate(zip(contents, data, strict=True)):
        what = f"{kind.name.lower()} {value & 0xFFFFFFFF:#010x}"
        if kind == QUniform.UNIFORM:
            what = f"block {value >> 24}, word {value & 0xFFFFFF}"
        lines.append(f"uniform {number}: {what}")
    return "".join(line + "\n" for line in lines)


def listing(build: Callable[[], Shader], form: str) -> str:
    """A shader in one of FORMS; ListingError where VC4 has none for it."""
    variants = _variants(build())
    out = []
    for stage, key in variants:
        told = io.StringIO()
        try:
            with options(VC4_DEBUG=form), contextlib.redirect_stderr(told):
                made = ShaderCache().get(Vc4UncompiledShader(build), stage, key)
        except (NtqError, QirError, QpuError, NoRegister) as error:
            raise ListingError(f"VC4 cannot run it: {error}") from None
        # a title first; where two threads did not fit, the variant that was given up comes before
        text = told.getvalue().rpartition(f" {form.upper()}:\n")[2].rstrip() + "\n"
        if form == "qpu":
            text += _uniforms(made.code.uniform_contents, made.code.uniform_data)
        out.append(f"{STAGE_NAMES[stage]}:\n{text}" if len(variants) > 1 else text)
    return "\n".join(out)


__all__ = ["FORMS", "ListingError", "listing"]
