# SPDX-License-Identifier: MIT
"""TABLE: the grammar of assembly programs (ARB_vertex_program 2.14.2, ARB_fragment_program 3.11.2).

In: nothing. Out: `TOKENS` in the order in which errors name them, `RULES`. The phrases are the
specifications', of both languages in one grammar; what belongs to one of them alone is told apart
by the lexer, which gives other tokens, and by the actions. Names of tokens are the peer's, because
its messages quote them.
"""

from __future__ import annotations

from typing import Final

from pydri.prog.lalr import Tables, generate, read_rules

#: words behind a dot, and what they are called
DOTTED: Final = {
    word: word.upper() for word in (
        "ambient", "attenuation", "back", "clip", "color", "depth", "diffuse", "direction",
        "emission", "env", "eye", "fog", "fogcoord", "front", "half", "inverse", "invtrans",
        "light", "lightmodel", "lightprod", "local", "material", "matrix", "matrixindex",
        "modelview", "mvp", "normal", "object", "palette", "params", "plane", "pointsize",
        "position", "primary", "projection", "range", "row", "scenecolor", "secondary", "shininess",
        "specular", "spot", "texcoord", "texenv", "texgen", "texture", "transpose",
    )
} | {
    "program": "MAT_PROGRAM", "point": "POINT_TOK", "size": "SIZE_TOK", "attrib": "VTXATTRIB",
    "q": "TEXGEN_Q", "s": "TEXGEN_S", "t": "TEXGEN_T",
}  # fmt: skip

TOKENS: Final = tuple("""
    ARBvp_10 ARBfp_10 ADDRESS ALIAS ATTRIB OPTION OUTPUT PARAM TEMP END
    BIN_OP BINSC_OP SAMPLE_OP SCALAR_OP TRI_OP VECTOR_OP ARL KIL SWZ TXD_OP
    INTEGER REAL AMBIENT ATTENUATION BACK CLIP COLOR DEPTH DIFFUSE DIRECTION
    EMISSION ENV EYE FOG FOGCOORD FRAGMENT FRONT HALF INVERSE INVTRANS
    LIGHT LIGHTMODEL LIGHTPROD LOCAL MATERIAL MAT_PROGRAM MATRIX MATRIXINDEX MODELVIEW MVP
    NORMAL OBJECT PALETTE PARAMS PLANE POINT_TOK POINTSIZE POSITION PRIMARY PROGRAM PROJECTION
    RANGE RESULT ROW SCENECOLOR SECONDARY SHININESS SIZE_TOK SPECULAR SPOT STATE
    TEXCOORD TEXENV TEXGEN TEXGEN_Q TEXGEN_R TEXGEN_S TEXGEN_T TEXTURE TRANSPOSE
    TEXTURE_UNIT TEX_1D TEX_2D TEX_3D TEX_CUBE TEX_RECT TEX_SHADOW1D TEX_SHADOW2D TEX_SHADOWRECT
    TEX_ARRAY1D TEX_ARRAY2D TEX_ARRAYSHADOW1D TEX_ARRAYSHADOW2D
    VERTEX VTXATTRIB IDENTIFIER USED_IDENTIFIER MASK4 MASK3 MASK2 MASK1 SWIZZLE DOT_DOT DOT
    ';' ',' '[' ']' '+' '-' '=' '{' '}'
""".split())

