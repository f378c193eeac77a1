# SPDX-License-Identifier: MIT
"""What goes into the first stage, from each stage to the next, and out of the last: attributes,
varyings, results.

In: merged stages, what glBindAttribLocation asked for.  Out: the slots of the stages' roots, and
the active attributes. Varyings are matched by name (GLSL 1.20, 4.3.6); what the next stage does not
read, and what nothing writes, gets a slot only if it must. Vectors are passed component after
component (Mesa's lower_packed_varyings.cpp), so that the limit counts components. Attributes get
locations as the program asked, the others from the lowest that is free, those of most columns first
(GL 2.1, 2.20.3).
Messages are Mesa's (linker.cpp, link_varyings.cpp).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, cast

from pydri.glsl.link.linked import Attribute
from pydri.glsl.link.stage import LinkError, Stage
from pydri.glsl.tree import Var
from pydri.nir import enums
from pydri.nir.slots import slot_count
from pydri.nir.stages import VARYINGS
from pydri.nir.types import ArrayType, StructType, Type

#: what an input may come from, of the names that differ
_COLORS = {
    "gl_Color": ("gl_FrontColor", "gl_BackColor"),
    "gl_SecondaryColor": ("gl_FrontSecondaryColor", "gl_BackSecondaryColor"),
}


# ---- attributes -------------------------------------------------------------------------------


def _mask(slots: int) -> int:
    """A bit for each of so many places; 64 are more than there are of any kind."""
    return (1 << min(slots, 64)) - 1


class _Locations:
    """The generic attributes, and which are taken."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.taken = 0

    def take(self, name: str, at: int, slots: int, what: str = "vertex shader input") -> None:
        """As the program asked; two attributes may be given one location (GL 2.1, 2.20.3)."""
        mask = _mask(slots)
        if at + slots > self.count:
            raise LinkError(f"insufficient contiguous locations available for {what} "
                            f"`{name}' {self.taken - (1 << self.count)} {mask} {at}")
        self.taken |= mask << at

    def find(self, name: str, slots: int, what: str = "vertex shader input") -> int:
        """The lowest place with so many free ones."""
        mask = _mask(slots)
        for at in range(self.count - slots + 1):
            if not self.taken & mask << at:
                self.taken |= mask << at
                return at
        raise LinkError(f"insufficient contiguous locations available for {what} `{name}'")


def _beyond(root: Var) -> LinkError:
    return LinkError(f"invalid explicit location {root.location} specified for `{root.name}'")


def link_attributes(
    stage: Stage, bindings: Mapping[str, int], count: int
) -> list[Attribute]:
    """Give the vertex shader's inputs their slots."""
    found: list[tuple[str, Var]] = []
    waiting: list[Var] = []
    places = _Locations(count)
    total = 0
    for name, root in stage.active_globals():
        use = stage.use(root)
        if root.mode != "shader_in" or use is None or not use.read:
            continue
        found.append((name, root))
        if root.builtin:
            total += isinstance(root.slot, int)
            continue
        total += root.type.slots
        if root.location + root.type.slots > count and root.location >= 0:
            raise _beyond(root)
        at = root.location if root.location >= 0 else bindings.get(name, -1)
        if at >= 0:
            places.take(name, at, root.type.slots)
            root.slot = enums.VERT_ATTRIB_GENERIC0 + at
        else:
            waiting.append(root)
    if total > count and waiting:
        raise LinkError(f"too many vertex shader inputs: {total} of {count}")
    vertex = stage.roots.get("gl_Vertex")
    if vertex is not None and stage.use(vertex) is not None:
        places.taken |= 1  # attribute 0 is the vertex
    for root in sorted(waiting, key=lambda var: -var.type.slots):
        root.slot = enums.VERT_ATTRIB_GENERIC0 + places.find(root.name, root.type.slots)
    out = []
    for name, root in found:
        generic = not root.builtin and isinstance(root.slot, int)
        at = int(root.slot or 0) - enums.VERT_ATTRIB_GENERIC0 if generic else -1
        out.append(Attribute(name, root.type, at))
    return out


