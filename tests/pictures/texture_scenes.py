# SPDX-License-Identifier: MIT
"""Random textured scenes as lists of calls (tests/robust/fuzz_player.py plays them on any driver).

In: a seed. Out: calls that draw a few quads with one or two units under random targets, internal
formats, filters, wraps, borders, environments, combiners, generated coordinates, texture matrices,
levels and depth comparison, and read the picture.

What may differ between two right drivers is kept out, or made small: textures are small and shown
large, so that the borders of texels are few; levels are chosen by GL_TEXTURE_MIN_LOD and _MAX_LOD
and by the base level, not by footprints, which GL 2.1, 3.8.8 lets drivers estimate. What is left
out for that has tests with another judge: footprints, mixed levels and anisotropy
tests/unit/pipe_soft/test_textures.py (bit by bit against numpy), combiners beyond two units
tests/unit/st/test_ff_textures.py.
"""

from __future__ import annotations

import random
from typing import Any

from pydri.api import enums as e
from tests.robust import fuzz_arguments as area

SIZE = 100  # of the window
Call = tuple[str, tuple[Any, ...]]
TARGETS = {e.GL_TEXTURE_1D: 1, e.GL_TEXTURE_2D: 2, e.GL_TEXTURE_RECTANGLE: 2, e.GL_TEXTURE_3D: 3,
           e.GL_TEXTURE_CUBE_MAP: 2}  # fmt: skip
COLORS = (
    "RGBA8 RGB8 RGB5 RGB5_A1 RGBA4 R3_G3_B2 RGB10_A2 RGBA16 ALPHA8 LUMINANCE8 LUMINANCE8_ALPHA8"
    " INTENSITY8 R8 RG8 SRGB8_ALPHA8 RGBA16F RGB32F R11F_G11F_B10F RGB9_E5 LUMINANCE16"
).split()
WRAPS = (e.GL_REPEAT, e.GL_CLAMP_TO_EDGE, e.GL_CLAMP_TO_BORDER, e.GL_MIRRORED_REPEAT,
         e.GL_MIRROR_CLAMP_TO_EDGE)  # fmt: skip
ENVIRONMENTS = (e.GL_MODULATE, e.GL_BLEND, e.GL_DECAL, e.GL_REPLACE, e.GL_ADD, e.GL_COMBINE)
FUNCTIONS = (e.GL_REPLACE, e.GL_MODULATE, e.GL_ADD, e.GL_ADD_SIGNED, e.GL_INTERPOLATE,
             e.GL_SUBTRACT)  # fmt: skip
SOURCES = (e.GL_TEXTURE, e.GL_CONSTANT, e.GL_PRIMARY_COLOR, e.GL_PREVIOUS)
OPERANDS = (e.GL_SRC_COLOR, e.GL_ONE_MINUS_SRC_COLOR, e.GL_SRC_ALPHA, e.GL_ONE_MINUS_SRC_ALPHA)
COORDINATES = ((e.GL_S, e.GL_TEXTURE_GEN_S), (e.GL_T, e.GL_TEXTURE_GEN_T),
               (e.GL_R, e.GL_TEXTURE_GEN_R))  # fmt: skip


def floats(*values: float) -> tuple[str, str, list[float]]:
    """An argument that points to floats."""
    return "a", "f", list(values)


