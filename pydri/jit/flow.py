# SPDX-License-Identifier: MIT
"""Run-time control flow of the kernel language: If/Elif/Else, For, While, Loop, Switch, Return.

Capital letters branch when the machine runs; Python's own `if` and `for` choose and unroll when
the kernel is generated (the way of SwiftShader's Reactor). Each form is a context manager; a
misuse raises with the sentence that says what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pydri.jit.emitter import Emitter
from pydri.jit.hoist import Loop
from pydri.jit.types import i32, void
from pydri.jit.values import Value

if TYPE_CHECKING:
    from pydri.jit.emitter import Block
    from pydri.jit.values import Operand, Settable


class _Form:
    """Base of the context managers; a form has no truth value."""

    def __bool__(self) -> bool:
        raise TypeError("write `with b.If(cond):`, not `if b.If(cond):`")


class If(_Form):
    def __init__(self, b: Emitter, cond: Value, likely: bool | None) -> None:
        if not isinstance(cond, Value):
            raise TypeError("b.If wants a run-time boolean; for a Python value write a plain `if`")
        if cond.ty.ir != "i1":
            raise TypeError(
                f"b.If wants a boolean, not {cond.ty!r}; "
                "write b.If(x != 0), or b.any(mask) for a vector"
            )
        self.b = b
        self.cond = cond
        self.likely = likely
        self.ends: list[tuple[Block, int]] = []  # jumps to the join, patched if an Else follows

    def __enter__(self) -> None:
        b = self.b
        then = b.new_block("then")
        self.otherwise = b.new_block("else")
        prof = "" if self.likely is None else f", !prof !{2 if self.likely else 3}"
        b.terminate(
            f"br i1 {self.cond.ref}, label %{then.label}, label %{self.otherwise.label}{prof}"
        )
        b.place(then)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind:
            return
        b = self.b
        if not b.block.closed:
            self.ends.append((b.block, len(b.block.lines)))
            b.terminate(f"br label %{self.otherwise.label}")
        b.place(self.otherwise)
        b.last_if = self


class _Else(_Form):
    def __init__(self, b: Emitter) -> None:
        self.b = b
        form = b.last_if
        if form is None or b.block is not form.otherwise or b.block.lines:
            raise TypeError("b.Else must follow directly on its `with b.If(...)` block")
        self.form: If = form

    def __enter__(self) -> None:
        self.b.last_if = None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind:
            return
        b = self.b
        join = b.new_block("join")
        for block, at in self.form.ends:
            block.lines[at] = f"br label %{join.label}"
        b.terminate(f"br label %{join.label}")
        b.place(join)


class _Elif(_Else):
    """`with b.Elif(lambda: cond):` is Else with an If inside; later Elif/Else join the same
    chain.
    """

    def __init__(self, b: Emitter, cond: Callable[[], Value]) -> None:
        super().__init__(b)
        if not callable(cond):
            raise TypeError("b.Elif wants a function of the condition: b.Elif(lambda: x > 0)")
        self.cond = cond

    def __enter__(self) -> None:
        super().__enter__()
        self.inner = If(self.b, self.cond(), None)
        self.inner.__enter__()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind:
            return
        self.inner.__exit__(None)
        # the joins of the whole chain are patched together by the last Else
        for block, at in self.form.ends:
            block.lines[at] = f"br label %{self.inner.otherwise.label}"
        self.inner.ends.extend(self.form.ends)


class LoopFrame:
    def __init__(self, again: Block, done: Block) -> None:
        self.again = again
        self.done = done


class _Loop(_Form):
    """Endless loop; leave it with b.Break()."""

    def __init__(self, b: Emitter) -> None:
        self.b = b

    def __enter__(self) -> None:
        b = self.b
        self.head = b.new_block("loop")
        self.done = b.new_block("done")
        self.before = b.block
        b.terminate(f"br label %{self.head.label}")
        b.place(self.head)
        self.first = len(b.blocks) - 1
        b.loops.append(LoopFrame(self.head, self.done))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        b = self.b
        b.loops.pop()
        if kind:
            return
        b.terminate(f"br label %{self.head.label}")
        b.traced_loops.append(Loop(self.before, self.first, len(b.blocks)))
        b.place(self.done)


class _While(_Loop):
    def __init__(self, b: Emitter, cond: Callable[[], Value]) -> None:
        super().__init__(b)
        if not callable(cond):
            raise TypeError(
                "b.While wants a function of the condition: b.While(lambda: i.value < n)"
            )
        self.cond = cond

    def __enter__(self) -> None:
        super().__enter__()
        b = self.b
        body = b.new_block("body")
        b.terminate(f"br i1 {self.cond().ref}, label %{body.label}, label %{self.done.label}")
        b.place(body)


class _For(_Form):
    """Counts from start (inclusive) to stop (exclusive) by step; `as i` gives the counter."""

    def __init__(self, b: Emitter, start: Operand, stop: Operand, step: Operand) -> None:
        self.b = b
        typed = next((x for x in (stop, start, step) if isinstance(x, Value)), None)
        ty = typed.ty if typed is not None else i32
        self.counter = b.var(ty, start)
        self.stop = b.coerce(stop, ty)
        self.step = step

    def __enter__(self) -> Value:
        b = self.b
        head, body = b.new_block("for"), b.new_block("body")
        self.head, self.again, self.done = head, b.new_block("next"), b.new_block("done")
        self.before = b.block
        b.terminate(f"br label %{head.label}")
        b.place(head)
        self.first = len(b.blocks) - 1
        i = self.counter.value
        down = not isinstance(self.step, Value) and self.step < 0
        if down and i.elem.kind == "u":
            raise TypeError(
                f"b.For counts down past 0, which {i.ty!r} cannot hold; give it a signed start"
            )
        cond = i > self.stop if down else i < self.stop
        b.terminate(f"br i1 {cond.ref}, label %{body.label}, label %{self.done.label}")
        b.place(body)
        b.loops.append(LoopFrame(self.again, self.done))
        return i

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        b = self.b
        b.loops.pop()
        if kind:
            return
        b.terminate(f"br label %{self.again.label}")
        b.place(self.again)
        self.counter.value = self.counter.value + self.step
        b.terminate(f"br label %{self.head.label}")
        b.traced_loops.append(Loop(self.before, self.first, len(b.blocks)))
        b.place(self.done)


class _Case(_Form):
    def __init__(self, switch: Switch, values: tuple[int, ...] | None) -> None:
        self.switch = switch
        self.values = values

    def __enter__(self) -> None:
        b, s = self.switch.b, self.switch
        block = b.new_block("case" if self.values is not None else "default")
        if self.values is None:
            s.default = block.label
        else:
            s.cases.extend((v, block.label) for v in self.values)
        b.place(block)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if not kind:
            self.switch.b.terminate(f"br label %{self.switch.done.label}")


class Switch(_Form):
    """`with b.Switch(v) as s:` then `with s.Case(1, 2):` ... `with s.Default():`."""

    def __init__(self, b: Emitter, value: Value) -> None:
        self.b = b
        self.value = value
        self.cases: list[tuple[int, str]] = []

    def __enter__(self) -> Switch:
        b = self.b
        self.done = b.new_block("endswitch")
        self.default = self.done.label
        self.at = (b.block, len(b.block.lines))
        b.terminate("; switch")
        return self

    def Case(self, *values: int) -> _Case:
        return _Case(self, values)

    def Default(self) -> _Case:
        return _Case(self, None)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind:
            return
        ty = self.value.ty
        arms = " ".join(f"{ty.ir} {ty.const(v)}, label %{label}" for v, label in self.cases)
        block, at = self.at
        block.lines[at] = f"switch {ty.ir} {self.value.ref}, label %{self.default} [{arms}]"
        self.b.place(self.done)


class Flow(Emitter):
    """The part of Builder that branches."""

    def If(self, cond: Value, likely: bool | None = None) -> If:
        """Branch on a run-time boolean; `likely` is a hint for code placement."""
        return If(self, cond, likely)

    def Else(self) -> _Else:
        return _Else(self)

    def Elif(self, cond: Callable[[], Value]) -> _Elif:
        return _Elif(self, cond)

    def For(self, start: Operand, stop: Operand, step: Operand = 1) -> _For:
        """Count from `start` to `stop`, which is not reached: `with b.For(0, n) as i:`."""
        return _For(self, start, stop, step)

    def While(self, cond: Callable[[], Value]) -> _While:
        return _While(self, cond)

    def Loop(self) -> _Loop:
        return _Loop(self)

    def Switch(self, value: Value) -> Switch:
        return Switch(self, value)

    def Break(self) -> None:
        """Leave the innermost loop."""
        if not self.loops:
            raise TypeError("b.Break() outside of a loop")
        self.terminate(f"br label %{self.loops[-1].done.label}")

    def Continue(self) -> None:
        """Go on with the innermost loop's next round."""
        if not self.loops:
            raise TypeError("b.Continue() outside of a loop")
        self.terminate(f"br label %{self.loops[-1].again.label}")

    def Return(self, value: Settable = None) -> None:
        """Return from the kernel."""
        if self.ret is void:
            if value is not None:
                raise TypeError("b.Return(value) in a kernel whose ret is void; write b.Return()")
            self.terminate("ret void")
        else:
            result = self.coerce(value, self.ret)
            self.terminate(f"ret {self.ret.ir} {result.ref}")

    def falls_off(self) -> bool:
        """Whether control can reach the open end of the last block."""
        if self.block.closed:
            return False
        by_label = {block.label: block for block in self.blocks}
        reached = {self.blocks[0].label}
        todo = [self.blocks[0]]
        while todo:
            block = todo.pop()
            if not block.closed:
                continue
            for part in block.lines[-1].split("label %")[1:]:
                label = part.split(",")[0].split(" ")[0].split("]")[0]
                if label not in reached and label in by_label:
                    reached.add(label)
                    todo.append(by_label[label])
        return self.block.label in reached