def link_outputs(
    stage: Stage, bindings: Mapping[str, tuple[int, int]], count: int, dual: int
) -> dict[str, tuple[int, int, int]]:
    """Give a fragment shader's own outputs their targets: as layout(location, index) says, or
    glBindFragDataLocationIndexed; the others from the lowest that is free. Index 1 is the second
    source of blending, which `dual` targets have. The first target of each, how many elements it
    has, and its index. GLSL ES 3.00, 4.3.8.2 wants locations of several outputs; neither the peer
    nor piglit (ext_color_buffer_float-draw) does.
    """
    found: dict[str, tuple[int, int, int]] = {}
    waiting: list[tuple[str, Var]] = []
    places = _Locations(count), _Locations(dual)
    for name, root in stage.roots.items():
        use = stage.use(root)
        if root.mode != "shader_out" or root.builtin or use is None or not use.written:
            continue
        explicit = root.location >= 0
        at, index = (root.location, root.index) if explicit else bindings.get(name, (-1, 0))
        if at < 0:
            waiting.append((name, root))
            continue
        if explicit and at + root.type.slots > places[index].count:
            raise _beyond(root)
        taken, mask = places[index].taken, _mask(root.type.slots)
        if taken & mask << at:
            raise LinkError("overlapping location is assigned to fragment shader output "
                            f"`{name}' {taken} {mask} {at}")
        places[index].take(name, at, root.type.slots, "fragment shader output")
        found[name] = at, root.type.slots, index
    for name, root in waiting:
        at = places[0].find(root.name, root.type.slots, "fragment shader output")
        found[name] = at, root.type.slots, 0
    for name, (at, _, index) in found.items():
        first = enums.FRAG_RESULT_DUAL_SRC if index else enums.FRAG_RESULT_DATA0
        stage.roots[name].slot = first + at
    return found


# ---- varyings ---------------------------------------------------------------------------------


def _has(word: bool) -> str:
    return "has" if word else "lacks"


def _of_vertex(stage: Stage, var: Var) -> Type:
    """What of a varying belongs to one vertex: an element, where a variable has one for each."""
    each = stage.row.interface(var.mode).per_vertex and isinstance(var.type, ArrayType)
    return var.type.element(0) if each else var.type


class _Link(NamedTuple):
    """Two stages that follow each other."""

    producer: Stage
    consumer: Stage
    version: int

    def _before(self, desktop: int, es: int) -> bool:
        return self.version < (es if self.producer.es else desktop)

    def match(self, output: Var, given: Var) -> None:
        """The same varying in both stages (GLSL 1.20, 4.3.6 and 4.6.1)."""
        word = f"{self.producer.name} shader output `{output.name}'"
        other = f"{self.consumer.name} shader input"
        made, wanted = _of_vertex(self.producer, output), _of_vertex(self.consumer, given)
        if wanted is not made:
            if isinstance(made, StructType):
                raise LinkError(f"{word} declared as struct `{made}', doesn't match in type with "
                                f"{other} declared as struct `{wanted}'")
            if not (isinstance(made, ArrayType) and output.builtin):
                raise LinkError(
                    f"{word} declared as type `{made}', but {other} declared as type `{wanted}'")
        if given.invariant != output.invariant and self._before(420, 300):
            raise LinkError(f"{word} {_has(output.invariant)} invariant qualifier, but {other} "
                            f"{_has(given.invariant)} invariant qualifier")
        # In OpenGL ES nothing said is smooth (GLSL ES 3.00, 4.3.9).
        default = "smooth" if self.producer.es else "no"
        ours, theirs = given.interp or default, output.interp or default
        if ours != theirs and self.version < 440:
            raise LinkError(f"{word} specifies {theirs} interpolation qualifier, but {other} "
                            f"specifies {ours} interpolation qualifier")


#: what OpenGL ES lets be invariant if an output of the vertex shader is; "": never (GLSL ES 1.00,
#: 4.6.4)
_INVARIANT_WITH: Final = {
    "gl_FragCoord": "gl_Position", "gl_PointCoord": "gl_PointSize", "gl_FrontFacing": "",
}


