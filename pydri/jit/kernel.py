# SPDX-License-Identifier: MIT
"""Kernels and modules: from traced Python functions to an image of machine code.

A `Kernel` is a Python function that emits its body once for each module that uses it. A `Module`
names the kernels to export; everything that they call comes along as private functions.
`Module.compile()` asks the object cache first (no llvmlite, no tracing on a warm start), else
traces, verifies, optimises and links. What Mesa does in gallivm's `lp_bld_init.c` happens here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pydri.jit.extern import ExternC
from pydri.jit.fpstate import EXACT, INSIDE, Floats
from pydri.jit.types import Fn, Hook, Scalar, Type
from pydri.util.deep_stack import DeepStack
from pydri.util.options import options

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.image import Image


class Kernel:
    """A function of the kernel language. Call it from another kernel with `b.call(k, ...)`."""

    varargs = False

    def __init__(
        self,
        trace: Callable[..., Any],
        name: str,
        ret: Type,
        args: tuple[Type, ...],
        inline: bool = False,
        noalias: tuple[int, ...] = (),
        cold: bool = False,
        noinline: bool = False,
    ) -> None:
        self.trace = trace
        self.name = name
        self.ret = ret
        self.args = args
        self.inline = inline
        self.noalias = noalias
        self.cold = cold
        self.noinline = noinline
        self.fn_type = Fn(ret, args)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def __call__(self, b: Builder, *args: Any) -> Any:
        """Emit the body in place (macro expansion): no `b.Return` inside; the function's Python
        result is returned.
        """
        return self.trace(b, *args)


def kernel(
    ret: Type,
    args: tuple[Type, ...] = (),
    *,
    name: str | None = None,
    inline: bool = False,
    noalias: tuple[int, ...] = (),
    cold: bool = False,
    noinline: bool = False,
) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorator: make a Kernel of `def f(b, ...)`. `noalias` lists parameters that nothing else
    points into.
    """

    def wrap_fn(f: Callable[..., Any]) -> Kernel:
        return Kernel(f, name or f.__name__, ret, args, inline, noalias, cold, noinline)

    return wrap_fn


#: Bytes of a kernel's arrays. Kernels run on the program's threads, some of which have 64 KB of
#: stack for all that calls each other: what is larger lies in memory that a context owns.
MOST_ARRAYS = 24 << 10
#: Where a frame is larger than a page, each page of it is touched in order, so that a stack which
#: is too small ends at its guard page and not in what lies behind.
PROBES = '"probe-stack"="inline-asm" "stack-probe-size"="4096"'
#: Python frames that tracing may take: kernels of shaders nest as deep as a program's text
DEEPEST = 20000


