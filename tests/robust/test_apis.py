# SPDX-License-Identifier: MIT
"""What a context has follows from its API, and what it draws to from how it was made current:
beside the peer, line by line (core_player.py, surfaceless_player.py)."""

import re
import sys

import pytest

from pydri.api import apis, enums, registry
from pydri.api.gl_table import SLOTS
from tests import host
from tests.robust.conftest import NEEDS, run

pytestmark = [
    pytest.mark.x11, pytest.mark.needs(*NEEDS, "libgl1-mesa-dri", "libegl1"),
]  # fmt: skip


#: what glGet has in a core context here, and not on the peer (OpenGL 3.2 core, table 6.13)
KNOWN_HERE = {enums.GL_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION}


def lines(player: str, side: str, display: str, **more: str) -> list[str]:
    env = host.side(side, display, EGL_PLATFORM="surfaceless", PYTHONPATH=host.ROOT, **more)
    done = run(sys.executable, "-m", f"tests.robust.{player}", env=env)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_core_contexts_have_what_the_peers_have(display: str) -> None:
    ours = lines("core_player", "ours", display, MESA_GL_VERSION_OVERRIDE="3.3")
    assert len(ours) > 350
    assert "glBegin: 0x502" in ours and "glDrawArrays, mode 7: 0x500" in ours
    assert "negative: -64 0x0" in ours
    assert all(line.endswith("0x502") for line in ours if line.startswith("copy of"))
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    peers = lines("core_player", "peer", display)
    differ = {pair for pair in zip(ours, peers, strict=True) if pair[0] != pair[1]}
    # patches come with tessellation shaders
    modes = {("glDrawArrays, mode 14: 0x500", "glDrawArrays, mode 14: 0x506")}
    assert modes <= differ
    assert "glDrawArrays, array 0, count 3: 0x502" in ours
    # later versions of the peer take an internal format that EXT_texture_format_BGRA8888 brings
    brought = {("glTexImage2D, 0x80e1: 0x501", "glTexImage2D, 0x80e1: 0x0")}
    for one, two in differ - modes - brought:
        call, enum = one.rpartition(":")[0].split(", ")
        row = registry.enum_row(int(enum, 16))
        if (one[-5:], two[-3:]) == ("0x500", "0x0"):
            # What was removed the peer tells in glGet and takes as a format of pixels: here it is
            # as the core profile has it (OpenGL 3.3, E.2.2, table 3.3). Else an extension brings
            # it that this driver has not.
            removed = row.core == 0 and call in ("glGetFloatv", "glTexImage2D")
            assert removed or row.core > 33, one
        else:  # the peer's glGet has not all of OpenGL 3.2
            assert call == "glGetFloatv" and int(enum, 16) in KNOWN_HERE, (one, two)


def test_without_a_surface_the_default_framebuffer_is_undefined(display: str) -> None:
    ours = lines("surfaceless_player", "ours", display)
    refused = [line for line in ours if line.endswith(": 0x506")]
    assert ours[0] == "status: 0x8219"  # GL_FRAMEBUFFER_UNDEFINED
    assert len(refused) == len(ours) - 2 and "glEnd: 0x502" in ours  # glBegin did not begin
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    peers = lines("surfaceless_player", "peer", display)
    # what copies and draws pixels is GL_INVALID_OPERATION on the peer (GL 3.0, 4.4.4.4 names one
    # error for all that reads or writes)
    others = {f"gl{name}: 0x502" for name in ("CopyTexImage2D", "Bitmap", "DrawPixels")}
    assert {two for one, two in zip(ours, peers, strict=True) if one != two} <= others


@pytest.mark.parametrize(
    ("name", "compat", "core", "es1", "es2", "extension"),
    [
        ("glBegin", 10, 0, 0, 0, ""),
        ("glLightfv", 10, 0, 10, 0, ""),
        ("glGetPointerv", 11, 43, 10, 32, "KHR_debug"),
        ("glTexStorage2D", 42, 42, 0, 30, "ARB_texture_storage"),
        ("glLightx", 0, 0, 10, 0, ""),
        ("glDepthRangef", 41, 41, 10, 20, "ARB_ES2_compatibility"),
        ("glEGLImageTargetTexture2DOES", 0, 0, 0, 0, "OES_EGL_image"),
        ("glBindBufferOffsetEXT", 0, 0, 0, 0, "EXT_transform_feedback"),
    ],
)
def test_availability_is_the_registrys(
    name: str, compat: int, core: int, es1: int, es2: int, extension: str
) -> None:
    row = registry.row(SLOTS[name])
    assert row[:4] == (compat, core, es1, es2)
    assert not extension or extension in row.extensions
    here = apis.apis_of(SLOTS[name])
    assert all(here & api for api, version in zip(apis.NAMES, row, strict=False) if version)


def test_core_contexts_have_what_their_extensions_bring() -> None:
    # they advertise EXT_transform_feedback, as the peer's do; the registry has it not there
    assert apis.has(SLOTS["glBindBufferOffsetEXT"], apis.CORE)


def test_an_alias_is_where_its_function_is() -> None:
    # Mesa's dispatch has one place for both names, and programs ask for either.
    assert apis.has(SLOTS["glBindVertexArrayOES"], apis.COMPAT)
    assert not apis.has(SLOTS["glLightxOES"], apis.CORE)


def test_sample_positions_and_masks_are_the_peers(display: str) -> None:
    ours = lines("samples_player", "ours", display, MESA_GL_VERSION_OVERRIDE="3.2")
    reached = [line.partition("[")[2].partition(",")[0] for line in ours if "position" not in line]
    assert reached == ["255", "255", "64", "191", "128", "128", "64", "64", "128", "255"]
    assert ours[0].endswith("0x501") and ours[5].endswith("0x501") and "0.375, 0.125" in ours[1]
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    assert ours == lines("samples_player", "peer", display)