class Scene:
    """One scene; `calls` is what draws it."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.calls: list[Call] = []

    def add(self, name: str, *values: Any) -> None:
        self.calls.append((name, values))

    def lot(self, low: float, high: float) -> float:
        return round(self.r.uniform(low, high), 3)

    def color(self) -> tuple[str, str, list[float]]:
        return floats(*(self.lot(0, 1) for _ in range(4)))

    # -- textures ----------------------------------------------------------------------------------

    def images(self, target: int, internal: int, format: int, type_: int) -> None:
        """Two levels of random texels."""
        dims = TARGETS[target]
        side = self.r.choice((1, 2, 4, 8))
        sizes = [side] * 2 if target == e.GL_TEXTURE_CUBE_MAP else [
            self.r.choice((1, 2, 4, 8)) for _ in range(dims)]  # fmt: skip
        faces = [target]
        if target == e.GL_TEXTURE_CUBE_MAP:
            faces = [e.GL_TEXTURE_CUBE_MAP_POSITIVE_X + n for n in range(6)]
        levels = 1 if target == e.GL_TEXTURE_RECTANGLE else max(sizes).bit_length()
        for level in range(levels):
            box = [max(n >> level, 1) for n in sizes]
            for face in faces:
                at = ("m", area.BYTES + self.r.randrange(1 << 16) * 4)
                if type_ == e.GL_FLOAT:
                    at = ("m", area.FLOATS + self.r.randrange(1 << 14) * 4)
                self.add(f"glTexImage{dims}D", face, level, internal, *box, 0, format, type_, at)
        if levels > 1:
            shown = self.r.randrange(levels)
            base = self.r.choice((0, 0, shown))
            self.add("glTexParameteri", target, e.GL_TEXTURE_BASE_LEVEL, base)
            for name in (e.GL_TEXTURE_MIN_LOD, e.GL_TEXTURE_MAX_LOD):
                self.add("glTexParameterf", target, name, float(shown - base))

    def sampling(self, target: int, deep: bool) -> None:
        rectangle = target == e.GL_TEXTURE_RECTANGLE
        linear = self.r.random() < 0.5
        smooth = e.GL_LINEAR if linear else e.GL_NEAREST
        least = smooth if rectangle else self.r.choice(
            (e.GL_LINEAR_MIPMAP_NEAREST,) if linear else (e.GL_NEAREST_MIPMAP_NEAREST,))
        self.add("glTexParameteri", target, e.GL_TEXTURE_MAG_FILTER, smooth)
        self.add("glTexParameteri", target, e.GL_TEXTURE_MIN_FILTER, least)
        for name in (e.GL_TEXTURE_WRAP_S, e.GL_TEXTURE_WRAP_T, e.GL_TEXTURE_WRAP_R):
            self.add("glTexParameteri", target, name, self.r.choice(WRAPS[1:3] if rectangle
                                                                    else WRAPS))
        self.add("glTexParameterfv", target, e.GL_TEXTURE_BORDER_COLOR, self.color())
        if deep:
            modes = (e.GL_LUMINANCE, e.GL_INTENSITY, e.GL_ALPHA)
            self.add("glTexParameteri", target, e.GL_DEPTH_TEXTURE_MODE, self.r.choice(modes))
            # AVOIDS(shadow_of_lines): the peer compares t
            if self.r.random() < 0.5 and not linear and target != e.GL_TEXTURE_1D:
                functions = (e.GL_LEQUAL, e.GL_GREATER)
                self.add("glTexParameteri", target, e.GL_TEXTURE_COMPARE_MODE,
                         e.GL_COMPARE_R_TO_TEXTURE)
                self.add("glTexParameteri", target, e.GL_TEXTURE_COMPARE_FUNC,
                         self.r.choice(functions))
        elif self.r.random() < 0.2:
            parts = (e.GL_RED, e.GL_GREEN, e.GL_BLUE, e.GL_ALPHA, e.GL_ZERO, e.GL_ONE)
            name = e.GL_TEXTURE_SWIZZLE_R + self.r.randrange(4)
            self.add("glTexParameteri", target, name, self.r.choice(parts))

    def texture(self, unit: int) -> int:
        """A texture of a unit, and its target."""
        target = self.r.choice(list(TARGETS))
        self.add("glBindTexture", target, unit + 1)
        flat = target in (e.GL_TEXTURE_1D, e.GL_TEXTURE_2D, e.GL_TEXTURE_RECTANGLE)
        deep = flat and self.r.random() < 0.1
        if deep:
            self.images(target, e.GL_DEPTH_COMPONENT16, e.GL_DEPTH_COMPONENT, e.GL_UNSIGNED_SHORT)
        else:
            internal = getattr(e, "GL_" + self.r.choice(COLORS))
            self.images(target, internal, self.r.choice((e.GL_RGBA, e.GL_BGRA)),
                        e.GL_UNSIGNED_BYTE)
        self.sampling(target, deep)
        return target

    # -- environments and coordinates --------------------------------------------------------------

    def environment(self) -> None:
        target, mode = e.GL_TEXTURE_ENV, self.r.choice(ENVIRONMENTS)
        self.add("glTexEnvi", target, e.GL_TEXTURE_ENV_MODE, mode)
        self.add("glTexEnvfv", target, e.GL_TEXTURE_ENV_COLOR, self.color())
        if mode != e.GL_COMBINE:
            return
        dots = (e.GL_DOT3_RGB, e.GL_DOT3_RGBA)
        self.add("glTexEnvi", target, e.GL_COMBINE_RGB, self.r.choice(FUNCTIONS + dots))
        self.add("glTexEnvi", target, e.GL_COMBINE_ALPHA, self.r.choice(FUNCTIONS))
        for n in range(3):
            for name, choices in ((e.GL_SRC0_RGB, SOURCES), (e.GL_SRC0_ALPHA, SOURCES),
                                  (e.GL_OPERAND0_RGB, OPERANDS),
                                  (e.GL_OPERAND0_ALPHA, OPERANDS[2:])):  # fmt: skip
                self.add("glTexEnvi", target, name + n, self.r.choice(choices))
        self.add("glTexEnvf", target, e.GL_RGB_SCALE, self.r.choice((1.0, 1.0, 2.0)))
        self.add("glTexEnvf", target, e.GL_ALPHA_SCALE, self.r.choice((1.0, 1.0, 4.0)))

    def coordinates(self, target: int) -> None:
        """Texture matrix and generated coordinates."""
        if self.r.random() < 0.3:
            self.add("glMatrixMode", e.GL_TEXTURE)
            self.add("glRotatef", self.lot(-40, 40), 0.0, 0.0, 1.0)
            self.add("glScalef", self.lot(0.5, 1.5), self.lot(0.5, 1.5), 1.0)
            self.add("glMatrixMode", e.GL_MODELVIEW)
        if self.r.random() < 0.3:
            modes = [e.GL_OBJECT_LINEAR, e.GL_EYE_LINEAR, e.GL_SPHERE_MAP]
            mode = self.r.choice(modes)
            if target == e.GL_TEXTURE_CUBE_MAP:
                mode = self.r.choice((e.GL_NORMAL_MAP, e.GL_REFLECTION_MAP))
            for coord, switch in COORDINATES[: 2 if mode == e.GL_SPHERE_MAP else 3]:
                self.add("glTexGeni", coord, e.GL_TEXTURE_GEN_MODE, mode)
                for plane in (e.GL_OBJECT_PLANE, e.GL_EYE_PLANE):
                    self.add("glTexGenfv", coord, plane, floats(*(self.lot(-1, 1) for _ in "stuv")))
                self.add("glEnable", switch)

    def quad(self, units: list[int]) -> None:
        """A strip: quads may be cut along either diagonal (docs/avoided.md, one_quad)."""
        projective = self.r.random() < 0.3
        self.add("glBegin", e.GL_TRIANGLE_STRIP)
        left, low = self.lot(-1, 0.2), self.lot(-1, 0.2)
        right, top = left + self.lot(0.4, 1.2), low + self.lot(0.4, 1.2)
        for x, y in ((left, low), (right, low), (left, top), (right, top)):
            self.add("glColor4f", *(self.lot(0, 1) for _ in range(4)))
            self.add("glNormal3f", self.lot(-1, 1), self.lot(-1, 1), 1.0)
            for unit, target in enumerate(units):
                much = 8 if target == e.GL_TEXTURE_RECTANGLE else 1
                coords = [self.lot(-0.6, 1.6) * much for _ in range(3)]
                q = self.lot(0.8, 1.3) if projective else 1.0
                self.add("glMultiTexCoord4f", e.GL_TEXTURE0 + unit, *coords, q)
            self.add("glVertex3f", x, y, 0.0)
        self.add("glEnd")

    def draw(self) -> list[Call]:
        """The whole scene, and its pixels."""
        self.add("glClearColor", 0.2, 0.3, 0.4, 1.0)
        self.add("glClear", e.GL_COLOR_BUFFER_BIT)
        units = []
        for unit in range(self.r.choice((1, 1, 2, 3))):
            self.add("glActiveTexture", e.GL_TEXTURE0 + unit)
            units.append(self.texture(unit))
            self.environment()
            self.coordinates(units[-1])
            self.add("glEnable", units[-1])
        if self.r.random() < 0.3:
            self.add("glEnable", e.GL_BLEND)
            self.add("glBlendFunc", e.GL_SRC_ALPHA, e.GL_ONE_MINUS_SRC_ALPHA)
        for _ in range(3):
            self.quad(units)
        size = ("o", SIZE * SIZE * 4)
        self.add("glReadPixels", 0, 0, SIZE, SIZE, e.GL_RGBA, e.GL_UNSIGNED_BYTE, size)
        return self.calls


def scene(seed: int) -> list[Call]:
    """The calls of a seed."""
    return Scene(seed).draw()