class ModuleBuilder:
    """Collects the text of one LLVM module while its kernels are traced."""

    def __init__(
        self,
        name: str,
        exports: list[Kernel],
        width: int,
        named: bool = True,
        floats: Floats = EXACT,
        hoists: bool = False,
    ) -> None:
        self.name = name
        self.floats = floats
        self.hoists = hoists  # loops are emptied of what does not vary in them (hoist.py)
        self.named = named  # values by the line that made them, not by a number alone
        self.width = width
        self.exports = exports
        self.functions: dict[str, Kernel] = {}
        self.queue: list[Kernel] = []
        self.declares: dict[str, None] = {}
        self.globals: list[str] = []
        self.constants: dict[str, str] = {}
        self.ways_out: dict[str, str] = {}  # text of functions that call hooks, by name

    def declare(self, text: str) -> None:
        self.declares[text] = None

    def declare_intrinsic(self, name: str, ret: Type, args: list[Type]) -> None:
        self.declares[f"declare {ret.ir} @{name}({', '.join(a.ir for a in args)})"] = None

    def reference(self, target: Kernel | ExternC) -> str:
        """LLVM's name of a kernel or C function; makes sure that it will be there."""
        if isinstance(target, ExternC):
            dots = ", ..." if target.varargs else ""
            args = ", ".join(a.ir for a in target.args)
            self.declares[f"declare {target.ret.ir} @{target.name}({args}{dots})"] = None
            return f"@{target.name}"
        known = self.functions.get(target.name)
        if known is None:
            self.functions[target.name] = target
            self.queue.append(target)
        elif known is not target:
            raise TypeError(f"two kernels named {target.name} in module {self.name}")
        return f"@{target.name}"

    def way_out(self, ty: Hook) -> str:
        """LLVM's name of the function that calls a hook of this type (doors.py)."""
        name = "way.out." + ".".join(a.ir for a in (ty.ret, *ty.args))
        if name not in self.ways_out:
            from pydri.jit import doors

            self.ways_out[name] = doors.way_out(name, ty)
        return f"@{name}"

    def constant(self, ty: Scalar, values: Sequence[float]) -> str:
        body = ", ".join(f"{ty.ir} {ty.const(v)}" for v in values)
        text = f"[{len(values)} x {ty.ir}] [{body}]"
        name = self.constants.get(text)
        if name is None:
            name = self.constants[text] = f"@table.{len(self.constants)}"
            self.globals.append(f"{name} = private unnamed_addr constant {text}, align 64")
        return name

    def text(self) -> str:
        """Trace everything reachable from the exports; LLVM assembly of the whole module."""
        functions: dict[str, str] = {}
        exported = {k.name for k in self.exports}
        for k in self.exports:
            self.reference(k)
        with DeepStack(DEEPEST):
            while self.queue:
                k = self.queue.pop(0)
                functions[k.name] = self._function(k, k.name in exported)
        out = [*self._with_doors(functions), *self.ways_out.values()]
        attrs = f'"prefer-vector-width"="{self.width}" {PROBES}{self.floats.attributes}'
        head = [f"; module {self.name}", f'source_filename = "{self.name}"']
        tail = [
            f"attributes #0 = {{ nounwind {attrs} }}",
            f"attributes #1 = {{ nounwind alwaysinline {attrs} }}",
            f"attributes #2 = {{ nounwind cold noinline {attrs} }}",
            f"attributes #3 = {{ nounwind noinline {attrs} }}",
            "!0 = !{}",
            "!1 = !{i32 1}",
            '!2 = !{!"branch_weights", i32 1000, i32 1}',
            '!3 = !{!"branch_weights", i32 1, i32 1000}',
        ]
        return "\n".join([*head, *self.globals, *self.declares, *out, *tail, ""])

    def _with_doors(self, functions: dict[str, str]) -> list[str]:
        """The functions, and doors in front of the exports that compute with floats."""
        from pydri.jit import doors

        if self.ways_out or self.floats.doors:
            self.declares.update(dict.fromkeys(doors.DECLARES))
        if not self.floats.doors:
            return list(functions.values())
        outside = self.floats.outside
        entered = {k.name for k in self.exports}.difference(self.floats.without, outside)
        inside = doors.computing(functions, self.floats.word) & entered
        doors.check_outside(functions, outside, inside, self.floats.word)
        out = []
        for name, text in functions.items():
            text = text if name in outside else doors.put_inside(text, inside)
            if name in inside:
                # not inlined into its door: nothing keeps LLVM from computing ahead of the word
                text = text.replace("define ", "define internal ", 1)
                text = text.replace(") #0 {\n", ") #3 {\n", 1)
                text = f"{text}\n{doors.door(self.functions[name], self.floats.word)}"
            out.append(text)
        return out

    def _function(self, k: Kernel, exported: bool) -> str:
        from pydri.jit.builder import Builder
        from pydri.jit.values import wrap

        b = Builder(self, k.ret)
        params = []
        values = []
        for n, ty in enumerate(k.args):
            attr = " noalias" if n in k.noalias else ""
            params.append(f"{ty.ir}{attr} %arg{n}")
            values.append(wrap(b, ty, f"%arg{n}"))
        result = k.trace(b, *values)
        if b.array_bytes > MOST_ARRAYS:
            raise TypeError(f"kernel {k.name} has arrays of {b.array_bytes} bytes on the stack")
        if not b.block.closed:
            if k.ret.ir == "void":
                b.terminate("ret void")
            elif result is not None:
                b.Return(result)
            elif b.falls_off():
                raise TypeError(f"kernel {k.name} can end without b.Return({k.ret!r})")
        if self.hoists:
            from pydri.jit import hoist

            b.one_a_line()
            hoist.run(b.blocks, b.allocas, b.traced_loops)
        link = "" if exported else "internal "
        group = 1 if k.inline and not exported else 2 if k.cold else 3 if k.noinline else 0
        return f"define {link}{k.ret.ir} @{k.name}({', '.join(params)}) #{group} {{\n{b.text()}\n}}"


class Module:
    """A set of kernels compiled together. `key` tells variants of the same name apart in the
    cache; with `variant` it is one of many that are made while a program waits, so LLVM gets a
    short list of passes. With `first` there is a first image until the best one is made (tiers.py):
    it makes kernels that are shorter, and slower, in the same bits. `floats` says how they compute:
    variants are called by kernels that have seen to it, all others are GL's state, if nothing else
    is said (fpstate.py).
    """

    def __init__(
        self,
        name: str,
        exports: list[Kernel] | Callable[[], list[Kernel]],
        key: bytes = b"",
        variant: bool = False,
        first: Callable[[], list[Kernel]] | None = None,
        floats: Floats | None = None,
    ) -> None:
        self.name = name
        self.floats = floats or (INSIDE if variant else EXACT)
        self._exports = exports
        self.key = key
        self.variant = variant
        self._first = first

    @property
    def hurries(self) -> bool:
        """Whether there may be a first image."""
        return self._first is not None

    def exports(self, first: bool = False) -> list[Kernel]:
        """The exported kernels; a function of them is called only when they must be traced."""
        exports = self._first if first and self._first is not None else self._exports
        return exports() if callable(exports) else exports

    def ir(self, width: int | None = None, first: bool = False) -> str:
        """The module's LLVM assembly before optimisation."""
        from pydri.jit.compiler import native_vector_width

        width = width or native_vector_width()
        named = not self.variant or bool(options.GALLIVM_DEBUG)
        return ModuleBuilder(
            self.name, self.exports(first), width, named, self.floats, self.variant and not first
        ).text()

    def load(self, first: bool = False) -> Image | None:
        """Machine code, if it needs no compilation; None. With `first` a first image will do."""
        from pydri.jit.compiler import load_module

        return load_module(self, first)

    def is_cached(self) -> bool:
        """Whether nothing would have to be compiled."""
        image = self.load()
        if image is not None:
            from pydri.jit.cache import object_cache

            object_cache().release(image)
        return image is not None

    def compile(self) -> Image:
        """Machine code, from the cache or fresh: a pydri.jit.image.Image with `.address(name)`."""
        from pydri.jit.compiler import compile_module

        return compile_module(self)