def _check_invariant(producer: Stage, given: Var) -> None:
    """A built-in input that is declared invariant in OpenGL ES 2.0."""
    wanted = _INVARIANT_WITH.get(given.name)
    output = producer.roots.get(wanted or "")
    if wanted is not None and not producer.invariant_all and not (output and output.invariant):
        why = f", but `{wanted}' lacks it" if wanted else ", which it cannot have"
        raise LinkError(f"`{given.name}' has the invariant qualifier{why}")


def cross_validate(producer: Stage, consumer: Stage, version: int) -> None:
    """Compare outputs and inputs that go together."""
    link = _Link(producer, consumer, version)
    for name, given in consumer.roots.items():
        if given.invariant and given.builtin and consumer.es and version < 300:
            _check_invariant(producer, given)
        if given.mode != "shader_in" or isinstance(given.slot, str):
            continue
        use = consumer.use(given)
        read = use is not None and use.read
        if name in _COLORS:
            for other in _COLORS[name]:
                color = producer.roots.get(other)
                if read and color is not None and _is_written(producer, color):
                    link.match(color, given)
            continue
        output = producer.roots.get(name)
        if output is not None and output.mode == "shader_out":
            link.match(output, given)
            # To 1.20 what is read must be written, too (GLSL 1.20, 4.3.6); in OpenGL ES it is
            # undefined (GLSL ES 1.00, 4.3.5)
            strict = version <= 120 and not producer.es
            unwritten = strict and not _is_written(producer, output)
        else:
            unwritten = True
        if read and unwritten and not given.builtin:
            raise LinkError(f"{consumer.name} shader varying {name} not written by "
                            f"{producer.name} shader")


def _is_written(stage: Stage, root: Var) -> bool:
    use = stage.use(root)
    return use is not None and use.written


def vectors_of(type_: Type) -> list[int]:
    """The components of each vector of a type, in order."""
    if isinstance(type_, StructType):
        return [width for _, field in type_.fields for width in vectors_of(field)]
    if isinstance(type_, ArrayType):
        return vectors_of(type_.item) * type_.size
    return [type_.rows] * type_.columns


#: vectors of four come first, then those of two, of one, of three (Mesa's packing orders): so
#: only the last ones may begin in one slot and end in the next
_ORDER = (0, 2, 1, 3)


#: of varyings that are packed before they are counted: an array may say that it has 2^31 elements
_MOST_COMPONENTS = 1 << 14


def pack(varyings: list[tuple[Var, Type]], first: int) -> dict[int, int]:
    """Where the vectors of varyings (with what of them belongs to one vertex) are passed, by their
    slots: those that are interpolated in one way lie component after component, from slot `first`
    on.
    """
    places: dict[int, int] = {}
    kinds = sorted({(var.interp, var.centroid) for var, _ in varyings})
    at = 4 * first
    for kind in kinds:
        at += -at % 4
        same = [item for item in varyings if (item[0].interp, item[0].centroid) == kind]
        for var, type_ in sorted(same, key=lambda item: _ORDER[item[1].components % 4]):
            for n, width in enumerate(vectors_of(type_), cast("int", var.slot)):
                places[n] = at
                at += width
    return places


def link_varyings(
    producer: Stage | None, consumer: Stage | None, most: int, kept: Iterable[Var] = ()
) -> None:
    """Give user varyings their slots, the same in both stages: one for each vector at first, and
    where those are passed together. `most`: vectors that may be passed. A stage that is None is
    fixed function, or there is none: then the other has to do with attributes or results, or with
    nobody. What is `kept` of the producer's outputs gets slots behind them if nobody reads it.
    """
    slots: dict[str, int] = {}
    packing: dict[int, int] = {}
    if consumer is not None and consumer.row.inputs.kind == VARYINGS:
        passed = _passed(consumer, slots)
        _check_sum(consumer, "shader_in", passed, most)
        packing = pack(passed, enums.VARYING_SLOT_VAR0)
        _check_count(consumer, "shader_in", packing, most, passed)
    if producer is not None and producer.row.outputs.kind == VARYINGS:
        unread = []
        behind = enums.VARYING_SLOT_VAR0 + max(most, len(packing))
        for name, root in producer.roots.items():
            if root.mode != "shader_out" or root.builtin:
                continue
            root.slot = slots.get(name)
            if root.slot is None and root in kept:
                root.slot = behind
                behind += root.type.slots
                unread.append((root, _of_vertex(producer, root)))
            if root.slot is None:
                root.mode = "global"  # only the stage itself may read it
        _check_sum(producer, "shader_out", unread, most)
        packing.update(pack(unread, enums.VARYING_SLOT_VAR0 + most))
        _check_count(producer, "shader_out", packing, most)
    if any(place != 4 * slot for slot, place in packing.items()):
        for stage, mode in ((producer, "shader_out"), (consumer, "shader_in")):
            if stage is not None:
                stage.packing[mode] = packing


