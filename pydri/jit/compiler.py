# SPDX-License-Identifier: MIT
"""Runs LLVM: text -> verified module -> optimised -> relocatable object -> linked image, through
the object cache.

Only this file imports llvmlite, and only when the cache has no image for a module.
GALLIVM_DEBUG=ir prints the optimised IR, asm the machine code (names as in Mesa's lp_bld_init.c).
Loop and SLP vectorisers are off: kernels say themselves what is a vector.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from pydri.util.options import options

if TYPE_CHECKING:
    from pydri.jit.image import Image
    from pydri.jit.kernel import Module

_lock = threading.RLock()  # tracing one module may need another one compiled
_ready = False
_machines: dict[int, Any] = {}


def native_vector_width() -> int:
    """128, 256 or 512: what LP_NATIVE_VECTOR_WIDTH says, else the best of this CPU."""
    from pydri.jit import cpu

    return cpu.native_vector_width()


def _machine(width: int) -> Any:
    """The llvmlite TargetMachine for a vector width."""
    global _ready
    import llvmlite.binding as llvm

    from pydri.jit import cpu

    if not _ready:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _ready = True
    machine = _machines.get(width)
    if machine is None:
        name, features = cpu.target_options(width)
        target = llvm.Target.from_triple(llvm.get_process_triple())
        machine = _machines[width] = target.create_target_machine(
            cpu=name, features=features, opt=2, reloc="pic", codemodel="small"
        )
    return machine


#: Passes of a variant (Module.variant), in order. What traced code needs is few: locals become
#: registers, what is computed twice or for nothing goes, branches that are decided are cut. The
#: standard pipeline takes 2.5 to 3.6 times as long and leaves no instruction less in such kernels.
_VARIANT_PASSES = (
    "always_inliner", "global_dead_code_eliminate", "sroa", "instruction_combine", "simplify_cfg",
    "new_gvn", "simplify_cfg",
)  # fmt: skip


def _run_passes(module: Any, machine: Any, variant: bool) -> None:
    """Optimise a module in place."""
    import llvmlite.binding as llvm
    from llvmlite.binding.newpassmanagers import NewPassManager

    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    tuning.loop_interleaving = False
    tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, tuning)
    if variant:
        passes = llvm.create_new_module_pass_manager()
        for name in _VARIANT_PASSES:
            getattr(passes, f"add_{name}_pass")()
    else:
        passes = builder.getModulePassManager()
    passes.run(module, builder)
    # llvmlite 0.50 never disposes of it: of the two classes it inherits from, the first one's
    # _dispose wins, which does nothing. 150 kB a module.
    NewPassManager._dispose(passes)
    passes.detach()


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


def optimise(text: str, width: int, variant: bool = False) -> Any:
    """Parse, verify and optimise LLVM assembly; returns llvmlite's module reference.

    Use it in a `with`, which closes it: a module must go before its context, and where an exception
    keeps both in a cycle, Python's garbage collector finalises them in any order.
    """
    import llvmlite.binding as llvm

    machine = _machine(width)
    try:
        # a context of its own: what the global one has seen (constants, types) it keeps
        module = llvm.parse_assembly(text, llvm.create_context())
        try:
            module.verify()
        except RuntimeError:
            module.close()
            raise
    except RuntimeError as error:
        raise _refusal(error, text) from None
    try:
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        _run_passes(module, machine, variant)
    except BaseException:
        module.close()
        raise
    return module


def _cache_key(module: Module, width: int) -> bytes:
    return b"\0".join((module.name.encode(), str(width).encode(), module.key))


def load_module(module: Module) -> Image | None:
    """Image of a module that needs no compilation: the process's own if it is loaded, else of the
    cached blob; None if there is neither."""
    from pydri.jit import image
    from pydri.jit.cache import object_cache
    from pydri.util import stats

    key = _cache_key(module, native_vector_width())
    cache = object_cache()
    shared = cache.share(key)
    if shared is not None or options.GALLIVM_DEBUG & {"ir", "asm"} or options.NIR_DEBUG:
        return shared
    blob = cache.get(key)
    if blob is not None:
        try:
            loaded = image.load(blob, module.name)
            stats.add("cache_hits")
            return cache.share(key, loaded)
        except image.ImageError:
            cache.discard(key)  # of another version, or it wants a C function that is not here
    return None


def compile_module(module: Module) -> Image:
    """Image of a module: loaded if that is possible, else compiled, linked and put into the
    cache."""
    from pydri.jit import elf, image
    from pydri.jit.cache import object_cache
    from pydri.util import stats

    known = load_module(module)
    if known is not None:
        return known
    width = native_vector_width()
    flags = options.GALLIVM_DEBUG
    key = _cache_key(module, width)
    cache = object_cache()
    with _lock:
        start = time.perf_counter()
        text = module.ir(width)
        traced = time.perf_counter()
        with optimise(text, width, module.variant) as optimised:
            done = time.perf_counter()
            if "ir" in flags:
                sys.stderr.write(f"; {module.name}\n{optimised}\n")
            if "asm" in flags:
                assembly = _machine(width).emit_assembly(optimised)
                sys.stderr.write(f"# {module.name}\n{assembly}\n")
            blob = elf.link(_machine(width).emit_object(optimised))
        if "perf" in flags:
            sys.stderr.write(
                f"gallivm: {module.name}: trace {1e3 * (traced - start):.1f} ms, "
                f"optimise {1e3 * (done - traced):.1f} ms, "
                f"code {1e3 * (time.perf_counter() - done):.1f} ms, {len(blob)} bytes\n"
            )
    stats.add("kernels_compiled")
    cache.put(key, blob)
    shared = cache.share(key, image.load(blob, module.name))
    assert shared is not None, "an image that is given is shared"
    return shared
