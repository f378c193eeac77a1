# SPDX-License-Identifier: MIT
"""Runs LLVM: text -> verified module -> optimised -> relocatable object -> linked image, through
the object cache.

Only this file imports llvmlite, and only when the cache has no image for a module. A variant
(Module.variant) may have two images of the same bits: a first one, which LLVM makes in a third of
the time, and the best one (tiers.py says when). Tracing is Python under one lock; what LLVM does
runs without a lock and without the interpreter's, so that a thread of ours can have it done
meanwhile.
GALLIVM_DEBUG=ir prints the optimised IR, asm the machine code (names as in Mesa's lp_bld_init.c).
Loop and SLP vectorisers are off: kernels say themselves what is a vector.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.jit import cpu, image
from pydri.jit.cache import object_cache
from pydri.util import clock, ending, garbage, place, spans, stats
from pydri.util.options import options
from pydri.util.turns import TURNS

if TYPE_CHECKING:
    from pydri.jit.image import Image
    from pydri.jit.kernel import Module

_ready = False
_lock_ready = threading.Lock()
#: nobody waits for what this process compiles (the build): variants are made as well as all else
at_leisure = False


class Level(NamedTuple):
    """How much LLVM shall do: passes by name (None: its standard pipeline), code generation."""

    passes: tuple[str, ...] | None
    codegen: int


#: What needs no variant, and all that is made when the driver is built or installed.
WHOLE = Level(None, 2)
#: A variant's best image. What traced code needs is few passes: locals become registers, what is
#: computed twice or for nothing goes, branches that are decided are cut. The standard pipeline
#: takes 2.5 to 3.6 times as long and leaves no instruction less in such kernels.
VARIANT = Level(
    ("always_inliner", "global_dead_code_eliminate", "sroa", "instruction_combine", "simplify_cfg",
     "new_gvn", "simplify_cfg"), 2,
)  # fmt: skip
#: A variant's first image: code generation is nine tenths of the time, and without selection of
#: the best instructions and registers a third of that.
FIRST = Level(("always_inliner", "sroa"), 0)


class _Machines(threading.local):
    """The TargetMachines of a thread, which no two threads may share."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, int], Any] = {}


_machines = _Machines()


def native_vector_width() -> int:
    """128, 256 or 512: what LP_NATIVE_VECTOR_WIDTH says, else the best of this CPU."""
    return cpu.native_vector_width()


def load_llvm(waited_for: bool = True) -> bool:
    """Load LLVM, unless the process ends and no thread of the program waits for it; whether it is
    there."""
    global _ready
    with _lock_ready:
        if _ready:
            return True
        with ending.loading() as allowed:
            if not (allowed or waited_for):
                return False
            import llvmlite.binding as llvm
            from llvmlite.binding import ffi

            from pydri.jit.globals import keep_globals

            keep_globals(os.path.realpath(ffi.lib._name))
        garbage.compiling()
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _ready = True
    return True


def _machine(width: int, codegen: int = 2) -> Any:
    """This thread's llvmlite TargetMachine for a vector width."""
    load_llvm()
    import llvmlite.binding as llvm

    machine = _machines.made.get((width, codegen))
    if machine is None:
        name, features = cpu.target_options(width)
        target = llvm.Target.from_triple(llvm.get_process_triple())
        machine = _machines.made[width, codegen] = target.create_target_machine(
            cpu=name, features=features, opt=codegen, reloc="pic", codemodel="small"
        )
    return machine


def _unlocked(name: str) -> Any:
    """A function of LLVM's without llvmlite's lock around it.

    That lock lets one thread at a time into LLVM, which needs none where threads have contexts and
    target machines of their own; so have ours."""
    from llvmlite.binding import ffi

    function = getattr(ffi.lib, name)
    return getattr(function, "_cfn", function)


def _parse(text: str) -> Any:
    """llvmlite's module of an assembly text, in a context of its own: what the global one has seen
    (constants, types) it keeps."""
    import llvmlite.binding as llvm
    from llvmlite.binding import ffi

    context = llvm.create_context()
    with ffi.OutputString() as message:
        made = _unlocked("LLVMPY_ParseAssembly")(context, text.encode(), message)
        module = llvm.ModuleRef(made, context)
        if message:
            told = str(message)
            module.close()
            raise RuntimeError(f"LLVM IR parsing error\n{told}")
    return module


