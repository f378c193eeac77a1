# SPDX-License-Identifier: MIT
"""The code of linked stages, by the numbers that stand in key blocks (KeyBlock.vs_id, fs_id).

In: a stage that the linker made, and what it was made of. Out: `StageCode`: its nir, as often as
somebody wants to change it, and what a ShaderRef must say of it. Stages that were made of the same
texts are one: they have one number, so that programs that are linked again meet the plans that are
there (pydri/st/plan.py). A number is never given twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from pydri.main.layout import ValueBlock
from pydri.nir.gather_info import WHOLE, Info, gather

if TYPE_CHECKING:
    from pydri.glsl.linker_stage import Stage
    from pydri.nir.ir import Shader


class StageCode:
    """A stage. `key` says the same as the texts that it was made of."""

    def __init__(self, number: int, key: bytes, stage: Stage, storage_bytes: int) -> None:
        self.number = number
        self.key = key
        self.stage = stage.name
        self._linked = stage
        self._shader: Shader | None = self._translate()
        #: of the shader as it was written (pydri/nir/gather_info.py)
        self.info = _bounded(gather(self._shader), storage_bytes)

    def _translate(self) -> Shader:
        from pydri.glsl.to_nir import to_nir
        from pydri.nir.passes import lower_glsl, run_pass

        shader = to_nir(self._linked.shader(), self._linked.layout)
        lower_glsl(shader)
        if self._linked.packing:
            run_pass(shader, "lower_packed_varyings", places=self._linked.packing)
        if self.stage == "fragment":
            at = ValueBlock.offset("frag.wpos_transform")
            coord = self._linked.roots.get("gl_FragCoord")
            words = coord.layout or () if coord is not None else ()
            run_pass(shader, "lower_wpos_ytransform", offset=at,
                     upper="origin_upper_left" in words, integer="pixel_center_integer" in words)
        return shader

    def shader(self) -> Shader:
        """The stage's nir, the caller's to change."""
        made, self._shader = self._shader, None
        return made if made is not None else self._translate()


def _bounded(info: Info, storage_bytes: int) -> Info:
    """Ranges that depend on an index end with their blocks."""
    def within(found: tuple[int, int], size: int) -> tuple[int, int]:
        return (0, size) if found == WHOLE else found

    return info._replace(
        const_range=within(info.const_range, ValueBlock.size),
        uniform_range=within(info.uniform_range, storage_bytes),
    )


#: by number; who links or draws with a stage keeps it
STAGES: WeakValueDictionary[int, StageCode] = WeakValueDictionary()
_numbers: dict[bytes, int] = {}


def stage_code(key: bytes, stage: Stage, storage_bytes: int) -> StageCode:
    """The code of a stage; the one that is there, if it was made of the same."""
    number = _numbers.setdefault(key, len(_numbers) + 1)
    known = STAGES.get(number)
    if known is None:
        known = STAGES[number] = StageCode(number, key, stage, storage_bytes)
    return known


__all__ = ["STAGES", "StageCode", "stage_code"]
