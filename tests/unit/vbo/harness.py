# SPDX-License-Identifier: MIT
"""A GL context without shim, state tracker or driver: calls go through its dispatch tables, draws
are recorded.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any, NamedTuple

from pydri import vbo
from pydri.api import dispatch
from pydri.api.gl_table import TABLE
from pydri.main import core
from pydri.main.context import GLContext
from pydri.nir.enums import MAT_ATTRIB_MAX, VERT_ATTRIB_MAT0
from pydri.pipe.format import FORMATS
from pydri.pipe.native import DrawInfo, VertexBinding

CTYPES: dict[str, Any] = {
    "v": None,
    "E": ctypes.c_uint32,
    "M": ctypes.c_uint32,
    "B": ctypes.c_uint32,
    "A": ctypes.c_uint32,
    "b": ctypes.c_uint8,
    "c": ctypes.c_int8,
    "C": ctypes.c_uint8,
    "s": ctypes.c_int16,
    "S": ctypes.c_uint16,
    "i": ctypes.c_int32,
    "I": ctypes.c_uint32,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
    "l": ctypes.c_int64,
}
ELEMENT = {**CTYPES, "v": ctypes.c_uint8}
SLOTS = 44
Vertex = tuple[tuple[float, ...], ...]  # by slot


class Draw(NamedTuple):
    mode: int
    flags: int
    vertices: tuple[Vertex, ...]
    varying: frozenset[int]
    index_size: int
    indices: tuple[int, ...]
    shade: int


def number_type(format_: Any) -> Any:
    kind, bits = format_.channels[0]
    return {
        ("f", 32): ctypes.c_float,
        ("f", 64): ctypes.c_double,
        ("un", 8): ctypes.c_uint8,
        ("us", 8): ctypes.c_uint8,
        ("ss", 16): ctypes.c_int16,
        ("sn", 16): ctypes.c_int16,
        ("un", 16): ctypes.c_uint16,
    }[kind, bits]


def convert(format_: Any, raw: list[Any]) -> tuple[float, ...]:
    kind, bits = format_.channels[0]
    if kind == "un":
        raw = [ctypes.c_float(v / ((1 << bits) - 1)).value for v in raw]
    elif kind == "sn":
        raw = [ctypes.c_float((2 * v + 1) / ((1 << bits) - 1)).value for v in raw]
    return (
        tuple([*map(float, raw), 0.0, 0.0, 0.0, 1.0][: len(raw)]) + (0.0, 0.0, 0.0, 1.0)[len(raw) :]
    )


class GL:
    """Calls by name: gl.Vertex3f(...); arrays may be given as lists."""

    def __init__(self) -> None:
        ready()
        self.ctx = GLContext()
        vbo.attach(self.ctx)
        self.n = self.ctx.n
        self.n.draw_drawable = self.n.read_drawable = self.ctx.address  # something: only asked for
        self.draws: list[Draw] = []  # one for each instance
        self.calls = 0  # of ctx.draw
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
        self.n.draw = self.ctx.callback("draw", prototype, self._draw)
        self.fault: BaseException | None = None
        self._functions: dict[str, Any] = {}
        self._rows: dict[str, Any] = {}
        self.keep: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return functools.partial(self.call, "gl" + name)

    def call(self, name: str, *args: Any) -> Any:
        row = self._rows.get(name)
        if row is None:
            row = self._rows[name] = TABLE.row(name)
        keep: list[Any] = []
        passed = []
        for value, (_, code) in zip(args, row.params, strict=True):
            if code[0] in "*p" and isinstance(value, (list, tuple)):
                element = ELEMENT[code[1]] if code[0] == "*" else ctypes.c_uint64
                value = (element * len(value))(*value)
            if code[0] in "*p" and isinstance(value, ctypes.Array):
                keep.append(value)
                value = ctypes.addressof(value)
            passed.append(value)
        table = (ctypes.c_uint64 * len(TABLE)).from_address(self.n.dispatch)
        address = table[row.slot]
        if address:
            types = [CTYPES.get(code[0], ctypes.c_uint64) for _, code in row.params]
            function = self._functions.get((name, address))
            if function is None:
                prototype = ctypes.CFUNCTYPE(CTYPES[row.ret[0]], ctypes.c_uint64, *types)
                function = self._functions[name, address] = prototype(address)
            result = function(self.ctx.address, *passed)
        else:
            result = python_entry(name)(self.ctx.address, *passed)
        if self.fault:
            raise self.fault
        return result

    # -- what was drawn ----------------------------------------------------------------------------

    def error(self) -> int:
        error, self.n.error = self.n.error, 0
        return int(error)

    def flush(self) -> None:
        self.ctx.flush_vertices()
        if self.fault:
            raise self.fault

    def take(self) -> list[Draw]:
        self.flush()
        out, self.draws = self.draws, []
        return out

    def current(self, slot: int) -> tuple[float, ...]:
        if slot < VERT_ATTRIB_MAT0:
            return tuple(self.n.val.current[slot])
        n = slot - VERT_ATTRIB_MAT0
        material = self.n.val.materials[n & 1]
        name = ("ambient", "diffuse", "specular", "emission", "shininess", "indexes")[n >> 1]
        return tuple(getattr(material, name))

    def state(self) -> tuple[tuple[float, ...], ...]:
        """Every current value."""
        return tuple(self.current(slot) for slot in range(VERT_ATTRIB_MAT0 + MAT_ATTRIB_MAX))

    def _draw(self, _ctx: int, address: int) -> None:
        try:
            info = DrawInfo.view(address)
            self.calls += 1
            numbers = range(info.instance, info.instance + max(info.instances, 1))
            self.draws += [self._record(info, number) for number in numbers]
        except Exception as problem:
            self.fault = problem

    def _record(self, info: Any, instance: int) -> Draw:
        bindings = [VertexBinding.view(info.attribs + s * VertexBinding.size) for s in range(SLOTS)]
        formats = list(self.n.key.attrib_format)
        divided = int.from_bytes(bytes(self.n.key.attrib_divided), "little")
        if info.index_size:
            element = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32}[info.index_size]
            indices = [
                i + info.index_bias
                for i in (element * (info.start + info.count)).from_address(info.indices)[
                    info.start :
                ]
            ]
        else:
            indices = list(range(info.start, info.start + info.count))
        if info.bounds_known and info.count:
            unbiased = [i - (info.index_bias if info.index_size else 0) for i in indices]
            assert info.min_index <= min(unbiased) and max(unbiased) <= info.max_index
        constants = self.state()
        out: dict[int, Vertex] = {}
        for i in set(indices):
            row = []
            for slot in range(SLOTS):
                format_ = FORMATS[formats[slot]]
                if not formats[slot]:
                    row.append(constants[slot])
                    continue
                binding = bindings[slot]
                at = i
                assert bool(binding.divisor) == bool(divided >> slot & 1)
                if binding.divisor:
                    at = instance // binding.divisor + info.base_instance
                at = min(at, binding.count - 1) if binding.count else at
                raw = (number_type(format_) * len(format_.channels)).from_address(
                    binding.base + at * binding.stride
                )
                row.append(convert(format_, list(raw)))
            out[i] = tuple(row)
        varying = frozenset(s for s in range(SLOTS) if formats[s])
        return Draw(
            info.mode,
            info.prim_flags,
            tuple(out[i] for i in indices),
            varying,
            info.index_size,
            tuple(indices),
            self.n.key.shade_model,
        )


@functools.cache
def python_entry(name: str) -> Any:

    return dispatch.gl_function(TABLE.row(name))


@functools.cache
def ready() -> None:
    """What comes into a context with the room vbo."""
    for part in vbo.PARTS:
        core.register(part)


# -- primitives ------------------------------------------------------------------------------------


def assemble(draws: list[Draw]) -> list[tuple[Any, ...]]:
    """Points, segments, triangles, quads and polygon fans in order, each a tuple of vertices (last
    one provokes, except "polygon").
    """
    out: list[tuple[Any, ...]] = []
    for d in draws:
        at = len(out)
        v = d.vertices
        n = len(v)
        if d.mode == 0:
            out += [(p,) for p in v]
        elif d.mode == 1:
            out += [(v[i], v[i + 1]) for i in range(0, n - 1, 2)]
        elif d.mode in (2, 3):
            out += [(v[i], v[i + 1]) for i in range(n - 1)]
            if d.mode == 2 and n > 1:
                assert d.flags & 3 == 3, "a cut line loop reaches the driver as strips"
                out.append((v[-1], v[0]))
        elif d.mode == 4:
            out += [v[i : i + 3] for i in range(0, n - 2, 3)]
        elif d.mode == 5:
            out += [(v[i + (i & 1)], v[i + 1 - (i & 1)], v[i + 2]) for i in range(n - 2)]
        elif d.mode == 6:
            out += [(v[0], v[i + 1], v[i + 2]) for i in range(n - 2)]
        elif d.mode == 7:
            out += [v[i : i + 4] for i in range(0, n - 3, 4)]
        elif d.mode == 8:
            out += [(v[i + 2], v[i], v[i + 1], v[i + 3]) for i in range(0, n - 3, 2)]
        else:
            out += [("polygon", v[0], v[i + 1], v[i + 2]) for i in range(n - 2)]
        out[at:] = [(d.shade, *prim) for prim in out[at:]]
    return out