def _passed(consumer: Stage, slots: dict[str, int]) -> list[tuple[Var, Type]]:
    """What a stage reads of its user varyings, with what of each belongs to one vertex; they get
    their slots, a slot a vector."""
    passed = []
    at = enums.VARYING_SLOT_VAR0
    for name, root in consumer.roots.items():
        use = consumer.use(root)
        if root.mode != "shader_in" or root.builtin or use is None or not use.read:
            continue
        type_ = _of_vertex(consumer, root)
        passed.append((root, type_))
        slots[name] = root.slot = at
        at += type_.slots
    return passed


#: names of the modes in messages
_DIRECTIONS = {"shader_in": "input", "shader_out": "output"}


def _check_sum(of: Stage, mode: str, varyings: Iterable[tuple[Var, Type]], most: int) -> None:
    """Refuse what is far too much before anything is counted."""
    components = sum(type_.components for _, type_ in varyings)
    if components > _MOST_COMPONENTS:
        raise LinkError(f"{of.name} shader uses too many {_DIRECTIONS[mode]} components "
                        f"({components} > {4 * most})")


def _check_count(
    of: Stage, mode: str, packing: Mapping[int, int], most: int,
    passed: Iterable[tuple[Var, Type]] = (),
) -> None:  # fmt: skip
    """Vectors that pass, built-in ones too, but for those that rasterisation alone looks at."""
    fixed = (enums.VARYING_SLOT_POS, enums.VARYING_SLOT_PSIZ, enums.VARYING_SLOT_CLIP_VERTEX)
    shared = set()  # slots that user varyings share
    count = 0
    for root in of.roots.values():
        use = of.use(root)
        if root.mode != mode or use is None or isinstance(root.slot, str) or root.slot in fixed:
            continue
        type_ = _of_vertex(of, root)
        if root.builtin and isinstance(root.slot, int):
            count += slot_count(type_, root.slot)
        elif root.slot is not None:
            for n, width in enumerate(vectors_of(type_), root.slot):
                shared |= {packing[n] // 4, (packing[n] + width - 1) // 4}
    count += len(shared)
    if count > most:
        end = 4 * (enums.VARYING_SLOT_VAR0 + most)
        # Mesa's, which does not end the line
        beyond = "".join(
            f"insufficient contiguous locations available for {var.name} it is possible an array "
            "or struct could not be packed between varyings with explicit locations. Try using an "
            "explicit location for arrays and structs.error: " for var, type_ in passed
            if packing[cast("int", var.slot)] + type_.components > end)
        raise LinkError(f"{beyond}{of.name} shader uses too many {_DIRECTIONS[mode]} components "
                        f"({4 * count} > {4 * most})")


def check_emitted(stage: Stage, most: int) -> None:
    """Of a stage that emits its vertices: the components of all that an invocation may make (GL
    3.2, 2.12.5). `most`: how many there may be."""
    made = [v for v in stage.roots.values() if v.mode == "shader_out" and _is_written(stage, v)]
    components = sum(_of_vertex(stage, var).components for var in made)
    total = components * int(stage.layouts.get("max_vertices", 0))
    if total > most:
        raise LinkError(f"{stage.name} shader emits too many components ({total} > {most})")


__all__ = ["Attribute", "check_emitted", "cross_validate", "link_attributes", "link_outputs",
           "link_varyings", "vectors_of"]
