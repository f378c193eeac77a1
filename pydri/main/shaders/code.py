# SPDX-License-Identifier: MIT
"""The code of stages, by the numbers that stand in key blocks (KeyBlock.stages).

In: what makes a stage's nir, and what it was made of. Out: `StageCode`: its nir, as often as
somebody wants to change it, and what a ShaderRef must say of it. Stages that were made of the same
texts are one: they have one number, so that programs that are linked again meet the plans that are
there (pydri/st/draw/plan.py). A number is never given twice.
"""

from __future__ import annotations

from _thread import allocate_lock as Lock
from collections.abc import Callable
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from pydri.main.layout import ValueBlock
from pydri.main.shaders.layout import READS_FLAT, WRITES_CLIP_VERTEX, WRITES_POINT_SIZE
from pydri.nir.enums import VARYING_SLOT_CLIP_VERTEX, VARYING_SLOT_PSIZ, VERT_ATTRIB_GENERIC0
from pydri.nir.info import WHOLE, Info
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.pipe.state import StreamOutput
from pydri.util import spans
from pydri.util.codec import Damaged

if TYPE_CHECKING:
    from pydri.glsl.link.stage import Stage
    from pydri.nir.ir import Shader


NOTHING = StreamOutput()


class BlockSizes(NamedTuple):
    """Bytes of the program's own block, and of a stage's blocks in buffers."""

    own: int
    others: tuple[int, ...] = ()


class StageCode:
    """A stage. `key` says the same as the texts that it was made of; `translate` gives fresh nir,
    and is first called when there is no record `known` of what it reads and writes."""

    def __init__(
        self, number: int, key: bytes, stage: str, translate: Callable[[], Shader],
        sizes: BlockSizes, known: bytes = b"",
    ) -> None:  # fmt: skip
        self.number = number
        self.key = key
        self.stage = stage
        self._translate = translate
        self._shader: Shader | None = None
        self._sizes = sizes
        self._known = known
        if not known:
            self.gathered = self._gather()
        #: what transform feedback writes of its outputs, which the key decides, too
        self.stream_output = NOTHING

    @cached_property
    def gathered(self) -> Info:
        """Of the shader as it was written (pydri/nir/gather_info.py)."""
        from pydri.main.shaders.records import unpack_info  # a start has no programs

        try:
            return unpack_info(self._known)
        except Damaged:  # a record that somebody made up
            return self._gather()

    def _gather(self) -> Info:
        from pydri.nir.gather_info import gather

        self._shader = self._translate()
        return gather(self._shader)

    @cached_property
    def info(self) -> Info:
        """The same, where ranges that depend on an index end with their blocks."""
        return _bounded(self.gathered, self._sizes)

    def shader(self) -> Shader:
        """The stage's nir, the caller's to change."""
        made, self._shader = self._shader, None
        return made if made is not None else self._translate()


def reads(stage: str, info: Info) -> int:
    """ExecutableStage.reads of a stage."""
    from pydri.nir.stages import ATTRIBUTES, BY_NAME  # a start that links nothing needs no rows

    found = 0
    inputs = BY_NAME[stage].inputs
    if inputs.kind == ATTRIBUTES:
        for slot in info.inputs:
            # attribute 0 is the vertex, by both of its names (GL 2.1, 2.7)
            found |= 1 << (0 if slot == VERT_ATTRIB_GENERIC0 else slot)
    elif inputs.interpolated:
        for item in info.inputs:
            found |= 1 << item.slot if item.slot < 32 else 0
            found |= READS_FLAT if item.interp == "flat" else 0
    return found


def writes(stage: str, info: Info) -> int:
    """WRITES_* bits of a stage."""
    from pydri.nir.stages import BY_NAME, VARYINGS

    if BY_NAME[stage].outputs.kind != VARYINGS:
        return 0
    flags = WRITES_CLIP_VERTEX if VARYING_SLOT_CLIP_VERTEX in info.outputs else 0
    return flags | (WRITES_POINT_SIZE if VARYING_SLOT_PSIZ in info.outputs else 0)


def linked_stage(stage: Stage) -> Shader:
    """The nir of a stage that the linker made."""
    from pydri.glsl.translate.to_nir import to_nir
    from pydri.nir.passes import lower_glsl, run_pass

    with spans.span("translation to nir"):
        shader = to_nir(stage.shader(), stage.layout)
    lower_glsl(shader)
    if stage.packing:
        inputs, outputs = (stage.packing.get(mode, {}) for mode in ("shader_in", "shader_out"))
        run_pass(shader, "lower_packed_varyings", inputs=inputs, outputs=outputs)
    if stage.row.number == SHADER_FRAGMENT:
        coord = stage.roots.get("gl_FragCoord")
        words = coord.layout or () if coord is not None else ()
        in_window_space(shader, "origin_upper_left" in words, "pixel_center_integer" in words)
    return shader


def in_window_space(shader: Shader, upper: bool, integer: bool) -> None:
    """A fragment shader's place as its language counts it (lower_wpos_ytransform)."""
    from pydri.nir.passes import run_pass

    at = ValueBlock.offset("frag.wpos_transform")
    run_pass(shader, "lower_wpos_ytransform", offset=at, upper=upper, integer=integer)


def _bounded(info: Info, sizes: BlockSizes) -> Info:
    """Ranges that depend on an index end with their blocks."""
    def within(found: tuple[int, int], size: int) -> tuple[int, int]:
        return (0, size) if found == WHOLE else found

    return info._replace(
        const_range=within(info.const_range, ValueBlock.size),
        uniform_range=within(info.uniform_range, sizes.own),
        blocks=tuple(min(end, size) for end, size in zip(info.blocks, sizes.others, strict=False)),
    )


#: by number; who links or draws with a stage keeps it
STAGES: WeakValueDictionary[int, StageCode] = WeakValueDictionary()
#: by what stages were made of, the latest last: stages that are gone come back with their number,
#: and so find their plans, unless many others came since
_numbers: dict[bytes, int] = {}
_MOST_GONE = 1024
_fresh = count(1)
_lock = Lock()


def _number(key: bytes) -> int:
    """The number of what is made of `key`; the lock is held."""
    number = _numbers.pop(key, 0) or next(_fresh)
    _numbers[key] = number
    if len(_numbers) > len(STAGES) + 2 * _MOST_GONE:
        gone = [old for old, known in tuple(_numbers.items()) if known not in STAGES]
        for old in gone[: len(gone) - _MOST_GONE]:
            _numbers.pop(old, None)
    return number


def stage_code(
    key: bytes, stage: str, translate: Callable[[], Shader], sizes: BlockSizes,
    known: bytes = b"", stream_output: StreamOutput = NOTHING,
) -> StageCode:  # fmt: skip
    """The code of a stage; the one that is there, if it was made of the same. With what was `known`
    of it before (records.py), nothing is translated yet."""
    with _lock:
        number = _number(key)
        there = STAGES.get(number)
    if there is None:
        made = StageCode(number, key, stage, translate, sizes, known)
        made.stream_output = stream_output
        with _lock:  # another thread may have been quicker
            there = STAGES.get(number)
            if there is None:
                there = STAGES[number] = made
    return there


__all__ = [
    "STAGES", "BlockSizes", "StageCode", "in_window_space", "linked_stage", "reads", "stage_code",
    "writes",
]  # fmt: skip
