# SPDX-License-Identifier: MIT
"""Scenes on VC4 beside pipe_soft's pictures: `python -m tests.pictures.vc4 [SCENE ...]`, or all.

In: the scenes of *.c, both drivers. Out: a line for each scene that is beyond its kind's bound; the
exit status says whether there are any. A kind has the part of a picture's pixels that may be
further apart than LEVELS of 255 in a channel, that of those which no edge of pipe_soft's picture
explains, that whose depth is further apart than DEPTHS units of 2^-24, and why. VC4's vertices lie
on 1/16 pixel, pipe_soft's on 1/256; its blending has 8 bits.
"""

from __future__ import annotations

import argparse
import fnmatch
import pathlib
import sys
import tempfile
from collections.abc import Iterable
from typing import NamedTuple

from tests.pictures import compare, measure

DRIVERS = ("softpipe", "vc4")
#: groups of state that scenes of random.c draw without, since VC4 has not (HAS_NOT says why)
WITHOUT = ("depth_clamp", "line_stipple", "polygon_mode")
LEVELS = 4
DEPTHS = 1 << 14


class Kind(NamedTuple):
    """Bounds, as parts of a picture's pixels, and where the differences come from."""

    edges: float
    inside: float
    depths: float
    why: str
    levels: int = LEVELS


USUAL = Kind(0.03, 0.001, 0.05, "vertices lie on 1/16 pixel")
_SPECKS = Kind(0.08, 0.001, 0.05, "many small triangles, each of whose edges has four samples")
_UNITS = Kind(0.03, 0.001, 0.45, "a unit of offset is one step of depth, pipe_soft's are two")
#: by patterns of names; the first that fits
KINDS = {
    "cull*": Kind(0.08, 0.001, 0.05, "many edges"),
    "fill_centres": Kind(0.04, 0.001, 0.05, "vertices at centres of pixels"),
    "random_small": Kind(0.08, 0.003, 0.05, "triangles of a few pixels: all are edges"),
    "random_specks": Kind(0.03, 0.01, 0.05, "triangles that touch one centre, or none"),
    "clip_near_far_*": Kind(0.03, 0.001, 0.3, "clipped vertices are rounded, depths are steep"),
    "offset_4": Kind(0.03, 0.012, 0.05, "units alone do not part steep planes of rounded vertices"),
    "offset_16": Kind(0.03, 0.012, 0.05, "units alone do not part steep planes"),
    "lines_*": Kind(0.03, 0.002, 0.05, "lines are columns of their minor axis"),
    "assembly_arrays": Kind(0.06, 0.001, 0.05, "small triangles"),
    "fbo_*": Kind(0.03, 0.012, 0.05, "edges that are texels then"),
    "texture_floor*": Kind(0.05, 0.01, 0.05, "levels of detail by the longer edge of a texel"),
    "texture_mip_linear": Kind(0.03, 0.001, 0.05, "levels of detail are computed otherwise", 10),
    "alpha_functions": Kind(0.03, 0.008, 0.05, "edges through centres; alpha is no byte yet"),
    "logic_ops": Kind(0.03, 0.002, 0.05, "a colour's last bit becomes its first"),
    "texture_formats*": Kind(0.22, 0.14, 0.05, "R3_G3_B2, RGB5_A1, RGBA4, RGB10_A2 are RGBA8888"),
    "sprite_many": Kind(0.03, 0.002, 0.05, "edges of sprites over one another"),
    "samples_blend": _SPECKS, "samples_strips": _SPECKS,
    "random_12": _UNITS, "random_23": _UNITS, "random_43": _UNITS, "random_48": _UNITS,
    "many_begins*": Kind(0.1, 0.001, 0.05, "thousands of small triangles"),
}  # fmt: skip
_STIPPLE = "no stipple of lines among the configuration bits (none in Mesa's vc4)"
_SMOOTH = "nothing is smoothed (Mesa's vc4 does not look at line_smooth either)"
_FADES = "points do not fade, nor are they discs"
_MODES = "one polygon mode for both faces (Mesa's vc4 fills, whatever the mode)"
_EDGES = "edges and corners of polygons are front faces"
_FLAT = "a flat edge has its own last vertex's colour"
_OFFSET = "edges and corners of polygons keep their depth"
_FLOATS = "targets are RGBA8888 or 565, textures have 8 bits of a fraction (Mesa: vc4_formats.c)"
_NEWER = "an extension, or a version, that the hardware has not"
#: scenes that are drawn, but whose picture is another one, and what the hardware, or the driver,
#: has not (pipe_vc4/README.md)
HAS_NOT = {
    "line_stipple_*": _STIPPLE, "samples_stipple": _STIPPLE, "samples_smooth_points": _FADES,
    "samples_fading_points": _FADES, "multisample_*": _NEWER,
    "smooth_lines_*": _SMOOTH, "smooth_points_*": _SMOOTH, "smooth_poly*": _SMOOTH,
    "smooth_two_faces": _SMOOTH, "smooth_alpha_test": _SMOOTH, "area_*": _SMOOTH,
    "poly_fill_*": _MODES, "polygon_mode": _MODES, "poly_point_line*": _MODES,
    "poly_two_sided*": _EDGES, "poly_line_flat": _FLAT, "poly_point_flat": _FLAT,
    "cut_*_line*": _EDGES, "cut_*_point*": _EDGES, "sides_wide*": _MODES,
    "offset_line": _OFFSET, "offset_point": _OFFSET, "poly_offset_point": _OFFSET,
    "offset_clamped_*": _NEWER, "array_instances*": _NEWER, "array_packed_types*": _NEWER,
    "fbo_colors": _FLOATS, "fbo_depths": _FLOATS, "fbo_several": _FLOATS,
    "sprite_corners_filled": _MODES, "srgb_*": _NEWER,
    "fbo_slices": "3D textures of 32 texels a side at most",
    "fbo_beyond": _FLOATS, "fbo_greys": "luminance, intensity, alpha are no targets (as in Mesa)",
    "viewport_wide_7": "lines end where the viewport does", "shader4_*": _NEWER,
    "gather_*": _NEWER, "query_*": _NEWER, "blocks_*": _NEWER, "texels_*": _NEWER,
    "transform_*": _NEWER, "restart_*": _NEWER, "depth_clamped*": _NEWER,
}  # fmt: skip