#: `-` is nothing, `@name` the action (actions.py)
RULES: Final = """
program: language options statements END
language: ARBvp_10 @vertex_header | ARBfp_10 @fragment_header
options: options option | -
option: OPTION name ';' @option
statements: statements statement | -
statement: instruction ';' @append | naming ';'
instruction: alu @count_alu | tex @count_tex
alu: arl | vector | scalar | binary_scalar | binary | ternary | swz
tex: sample | kill | gradient
arl: ARL address_target ',' scalar_source @arl
vector: VECTOR_OP target ',' source @instruction
scalar: SCALAR_OP target ',' scalar_source @instruction
binary_scalar: BINSC_OP target ',' scalar_source ',' scalar_source @instruction
binary: BIN_OP target ',' source ',' source @instruction
ternary: TRI_OP target ',' source ',' source ',' source @instruction
sample: SAMPLE_OP target ',' source ',' image_unit ',' tex_target @sample
kill: KIL source @kill
gradient: TXD_OP target ',' source ',' source ',' source ',' image_unit ',' tex_target @sample
image_unit: TEXTURE_UNIT image_unit_index @second
tex_target: TEX_1D | TEX_2D | TEX_3D | TEX_CUBE | TEX_RECT
    | TEX_SHADOW1D | TEX_SHADOW2D | TEX_SHADOWRECT
    | TEX_ARRAY1D | TEX_ARRAY2D | TEX_ARRAYSHADOW1D | TEX_ARRAYSHADOW2D
swz: SWZ target ',' operand ',' extended_swizzle @swz
scalar_source: sign scalar_operand @signed
scalar_operand: operand scalar_suffix @swizzled
source: sign operand swizzle_suffix @signed_swizzled
target: register target_mask @target
address_target: address_register address_mask @address_target
extended_swizzle: selector ',' selector ',' selector ',' selector @extended_swizzle
selector: sign selection @selector
selection: INTEGER @selection_number | name @selection_name
operand: USED_IDENTIFIER @operand_name | attribute @operand_attribute
    | array '[' array_index ']' @operand_element | single_use @operand_parameter
register: result @register_result | USED_IDENTIFIER @register_name
array: USED_IDENTIFIER @array
array_index: array_absolute | array_relative
array_absolute: INTEGER @array_absolute
array_relative: address_register address_component relative_offset @array_relative
relative_offset: - @zero | '+' offset_up @second | '-' offset_down @negated
offset_up: INTEGER @offset_up
offset_down: INTEGER @offset_down
address_register: USED_IDENTIFIER @address_register
address_component: MASK1 @address_component
address_mask: MASK1 @address_mask
scalar_suffix: MASK1
swizzle_suffix: MASK1 | MASK4 | SWIZZLE | - @whole
target_mask: MASK4 | MASK3 | MASK2 | MASK1 | - @whole
naming: attrib_naming | param_naming | temp_naming | address_naming | output_naming | alias_naming
attrib_naming: ATTRIB IDENTIFIER '=' attribute @declare_attribute
attribute: VERTEX vertex_item @second | FRAGMENT fragment_item @second
vertex_item: POSITION @vertex_position | NORMAL @vertex_normal | COLOR color_type @vertex_color
    | FOGCOORD @vertex_fogcoord | TEXCOORD coord_unit_index @vertex_texcoord
    | MATRIXINDEX '[' weight_number ']' @no_palette | VTXATTRIB '[' attribute_number ']' @generic
attribute_number: INTEGER @attribute_number
weight_number: INTEGER
fragment_item: POSITION @fragment_position | COLOR color_type @fragment_color
    | FOGCOORD @fragment_fogcoord | TEXCOORD coord_unit_index @fragment_texcoord
param_naming: param_single | param_multiple
param_single: PARAM IDENTIFIER single_initial @declare_single
param_multiple: PARAM IDENTIFIER '[' array_size ']' multiple_initial @declare_array
array_size: - @zero | INTEGER @array_size
single_initial: '=' single_declared @second
multiple_initial: '=' '{' multiple_list '}' @third
multiple_list: multiple_item | multiple_list ',' multiple_item @concatenated
single_declared: state_single @bind_states | program_single @bind_states
    | const_declared @bind_const
single_use: state_single @bind_states | program_single @bind_states | const_used @bind_const
multiple_item: state_multiple @bind_states | program_multiple @bind_states
    | const_declared @bind_element
state_multiple: state_single | STATE matrix_rows @second
state_single: STATE material_item @second | STATE light_item @second
    | STATE light_model_item @second | STATE light_product_item @second
    | STATE texgen_item @second | STATE texenv_item @second
    | STATE fog_item @second | STATE clip_plane_item @second | STATE point_item @second
    | STATE matrix_row @second | STATE depth_item @second
material_item: MATERIAL face material_property @material
material_property: color_property | EMISSION @word | SHININESS @word
light_item: LIGHT '[' light_number ']' light_property @light
light_property: light_color_property | POSITION @word | ATTENUATION @word | SPOT spot_property @spot
    | HALF @word
spot_property: DIRECTION
light_model_item: LIGHTMODEL light_model_property @second
light_model_property: AMBIENT @light_model_ambient | face SCENECOLOR @scene_color
light_product_item: LIGHTPROD '[' light_number ']' face product_property @light_product
product_property: color_property
texenv_item: TEXENV legacy_unit_index texenv_property @texenv
texenv_property: COLOR
color_property: AMBIENT @word | DIFFUSE @word | SPECULAR @word
light_color_property: AMBIENT @word | DIFFUSE @word | SPECULAR @word
light_number: INTEGER @light_number
texgen_item: TEXGEN coord_unit_index texgen_type texgen_coord @texgen
texgen_type: EYE @word | OBJECT @word
texgen_coord: TEXGEN_S @coord_s | TEXGEN_T @coord_t | TEXGEN_R @coord_r | TEXGEN_Q @coord_q
fog_item: FOG fog_property @fog
fog_property: COLOR @word | PARAMS @word
clip_plane_item: CLIP '[' clip_plane_number ']' PLANE @clip_plane
clip_plane_number: INTEGER @clip_plane_number
point_item: POINT_TOK point_property @point
point_property: SIZE_TOK @word_size | ATTENUATION @word
matrix_row: matrix ROW '[' row_number ']' @matrix_row
matrix_rows: matrix row_range @matrix_rows
row_range: - @all_rows | ROW '[' row_number DOT_DOT row_number ']' @row_range
matrix: MATRIX matrix_name matrix_modifier @matrix
matrix_modifier: - @no_modifier | modifier
modifier: INVERSE @word | TRANSPOSE @word | INVTRANS @word
row_number: INTEGER @row_number
matrix_name: MODELVIEW modelview_index @matrix_named | PROJECTION @matrix_plain | MVP @matrix_plain
    | TEXTURE coord_unit_index @matrix_named | PALETTE '[' palette_number ']' @no_palette
    | MAT_PROGRAM '[' program_matrix_number ']' @matrix_of_program
modelview_index: - @zero | '[' modelview_number ']' @second
modelview_number: INTEGER @modelview_number
palette_number: INTEGER
program_matrix_number: INTEGER @program_matrix_number
depth_item: DEPTH RANGE @depth_range
program_single: env_single | local_single
program_multiple: env_multiple | local_multiple
env_multiple: PROGRAM ENV '[' env_numbers ']' @env
env_numbers: env_number @one_number | env_number DOT_DOT env_number @number_range
env_single: PROGRAM ENV '[' env_number ']' @env
local_multiple: PROGRAM LOCAL '[' local_numbers ']' @local
local_numbers: local_number @one_number | local_number DOT_DOT local_number @number_range
local_single: PROGRAM LOCAL '[' local_number ']' @local
env_number: INTEGER @env_number
local_number: INTEGER @local_number
const_declared: scalar_declared | const_vector
const_used: scalar_used | const_vector
scalar_declared: signed_number @scalar_declared
scalar_used: REAL @scalar_used | INTEGER @scalar_used
const_vector: '{' signed_number '}' @vector_of
    | '{' signed_number ',' signed_number '}' @vector_of
    | '{' signed_number ',' signed_number ',' signed_number '}' @vector_of
    | '{' signed_number ',' signed_number ',' signed_number ',' signed_number '}' @vector_of
signed_number: sign REAL @signed_number | sign INTEGER @signed_number
sign: '+' @plus | '-' @minus | - @plus
temp_naming: TEMP of_temps names
of_temps: - @of_temps
address_naming: ADDRESS of_addresses names
of_addresses: - @of_addresses
names: names ',' IDENTIFIER @declare_last | IDENTIFIER @declare_last
output_naming: OUTPUT IDENTIFIER '=' result @declare_output
result: RESULT POSITION @result_position | RESULT FOGCOORD @result_fogcoord
    | RESULT result_color @second | RESULT POINTSIZE @result_pointsize
    | RESULT TEXCOORD coord_unit_index @result_texcoord | RESULT DEPTH @result_depth
result_color: COLOR result_face result_color_type @result_color
result_face: - @result_no_face | '[' INTEGER ']' @result_number | FRONT @result_front
    | BACK @result_back
result_color_type: - @zero | PRIMARY @result_primary | SECONDARY @result_secondary
face: - @front | FRONT @front | BACK @back
color_type: - @zero | PRIMARY @zero | SECONDARY @one
coord_unit_index: - @zero | '[' coord_unit ']' @second
image_unit_index: - @zero | '[' image_unit_number ']' @second
legacy_unit_index: - @zero | '[' legacy_unit ']' @second
coord_unit: INTEGER @coord_unit
image_unit_number: INTEGER @image_unit_number
legacy_unit: INTEGER @legacy_unit
alias_naming: ALIAS IDENTIFIER '=' USED_IDENTIFIER @alias
name: IDENTIFIER | USED_IDENTIFIER
"""


def tables() -> Tables:
    """The grammar's tables, made once a process."""
    if not _TABLES:
        _TABLES.append(generate(read_rules(RULES), TOKENS))
    return _TABLES[0]


_TABLES: list[Tables] = []

__all__ = ["DOTTED", "RULES", "TOKENS", "tables"]
