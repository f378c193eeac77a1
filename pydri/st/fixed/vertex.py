# SPDX-License-Identifier: MIT
"""The fixed-function vertex program, written as nir from a VertexKey.

In: attributes that vary (`load_input`) and everything else in place from the value block
(`load_ubo 0`): constant attributes, matrices, lights, materials. Out: position, colours for one or
both faces, fog coordinate, clip distances, point size, texture coordinates: what the key asks for
and nothing more. Sums have a fixed order and nothing is fused: equal vertices give equal bits in
every variant (GL 2.1, 2.11 and 2.14). Powers follow 2.14.1: (n.h)^s with n.h clamped to 0, and the
specular term only where n.VP is positive. Light that falls on both faces is computed once with both
signs. Counterpart of Mesa's ffvertex_prog.c.
"""

from __future__ import annotations

from pydri.api.enums import (
    GL_EYE_LINEAR,
    GL_NORMAL_MAP,
    GL_REFLECTION_MAP,
    GL_SPHERE_MAP,
)
from pydri.main.layout import ValueBlock
from pydri.main.light.layout import LIGHT_ATTENUATED, LIGHT_POSITIONAL, LIGHT_SPOT
from pydri.nir import Builder, Shader, SSADef
from pydri.nir.enums import (
    VARYING_SLOT_BFC0,
    VARYING_SLOT_BFC1,
    VARYING_SLOT_CLIP_DIST0,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_EDGE,
    VARYING_SLOT_FOGC,
    VARYING_SLOT_POS,
    VARYING_SLOT_PSIZ,
    VARYING_SLOT_TEX0,
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_MAT0,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_POINT_SIZE,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.st.fixed.key import (
    AMBIENT,
    DIFFUSE,
    EMISSION,
    FOG_COORD,
    FOG_EYE_RADIAL,
    FOG_EYE_Z,
    FOG_NONE,
    NORMAL_RESCALE,
    NORMAL_UNIT,
    SHININESS,
    SPECULAR,
    LightingKey,
    TexCoordKey,
    VertexKey,
)

_MATERIAL_FIELDS = ("ambient", "diffuse", "specular", "emission", "shininess")


def _part(coord: SSADef | None, n: int) -> SSADef:
    assert coord is not None, "the vertex's own coordinates are loaded where they are needed"
    return coord[n]


def build_vertex(key: VertexKey) -> Shader:
    """The program of a key."""
    return _VertexProgram(key).build()


class _VertexProgram:
    def __init__(self, key: VertexKey) -> None:
        self.key = key
        self.b = Builder(Shader("vertex"))
        self._loaded: dict[tuple[str, int], SSADef] = {}
        self._cache: dict[str, SSADef] = {}

    # -- sources
    def value(self, path: str, components: int = 4) -> SSADef:
        """A field of the value block, loaded once."""
        found = self._loaded.get((path, components))
        if found is None:
            found = self.b.load_ubo(0, ValueBlock.offset(path), components)
            self._loaded[path, components] = found
        return found

    def attribute(self, slot: int, components: int = 4) -> SSADef:
        """An attribute, from memory or, if it does not vary, its current value."""
        if self.key.inputs >> slot & 1:
            return self.b.load_input(slot, components)
        return self.value(f"current[{slot}]", components)

    def material(self, prop: int, face: int, components: int) -> SSADef:
        """A material property of a face: the colour, a vertex's own, or the context's."""
        lit = self.key.lighting
        assert lit is not None
        attrib = 2 * prop + face
        if lit.tracked >> attrib & 1:
            color = self.attribute(VERT_ATTRIB_COLOR0)
            return color if components == 4 else color[:components]
        if lit.varying >> attrib & 1:
            return self.b.load_input(VERT_ATTRIB_MAT0 + attrib, components)
        return self.value(f"materials[{face}].{_MATERIAL_FIELDS[prop]}", components)

    # -- geometry
    def position(self) -> SSADef:
        """The object position as loaded: as many components as memory gives."""
        if "position" not in self._cache:
            size = self.key.position_size if self.key.inputs & 1 << VERT_ATTRIB_POS else 4
            self._cache["position"] = self.attribute(VERT_ATTRIB_POS, size)
        return self._cache["position"]

    def transform(self, matrix: str, rows: int | None = None) -> SSADef:
        """matrix * position, columns added from left to right; `rows` picks one row.

        Components that memory does not give are 0, 0, 1: their products are left out."""
        position = self.position()
        size = position.num_components
        total: SSADef | None = None
        for column in range(4):
            if size <= column < 3:
                continue
            if rows is None:
                part = self.value(f"{matrix}[{4 * column}]")
            else:
                part = self.value(f"{matrix}[{4 * column + rows}]", 1)
            if column < size:
                part = part * (position if size == 1 else position[column])
            total = part if total is None else total + part
        assert total is not None
        return total

    def eye(self) -> SSADef:
        """The position in eye coordinates, four components."""
        if "eye" not in self._cache:
            self._cache["eye"] = self.transform("modelview")
        return self._cache["eye"]

    def eye_point(self) -> SSADef:
        """The eye position as a point, divided by w."""
        if "eye_point" not in self._cache:
            eye = self.eye()
            self._cache["eye_point"] = eye.xyz / eye.w
        return self._cache["eye_point"]

    def normal(self) -> SSADef:
        """The normal in eye coordinates (GL 2.1, 2.11.3)."""
        if "normal" not in self._cache:
            self._cache["normal"] = self._normal()
        return self._cache["normal"]

    def _normal(self) -> SSADef:
        n = self.attribute(VERT_ATTRIB_NORMAL, 3)
        columns = [self.value(f"normal_matrix[{4 * j}]", 3) for j in range(3)]
        total = columns[0] * n.x + columns[1] * n.y + columns[2] * n.z
        if self.key.normal == NORMAL_UNIT:
            return self.normalized(total)
        if self.key.normal == NORMAL_RESCALE:
            return total * self.value("rescale_factor", 1)
        return total

    def normalized(self, v: SSADef) -> SSADef:
        """v / |v|; the zero vector stays zero."""
        b = self.b
        square = b.fdot3(v, v)
        scale = b.bcsel(b.feq(square, 0.0), b.imm_float(0.0), b.frsq(square))
        return b.fmul(v, scale)

    # -- the program
    def build(self) -> Shader:
        b, key = self.b, self.key
        b.store_output(self.transform("mvp"), VARYING_SLOT_POS)
        if key.color:
            if key.lighting is not None:
                self.lighting(key.lighting)
            else:
                self.unlit()
        if key.fog != FOG_NONE:
            self.fog()
        self.clip()
        if key.point_size:
            self.point_size()
        if key.edge:
            b.store_output(self.attribute(VERT_ATTRIB_EDGEFLAG, 1), VARYING_SLOT_EDGE)
        for item in key.texcoords:
            self.texture_coordinates(item)
        return b.shader

    def clamped(self, color: SSADef) -> SSADef:
        """A lit colour, clamped unless the program asked for what is beyond [0, 1]."""
        return color if self.key.free else self.b.fsat(color)

    def unlit(self) -> None:
        slots = [(VERT_ATTRIB_COLOR0, VARYING_SLOT_COL0)]
        if self.key.secondary:
            slots.append((VERT_ATTRIB_COLOR1, VARYING_SLOT_COL1))
        for n, (slot, out) in enumerate(slots):
            color = self.attribute(slot)
            if self.key.clamp >> n & 1:
                color = self.b.fsat(color)
            self.b.store_output(color, out)

    def fog(self) -> None:
        if self.key.fog == FOG_COORD:
            coord = self.attribute(VERT_ATTRIB_FOG, 1)
        elif self.key.fog == FOG_EYE_RADIAL:
            eye = self.eye()
            coord = self.b.fsqrt(eye.x * eye.x + eye.y * eye.y + eye.z * eye.z)
        else:
            cached = self._cache.get("eye")
            coord = cached.z if cached is not None else self.transform("modelview", 2)
            if self.key.fog == FOG_EYE_Z:
                coord = self.b.fabs(coord)
        self.b.store_output(coord, VARYING_SLOT_FOGC)

    def clip(self) -> None:
        """Distances to the user's planes in eye space; 0 for planes that are off."""
        b = self.b
        for half in (0, 1):
            planes = self.key.clip_planes >> 4 * half & 15
            if not planes:
                continue
            parts: list[SSADef | float] = []
            for n in range(planes.bit_length()):
                on = planes >> n & 1
                plane = f"clip_planes[{4 * half + n}]"
                parts.append(b.fdot4(self.value(plane), self.eye()) if on else 0.0)
            b.store_output(b.vec(*parts), VARYING_SLOT_CLIP_DIST0 + half)

    def point_size(self) -> None:
        """Derived size (GL 2.1, 3.3): size * sqrt(1 / (a + b d + c d^2)), clamped. The size may be
        each vertex's own (OES_point_size_array).

        The distance is that of the eye's plane, the approximation of fog (3.10): the peer's."""
        b = self.b
        own = self.key.inputs >> VERT_ATTRIB_POINT_SIZE & 1
        size = b.load_input(VERT_ATTRIB_POINT_SIZE, 1) if own else self.value("point_size", 1)
        if self.key.attenuated:
            cached = self._cache.get("eye")
            distance = b.fabs(cached.z if cached is not None else self.transform("modelview", 2))
            a = self.value("point_attenuation", 3)
            scale = a.x + a.y * distance + a.z * distance * distance
            size = size * b.fsqrt(b.frcp(scale))
        low, high = self.value("point_size_min", 1), self.value("point_size_max", 1)
        b.store_output(b.fmin(b.fmax(size, low), high), VARYING_SLOT_PSIZ)

    # -- texture coordinates, GL 2.1, 2.11.4
    def texture_coordinates(self, item: TexCoordKey) -> None:
        b = self.b
        coord = None if all(item.modes) else self.attribute(VERT_ATTRIB_TEX0 + item.unit)
        if any(item.modes):
            parts = [
                self.generated(item.unit, n, mode) if mode else _part(coord, n)
                for n, mode in enumerate(item.modes)
            ]
            coord = b.vec(*parts)
        assert coord is not None
        if item.matrix:
            coord = self.texture_matrix(item.unit, coord)
        b.store_output(coord, VARYING_SLOT_TEX0 + item.unit)

    def generated(self, unit: int, n: int, mode: int) -> SSADef:
        """Coordinate n of a unit, made from position or normal."""
        if mode == GL_NORMAL_MAP:
            return self.normal()[n]
        if mode == GL_REFLECTION_MAP:
            return self.reflection()[n]
        if mode == GL_SPHERE_MAP:
            return self.sphere()[n]
        eye = mode == GL_EYE_LINEAR
        at = ValueBlock.offset(f"texgen[{2 * unit + eye}]") + 16 * n
        plane = self.b.load_ubo(0, at, 4)
        if eye:
            return self.b.fdot4(self.eye(), plane)
        whole = self.position()
        parts = [whole if whole.num_components == 1 else whole[k] for k in
                 range(whole.num_components)]
        total = parts[0] * plane.x
        for k, part in enumerate(parts[1:], 1):
            total = total + part * plane[k]
        return total if len(parts) == 4 else total + plane.w

    def reflection(self) -> SSADef:
        """The unit vector from the eye to the vertex, reflected at the normal."""
        if "reflection" not in self._cache:
            way, normal = self.normalized(self.eye().xyz), self.normal()
            twice = self.b.fdot3(normal, way) * 2.0
            self._cache["reflection"] = way - normal * twice
        return self._cache["reflection"]

    def sphere(self) -> SSADef:
        """Coordinates s and t of the sphere map."""
        if "sphere" not in self._cache:
            b, r = self.b, self.reflection()
            z = r.z + 1.0
            square = r.x * r.x + r.y * r.y + z * z
            half = b.bcsel(b.feq(square, 0.0), b.imm_float(0.0), b.frsq(square) * 0.5)
            self._cache["sphere"] = b.vec(r.x * half + 0.5, r.y * half + 0.5)
        return self._cache["sphere"]

    def texture_matrix(self, unit: int, coord: SSADef) -> SSADef:
        base = ValueBlock.offset(f"texture_matrix[{unit}]")
        total: SSADef | None = None
        for column in range(4):
            part = self.b.load_ubo(0, base + 16 * column, 4) * coord[column]
            total = part if total is None else total + part
        assert total is not None
        return total

    # -- lighting, GL 2.1, 2.14.1
    def lighting(self, lit: LightingKey) -> None:
        b = self.b
        faces = (0, 1) if lit.two_side else (0,)
        primary = {face: self.scene_color(face) for face in faces}
        specular: dict[int, SSADef] = {}
        normal = self.normal() if lit.lights else None
        for number, flags in lit.lights:
            assert normal is not None
            self.light(lit, number, flags, normal, primary, specular)
        for face in faces:
            color, slots = primary[face], (VARYING_SLOT_COL0, VARYING_SLOT_COL1)
            if face:
                slots = (VARYING_SLOT_BFC0, VARYING_SLOT_BFC1)
            shine = specular.get(face)
            if shine is not None and not lit.separate_specular:
                color, shine = color + shine, None
            alpha = self.material(DIFFUSE, face, 4).w
            b.store_output(self.clamped(b.vec(color, alpha)), slots[0])
            if self.key.secondary:
                shine = self.clamped(shine) if shine is not None else b.imm_vec3(0.0, 0.0, 0.0)
                b.store_output(b.vec(shine, 0.0), slots[1])

    def scene_color(self, face: int) -> SSADef:
        """Emission and the ambient light of the whole scene."""
        ambient = self.material(AMBIENT, face, 3) * self.value("light_model_ambient", 3)
        return self.material(EMISSION, face, 3) + ambient

    def light(
        self,
        lit: LightingKey,
        number: int,
        flags: int,
        normal: SSADef,
        primary: dict[int, SSADef],
        specular: dict[int, SSADef],
    ) -> None:
        """Add one light to the sums of the faces."""
        b = self.b
        name = f"lights[{number}]"
        direction, factor = self.direction(name, flags)
        n_dot_vp = b.fdot3(normal, direction)
        shiny = [face for face in primary if lit.specular >> face & 1]
        n_dot_h = b.fdot3(normal, self.half_vector(lit, name, flags, direction)) if shiny else None
        for face in primary:
            facing = b.fneg(n_dot_vp) if face else n_dot_vp
            term = self.material(AMBIENT, face, 3) * self.value(f"{name}.ambient", 3)
            diffuse = self.material(DIFFUSE, face, 3) * self.value(f"{name}.diffuse", 3)
            term = term + diffuse * b.fmax(facing, 0.0)
            primary[face] = primary[face] + (term if factor is None else term * factor)
            if face not in shiny:
                continue
            assert n_dot_h is not None
            half = b.fmax(b.fneg(n_dot_h) if face else n_dot_h, 0.0)
            power = b.fpow(half, self.material(SHININESS, face, 1))
            power = b.bcsel(b.flt(0.0, facing), power, b.imm_float(0.0))
            power = power if factor is None else power * factor
            color = self.material(SPECULAR, face, 3) * self.value(f"{name}.specular", 3)
            before = specular.get(face)
            specular[face] = color * power if before is None else before + color * power

    def direction(self, name: str, flags: int) -> tuple[SSADef, SSADef | None]:
        """The unit vector from the vertex to the light, and attenuation times spotlight factor."""
        b = self.b
        factor: SSADef | None = None
        direction = self.value(f"{name}.direction", 3)
        if flags & LIGHT_POSITIONAL:
            way = direction - self.eye_point()
            square = b.fdot3(way, way)
            inverse = b.bcsel(b.feq(square, 0.0), b.imm_float(0.0), b.frsq(square))
            direction = b.fmul(way, inverse)
            if flags & LIGHT_ATTENUATED:
                k = [self.value(f"{name}.{w}_attenuation", 1) for w in
                     ("constant", "linear", "quadratic")]
                factor = b.frcp(k[0] + k[1] * b.fsqrt(square) + k[2] * square)
        if flags & LIGHT_SPOT:
            cosine = b.fneg(b.fdot3(direction, self.value(f"{name}.spot_direction_n", 3)))
            cutoff = self.value(f"{name}.spot_cos_cutoff", 1)
            exponent = self.value(f"{name}.spot_exponent", 1)
            spot = b.fpow(b.fmax(cosine, 0.0), exponent)
            spot = b.bcsel(b.fge(cosine, cutoff), spot, b.imm_float(0.0))
            factor = spot if factor is None else factor * spot
        return direction, factor

    def half_vector(self, lit: LightingKey, name: str, flags: int, direction: SSADef) -> SSADef:
        """The unit vector half way between the light and the viewer."""
        b = self.b
        if lit.local_viewer:
            if "viewer" not in self._cache:
                self._cache["viewer"] = self.normalized(b.fneg(self.eye_point()))
            return self.normalized(direction + self._cache["viewer"])
        if not flags & LIGHT_POSITIONAL:
            return self.value(f"{name}.half_vector", 3)
        return self.normalized(direction + b.imm_vec3(0.0, 0.0, 1.0))