def _run_passes(module: Any, machine: Any, level: Level) -> None:
    """Optimise a module in place."""
    import llvmlite.binding as llvm
    from llvmlite.binding.newpassmanagers import NewPassManager

    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    tuning.loop_interleaving = False
    tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, tuning)
    if level.passes is not None:
        passes = llvm.create_new_module_pass_manager()
        for name in level.passes:
            getattr(passes, f"add_{name}_pass")()
    else:
        passes = builder.getModulePassManager()
    _unlocked("LLVMPY_RunNewModulePassManager")(passes, module, builder)
    # llvmlite 0.50 never disposes of it: of the two classes it inherits from, the first one's
    # _dispose wins, which does nothing. 150 kB a module.
    NewPassManager._dispose(passes)
    passes.detach()


def _emit_object(module: Any, machine: Any) -> bytes:
    """The relocatable object of a module."""
    import ctypes

    from llvmlite.binding import ffi

    with ffi.OutputString() as message:
        buffer = _unlocked("LLVMPY_TargetMachineEmitToMemory")(machine, module, 1, message)
        if not buffer:
            raise RuntimeError(str(message))
    try:
        start = ffi.lib.LLVMPY_GetBufferStart(buffer)
        return ctypes.string_at(start, ffi.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def _refusal(error: RuntimeError, text: str) -> RuntimeError:
    """What LLVM says of an assembly text, with the lines around the place."""
    lines = text.splitlines()
    where = str(error)
    near = ""
    for word in where.replace(":", " ").split():
        if word.isdigit() and 0 < int(word) <= len(lines):
            at = int(word)
            near = "\n".join(lines[max(0, at - 4) : at + 2])
            break
    return RuntimeError(f"LLVM refuses a kernel: {where}\n{near}")


def optimise(text: str, width: int, level: Level = WHOLE) -> Any:
    """Parse, verify and optimise LLVM assembly; returns llvmlite's module reference.

    Use it in a `with`, which closes it: a module must go before its context, and where an exception
    keeps both in a cycle, Python's garbage collector finalises them in any order.
    """
    machine = _machine(width, level.codegen)
    try:
        with spans.span("LLVM: reading IR"):
            module = _parse(text)
            try:
                module.verify()
            except RuntimeError:
                module.close()
                raise
    except RuntimeError as error:
        raise _refusal(error, text) from None
    try:
        with spans.span("LLVM: passes"):
            module.triple = machine.triple
            module.data_layout = str(machine.target_data)
            _run_passes(module, machine, level)
    except BaseException:
        module.close()
        raise
    return module


class _Traced(NamedTuple):
    """A module's assembly on its way through LLVM."""

    name: str
    text: str
    width: int
    level: Level
    seconds: float  # that tracing took

    def blob(self) -> bytes:
        """What LLVM makes of it, linked. Any thread may do that."""
        from pydri.jit import elf

        flags = options.GALLIVM_DEBUG
        start = clock.monotonic()
        with optimise(self.text, self.width, self.level) as optimised:
            done = clock.monotonic()
            machine = _machine(self.width, self.level.codegen)
            if "ir" in flags:
                sys.stderr.write(f"; {self.name}\n{optimised}\n")
            if "asm" in flags:
                sys.stderr.write(f"# {self.name}\n{machine.emit_assembly(optimised)}\n")
            with spans.span("LLVM: code generation"):
                emitted = _emit_object(optimised, machine)
            with spans.span("linking code"):
                blob = elf.link(emitted)
        if "perf" in flags:
            sys.stderr.write(
                f"gallivm: {self.name}: trace {1e3 * self.seconds:.1f} ms, "
                f"optimise {1e3 * (done - start):.1f} ms, "
                f"code {1e3 * (clock.monotonic() - done):.1f} ms, {len(blob)} bytes\n"
            )
        return blob


def _trace(module: Module, first: bool) -> _Traced:
    """Trace a module's kernels."""
    width = native_vector_width()
    with TURNS.tracing(), spans.span("building LLVM IR"):
        start = clock.monotonic()
        text = module.ir(width, first)
        level = FIRST if first else VARIANT if module.variant and not at_leisure else WHOLE
        return _Traced(module.name, text, width, level, clock.monotonic() - start)


#: before an image in the cache: it is the best one, or made in a hurry
_BEST, _FIRST = b"B", b"F"


def _cache_key(module: Module, width: int) -> bytes:
    return b"\0".join((module.name.encode(), str(width).encode(), module.key))


def _of_kind(key: bytes, first: bool) -> bytes:
    """An image's key in the process, where both may be in use at a time; a file holds one."""
    return key + b"\0first" if first else key


def looked_into() -> bool:
    """Whether somebody wants to see what the compiler makes: nothing comes from a cache then, and
    all is made once, as good as it can be."""
    return bool(options.GALLIVM_DEBUG & {"ir", "asm"} or options.NIR_DEBUG)


def load_module(module: Module, first: bool = False) -> Image | None:
    """Image of a module that needs no compilation: the process's own if it is loaded, else of the
    cached blob; None if there is neither. With `first` a first image will do."""
    cache = object_cache()
    first = first and module.hurries
    kinds = (False, True) if first else (False,)
    if first and "first" in options.PYDRI_TIERS:
        kinds = (True,)
    key = _cache_key(module, native_vector_width())
    for kind in kinds:
        shared = cache.share(_of_kind(key, kind))
        if shared is not None:
            return shared
    kept = None if looked_into() else cache.get(key)
    if kept is None or (kept[:1] == _FIRST) not in kinds:
        return None
    try:
        loaded = image.load(kept, module.name, sound=True, begin=1)
    except image.ImageError:
        cache.discard(key)  # of another version, or wants a C function that is not here
        return None
    loaded.first = kept[:1] == _FIRST
    stats.add("cache_hits")
    return cache.share(_of_kind(key, loaded.first), loaded)


def _finished(module: Module, first: bool, blob: bytes) -> Image:
    """The image of a fresh blob, which the cache gets, too."""
    key = _cache_key(module, native_vector_width())
    cache = object_cache()
    stats.add("kernels_compiled")
    cache.put(key, (_FIRST if first else _BEST) + blob, replace=not first)
    loaded = image.load(blob, module.name, sound=True)
    loaded.first = first
    shared = cache.share(_of_kind(key, first), loaded)
    assert shared is not None, "an image that is given is shared"
    return shared


def compile_module(module: Module, first: bool = False) -> Image:
    """Image of a module: loaded if that is possible, else compiled, linked and put into the
    cache."""
    known = load_module(module, first)
    if known is not None:
        return known
    with TURNS.waited_for():
        return begin_fresh(module, first)()


def begin_module(
    module: Module, first: bool = False, helper: Callable[[Callable[[], bytes]], Any] | None = None
) -> Callable[[], Image]:
    """What `compile_module` does, in two parts: when this returns the module is traced, and the
    call of what it returns gives the image. `helper(work)` may begin with LLVM's part meanwhile;
    its result's `result()` is the work's."""
    known = load_module(module, first)
    if known is not None:
        image = known
        return lambda: image
    return begin_fresh(module, first, helper)


def _told_of(module: Module) -> str:
    """What a program is told that waits long for a module."""
    folder = object_cache().folder()
    kept = f"kept in {folder}" if folder else "not kept, for there is no cache folder"
    if module.variant:
        return f"compiling shaders takes its time; the code is {kept}"
    return (
        f"compiling the driver's kernels for {cpu.level().name}, of which there are none beside the"
        f" library: up to half a minute, once; they are {kept}"
    )


def begin_fresh(
    module: Module, first: bool = False, helper: Callable[[Callable[[], bytes]], Any] | None = None
) -> Callable[[], Image]:
    """`begin_module` of one that no cache has, as the caller knows."""
    first = first and module.hurries and not looked_into()
    if place.libdir():
        from pydri.util import waits

        waits.watch(_told_of(module))
    traced = _trace(module, first)
    if helper is None:
        return lambda: _finished(module, first, traced.blob())
    pending = helper(traced.blob)
    return lambda: _finished(module, first, pending.result())