def test_draws_of_es3_are_the_peers(display: str) -> None:
    ours = lines("es3_draws", "ours", display)
    assert "texel of level 1: [255, 0, 0, 255]" in ours and "encoded: [0, 0, 0, 255]" in ours
    assert "0.25: one" in ours and "edge: [255, 0, 0, 255]" in ours
    assert len(ours) == 10 and ours[6].count("(") == 10
    drawn = int(ours[7].split()[1])
    assert 0 < drawn < 256 and ours[7] == f"distances: {drawn} {drawn} 0 {drawn}"
    assert ours[8] == "room: 0x502 0x0 0x502 0x0 0x0 0x502 0x0"
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    # that there is room is asked where there are no geometry shaders
    assert ours == lines("es3_draws", "peer", display, MESA_GLES_VERSION_OVERRIDE="3.0")


#: OpenGL ES 3.0, table 3.13 draws to none of these either; the peer says another reason, and takes
#: one that has no size
OTHERWISE = {enums.GL_RGB32F, enums.GL_SRGB}
#: drawn to by later versions of the peer (EXT_render_snorm, which is of OpenGL ES 3.1)
SIGNED = {enums.GL_R8_SNORM, enums.GL_RG8_SNORM, enums.GL_RGBA8_SNORM}


def test_formats_of_es3_are_the_peers(display: str) -> None:
    """Textures, renderbuffers, what is drawn to, and which images are given."""
    ours = lines("es3_player", "ours", display)
    assert sum(" of " in line for line in ours) > 90 and len(ours) > 150
    assert "GL_STENCIL_INDEX8 as GL_STENCIL_INDEX GL_UNSIGNED_BYTE: 0x0 77" in ours
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    peers = lines("es3_player", "peer", display, MESA_GLES_VERSION_OVERRIDE="3.0")
    differ = set(ours) ^ set(peers)
    facts = {line for line in differ if not line.startswith("0x")}
    assert not facts, sorted(facts)
    told = {line for line in differ if " of " not in line}
    assert {int(line.split()[0], 16) for line in told} <= OTHERWISE | SIGNED
    # the peer takes unsized depths of what OpenGL ES 3.0 has with a size alone
    known = re.compile(r".* of (GL_DEPTH_COMPONENT GL_FLOAT|GL_DEPTH_STENCIL \w+_REV)$")
    assert [line for line in differ - told if not known.match(line)] == []


def test_copies_to_formats_of_es3_are_the_peers(display: str) -> None:
    ours = lines("es3_copies", "ours", display)
    assert len(ours) > 2000 and "GL_R8 to GL_R8_SNORM 0x502 0x0" in ours
    assert "GL_RGBA8 to GL_RGB565 0x502 0x0" in ours and "GL_RGBA8 to GL_RGB 0x0" in ours
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    peers = lines("es3_copies", "peer", display, MESA_GLES_VERSION_OVERRIDE="3.0")
    assert set(ours) ^ set(peers) == set()


#: what rectangles of textures have to do with culling and clip planes (OES_draw_texture, issue 7),
#: and with a second unit (issue 9), for which the peer has no coordinates; of coordinates that are
#: generated the peer sets the first alone (OES_texture_cube_map)
KNOWN_OF_ES1 = (
    "ignored 0xb44", "ignored 0x3000", "two units", "generated 0x8511 (0, -1, 0)",
    "generated 0x8511 (0, 0, 1)",
)  # fmt: skip


def test_draws_of_es1_are_the_peers(display: str) -> None:
    """Arrays, points, rectangles of textures, palettes, generated coordinates, operations."""
    ours = lines("es1_draws", "ours", display)
    assert len(ours) == 74 and ours[0] == "status: 0x8cd5"
    rectangles = [line.partition(": ")[2] for line in ours if line.startswith("ignored")]
    assert len(rectangles) == 3 and len(set(rectangles)) == 1
    units = next(line for line in ours if line.startswith("two units"))
    assert "'1e4f'" in units and "'0d0f'" in units  # as they are, and without red and blue
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    peers = lines("es1_draws", "peer", display)
    differ = {one.partition(":")[0] for one, two in zip(ours, peers, strict=True) if one != two}
    assert differ == set(KNOWN_OF_ES1)


#: what the peer takes in OpenGL ES 1.1 without having it: targets, buffers, arrays and parameters
#: of later versions and of OpenGL, images of other devices, an internal format that is not the
#: format; and glMatrixMode's units, which are EXT_direct_state_access' commands' alone
MORE_OF_PEER = re.compile(
    r".*: GL_TEXTURE_(3D|EXTERNAL_OES|TILING_EXT)$|MatrixMode: GL_TEXTURE\d"
    r"|.*: GL_PIXEL_\w+_BUFFER$"
    r"|.*ClientState: GL_(INDEX|EDGE_FLAG|FOG_COORD|SECONDARY_COLOR)_ARRAY$|(buffer )?told: GL_\w+$"
    r"|TEXTURE_ENV_MODE( x)?: GL_(REPLACE_EXT|COMBINE4_NV)$|internal: GL_BGRA$"
)


def test_enums_and_numbers_of_es1_are_the_peers(display: str) -> None:
    ours = lines("es1_player", "ours", display)
    assert len(ours) > 750
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    peers = lines("es1_player", "peer", display)
    # blocks of extensions that the peer names, too
    more = {line for line in set(ours) - set(peers) if not re.match("blocks of .*DXT", line)}
    assert not more, sorted(more)
    missing = {line for line in set(peers) - set(ours) if not MORE_OF_PEER.match(line)}
    assert not missing, sorted(missing)
