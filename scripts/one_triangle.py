# SPDX-License-Identifier: MIT
"""Writes docs/one-triangle.md: one triangle from glDrawArrays to the X server, step by step.

In: a real trace: a client in this Python draws a frame on softpipe, whose every step is a Python
function, with a profile function set; and STATIONS, which says what each function is called in Mesa
and where llvmpipe's kernels of ours do the same. Out: the page (`python -m scripts.one_triangle`).
tests/unit/scripts/test_one_triangle.py traces again and holds that the functions are still called,
in this order.
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

from scripts.host import XServer, clean_environment

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "one-triangle.md"


class Station(NamedTuple):
    """A step: what happens, Mesa's functions, and ours: file and kernel of llvmpipe's way, the
    Python function of softpipe's as the trace names it ("": a kernel for both).
    """

    title: str
    mesa: str
    file: str
    kernel: str
    traced: str = ""


#: in the order of the trace
STATIONS = (
    Station("a state without a plan", "st_validate_state", "pydri/st/draw/kernels.py", "st_draw",
            "pydri.st.draw.plan.PlanCache.miss"),
    Station("the state as one value", "cso_set_blend and the other atoms",
            "pydri/st/draw/pipeline_state.py", "pipeline_state",
            "pydri.st.draw.pipeline_state.pipeline_state"),
    Station("a pipeline is made of it", "llvmpipe_update_fs", "pipe_llvm/context.py",
            "create_pipeline", "pydri.pipe.plain.PlainContext.create_pipeline"),
    Station("the driver shall draw", "st_draw_gallium, llvmpipe_draw_vbo",
            "pipe_llvm/draw/draw.py", "lp_draw_vbo", "pipe_soft.context.SoftContext.draw_vbo"),
    Station("primitives are assembled", "draw_prim_assembler_run", "pipe_llvm/draw/prim.py",
            "assemble", "pipe_soft.assemble.assemble"),
    Station("vertices are shaded", "llvm_middle_end_linear_run", "pipe_llvm/draw/draw.py",
            "draw_linear", "pipe_soft.vertices.shade"),
    Station("attributes are fetched", "draw_llvm_generate", "pipe_llvm/draw/fetch.py", "convert",
            "pipe_soft.fetch.attribute"),
    Station("the vertex shader is made", "st_create_vp_variant", "pydri/st/fixed/vertex.py",
            "build_vertex", "pydri.st.fixed.vertex.build_vertex"),
    Station("the vertex shader runs", "draw_llvm_variant's jit_func", "pipe_llvm/draw/rows.py",
            "store_block", "pydri.nir.interp.run"),
    Station("to the window", "draw_llvm: viewport and clip mask", "pipe_llvm/draw/clip.py", "",
            "pipe_soft.vertices.View.project"),
    Station("triangles are clipped", "draw_pipe_clip.c", "pipe_llvm/draw/clip.py", "",
            "pipe_soft.clip.clip_triangles"),
    Station("edges and planes", "lp_setup_choose_triangle, do_triangle_ccw",
            "pipe_llvm/setup/triangle.py", "batch", "pipe_soft.raster.Triangles.__init__"),
    Station("which tiles", "lp_setup_bin_triangle", "pipe_llvm/scene.py", "append_command",
            "pipe_soft.raster.Triangles._boxes"),
    Station("which pixels", "lp_rast_triangle_*", "pipe_llvm/fragment/area.py", "lp_cover",
            "pipe_soft.raster.Triangles.inside"),
    Station("pixels are shaded", "lp_rast_shade_quads_mask_sample", "pipe_llvm/rast/execute.py",
            "rast_tile", "pipe_soft.fragments.FragmentStage._shade"),
    Station("the fragment shader is made", "llvmpipe_create_fs_state",
            "pydri/st/fixed/fragment.py", "build_fragment",
            "pydri.st.fixed.fragment.build_fragment"),
    Station("inputs are interpolated", "lp_jit_setup_triangle, lp_bld_interp",
            "pipe_llvm/fragment/primitive.py", "", "pipe_soft.raster.Triangles.values"),
    Station("colours are blended", "generate_fragment: blend", "pipe_llvm/gallivm/blend.py", "",
            "pipe_soft.blend.new_pixels"),
    Station("and packed into memory", "lp_build_pack", "pydri/pipe/format_emit.py", "",
            "pipe_soft.pixels.pack"),
    Station("the rasteriser is awaited", "llvmpipe_finish",
            "pipe_llvm/rast/execute.py", "lp_finish", "pydri.pipe.plain.PlainContext.finish"),
    Station("the buffers are swapped", "glXSwapBuffers, drisw_swap_buffers", "pydri/glx/swap.py",
            "glXSwapBuffers"),
    Station("", "driswSwapBuffers, drisw_swap_buffers", "pydri/dri/swap.py", "dri_swap"),
    Station("the back buffer is in memory", "llvmpipe_flush_frontbuffer",
            "pipe_llvm/rast/resolve.py", "", "pipe_soft.context.SoftContext.resolve"),
    Station("it goes to the window", "dri_sw_displaytarget_display", "winsys_x11/present.py",
            "x11_present"),
    Station("as shared memory", "swrastPutImageShm", "winsys_x11/present.py", "x11_put_shm"),
    Station("in a request of X", "XShmPutImage", "winsys_x11/present.py", "x11_send"),
)
#: of Mesa's functions above, those that a walk through llvmpipe names, from which this began
SEEDED = frozenset(
    """
    llvmpipe_update_fs st_draw_gallium llvmpipe_draw_vbo draw_prim_assembler_run
    draw_llvm_generate lp_setup_choose_triangle do_triangle_ccw lp_setup_bin_triangle
    lp_rast_triangle_* lp_rast_shade_quads_mask_sample lp_jit_setup_triangle llvmpipe_finish
    glXSwapBuffers drisw_swap_buffers driswSwapBuffers llvmpipe_flush_frontbuffer
    dri_sw_displaytarget_display swrastPutImageShm XShmPutImage
    """.split()
)
CLIENT = r'''
import ctypes as c, json, os
import sys
import pydri
pydri.load()
x, gl = c.CDLL("libX11.so.6"), c.CDLL("libGL.so.1")
for function in (x.XOpenDisplay, gl.glXChooseVisual, gl.glXCreateContext):
    function.restype = c.c_void_p
x.XCreateSimpleWindow.restype = x.XDefaultRootWindow.restype = c.c_ulong
display = c.c_void_p(x.XOpenDisplay(None))
visual = c.c_void_p(gl.glXChooseVisual(display, 0, (c.c_int * 5)(4, 5, 12, 1, 0)))
context = c.c_void_p(gl.glXCreateContext(display, visual, None, 1))
root = c.c_ulong(x.XDefaultRootWindow(display))
window = c.c_ulong(x.XCreateSimpleWindow(display, root, 0, 0, 64, 64, 0, 0, 0))
x.XMapWindow(display, window)
assert gl.glXMakeCurrent(display, window, context)
places = (c.c_float * 6)(-0.5, -0.5, 0.5, -0.5, 0.0, 0.5)
gl.glVertexPointer(2, 0x1406, 0, places)
gl.glEnableClientState(0x8074)
gl.glClear(0x4100)
seen, order, phase = set(), {"draw": [], "swap": []}, "draw"
ROOMS = ("pydri.", "pipe_soft.", "winsys_x11.")
def look(frame, event, argument):
    if event == "call":
        name = frame.f_globals.get("__name__", "")
        if name.startswith(ROOMS):
            whole = name + "." + frame.f_code.co_qualname
            if (phase, whole) not in seen:
                seen.add((phase, whole))
                order[phase].append(whole)
sys.setprofile(look)
gl.glDrawArrays(4, 0, 3)
gl.glFinish()
phase = "swap"
gl.glXSwapBuffers(display, window)
sys.setprofile(None)
x.XSync(display, 0)
x.XGetImage.restype = c.c_void_p
image = c.c_void_p(x.XGetImage(display, window, 32, 32, 1, 1, c.c_ulong(0xFFFFFF), 2))
x.XGetPixel.restype = c.c_ulong
shown = x.XGetPixel(image, 0, 0)
print(json.dumps({**order, "shown": shown, "error": gl.glGetError()}))
sys.stdout.flush()
os._exit(0)
'''


class Trace(NamedTuple):
    """What was seen: our Python functions in the order of their first call, the GL and GLX calls,
    and the pixel that the X server shows in the triangle's middle.
    """

    functions: list[str]
    calls: list[str]
    shown: int


def trace() -> Trace:
    """Draw and look."""
    with XServer("320x240") as server:
        env = {**clean_environment(), "DISPLAY": server.name, "GALLIUM_DRIVER": "softpipe",
               "PYDRI_DEBUG": "api"}  # fmt: skip
        done = subprocess.run([sys.executable, "-P", "-c", CLIENT], env=env, cwd=ROOT, text=True,
                              capture_output=True, timeout=120, check=False)  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found = json.loads(done.stdout.splitlines()[-1])
    calls = [line for line in done.stderr.splitlines() if line.startswith(("gl", "glX"))]
    return Trace([*found["draw"], *found["swap"]], calls, found["shown"])


def page(seen: Trace) -> str:
    """The page of a trace."""
    wanted = ("glDrawArrays", "glXSwapBuffers")
    calls = [re.sub(r"0x[0-9a-f]+", "...", c) for c in seen.calls if c.startswith(wanted)]
    out = [
        "# One triangle, from glDrawArrays to the X server\n",
        "This page is written by `python -m scripts.one_triangle`, from a trace: a program in\n"
        "this Python draws a triangle on softpipe, whose every step is a Python function, and a\n"
        "profile function notes which of ours are called. A test traces again. llvmpipe does the\n"
        "same in kernels; one of its own stands behind the file that makes it. Of Mesa's\n"
        "functions those are marked that a walk through its llvmpipe names.\n",
        "```\n" + "\n".join(calls) + "\n```\n",
    ]
    for number, s in enumerate(STATIONS, 1):
        mesa = ", ".join(n + " (seed)" * (n in SEEDED) for n in s.mesa.split(", "))
        kernel = f", `{s.kernel}`" if s.kernel else ""
        soft = f"`{s.traced}`" if s.traced else "the same kernel"
        out.append(f"{number}. **{s.title or 'within the driver'}**\n"
                   f"   - Mesa: {mesa}\n   - llvmpipe: {s.file}{kernel}\n"
                   f"   - softpipe: {soft}")  # fmt: skip
    out.append(f"\nThe X server then shows {seen.shown & 0xFFFFFF:06x} in the triangle's middle.\n"
               f"Hundreds of Python functions of ours are called on the way of this first"
               "\nframe; a second one on llvmpipe calls none.")  # fmt: skip
    return "\n".join(out) + "\n"


def main() -> None:
    """Write the page, or print the trace."""
    seen = trace()
    if "--trace" in sys.argv[1:]:
        print("\n".join([*seen.calls, *seen.functions]))
    else:
        PAGE.write_text(page(seen))


if __name__ == "__main__":
    main()
