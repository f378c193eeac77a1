# SPDX-License-Identifier: MIT
"""Lights and materials: native structs. Counterparts of Mesa's gl_light and gl_material
(mtypes.h)."""

from pydri.jit.types import Struct, f32, u8, u16

MAX_LIGHTS = 8
# light_flags bits
LIGHT_ENABLED, LIGHT_POSITIONAL, LIGHT_SPOT, LIGHT_ATTENUATED = 1, 2, 4, 8


class LightKey(Struct):
    """What of the lighting state selects code."""

    lighting = u8
    two_side = u8
    local_viewer = u8
    separate_specular = u8
    color_material = u8
    normalize = u8
    rescale_normal = u8
    flags = u8[8]  # LIGHT_* bits of each light
    # bit 0 front, bit 1 back: the material's specular colour is not black; st_draw keeps it
    # while lighting is on
    specular = u8
    color_material_face = u16
    color_material_mode = u16


class Light(Struct):
    """One light as shaders read it; positions and directions are in eye coordinates."""

    ambient = f32[4]
    diffuse = f32[4]
    specular = f32[4]
    position = f32[4]
    spot_direction = f32[4]  # as given, eye space
    # derived (st/draw/derived.py)
    direction = f32[4]  # directional: normalised direction to it; positional: position / w
    half_vector = f32[4]  # normalised, for directional light and infinite viewer
    spot_direction_n = f32[4]  # normalised
    spot_exponent = f32
    spot_cutoff = f32  # degrees
    spot_cos_cutoff = f32
    constant_attenuation = f32
    linear_attenuation = f32
    quadratic_attenuation = f32
    pad = f32[2]


class LightProduct(Struct):
    """A light's colours times a material's (gl_LightProducts of GLSL)."""

    ambient = f32[4]
    diffuse = f32[4]
    specular = f32[4]


class Material(Struct):
    """One face's material; the order is that of MAT_ATTRIB_* (each face's attributes, 4 floats
    each).
    """

    ambient = f32[4]
    diffuse = f32[4]
    specular = f32[4]
    emission = f32[4]
    shininess = f32[4]  # x used
    indexes = f32[4]