def kind_of(name: str) -> Kind | None:
    """The bounds of a scene; None: the hardware cannot draw it."""
    if any(fnmatch.fnmatchcase(name, pattern) for pattern in HAS_NOT):
        return None
    return next((kind for pattern, kind in KINDS.items() if fnmatch.fnmatchcase(name, pattern)),
                USUAL)  # fmt: skip


def beyond(name: str, soft: measure.Picture, ours: measure.Picture) -> str:
    """What of a scene's picture is beyond its bounds, in words; nothing: "". """
    kind = kind_of(name)
    if kind is None:
        return ""
    found = measure.measure(soft, ours, kind.levels, DEPTHS)
    parts = {"edges": found.wrong, "inside": found.inside, "depths": found.z_wrong}
    wrong = [f"{what} {count}" for what, count in parts.items()
             if count > getattr(kind, what) * soft.pixels]  # fmt: skip
    if found.s_wrong > kind.edges * soft.pixels:
        wrong.append(f"stencil {found.s_wrong}")
    return f"{name}: {', '.join(wrong)} of {soft.pixels}" if wrong else ""


def compared(program: pathlib.Path, display: str, folder: pathlib.Path, names: Iterable[str]
             ) -> list[str]:  # fmt: skip
    """Draw scenes on both drivers; what is wrong, in words."""
    wanted, wrong = list(names), []
    without = ",".join(WITHOUT)
    drawn = compare.draw_by(
        DRIVERS, program, display, folder, wanted, SCENES_WITHOUT=without
    )
    for name in wanted:
        soft, ours = (drawn[driver].get(name) for driver in DRIVERS)
        if ours is not None and compare.NO_CONFIG in (ours.error, ours.window):
            continue
        if soft is None or ours is None or soft.crashed or ours.crashed:
            wrong.append(f"{name}: {soft}, {ours}")
            continue
        if kind_of(name) is not None and soft.error != ours.error:
            wrong.append(f"{name}: error {ours.error} instead of {soft.error}")
        if ours.window not in ("-", "0"):
            wrong.append(f"{name}: the window shows {ours.window} other pixels")
        said = beyond(name, *(measure.read(folder / driver, name) for driver in DRIVERS))
        wrong += [said] if said else []
    return wrong


def main(arguments: list[str]) -> int:
    """0 if all scenes are within their bounds."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures.vc4")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="all, if none is named")
    wanted = parser.parse_args(arguments).scenes
    program = compare.compile_client()
    names = wanted or compare.scene_names(program)
    with compare.private_server() as server, tempfile.TemporaryDirectory() as folder:
        wrong = compared(program, server.name, pathlib.Path(folder), names)
    print(*wrong, f"{len(names)} scenes, {len(wrong)} beyond their bounds", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
