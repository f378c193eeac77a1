# SPDX-License-Identifier: MIT
"""FBConfigs and visuals: what is offered, how it is chosen and sorted (GLX 1.4, table 3.4)."""

import pytest

from pydri.api import enums as registry
from pydri.dri import config as table
from pydri.dri.config import DriConfig, screen_configs
from pydri.glx import enums as e
from pydri.glx.fbconfig import SELECTION, choose_fbconfigs, columns, make_configs
from pydri.pipe.format import BY_NAME
from tests.unit.glx.harness import Program
from tests.unit.winsys.xserver import Server
from winsys_x11.visuals import Visual
from winsys_x11.xlib import ffi, libs


def visual(number: int, depth: int = 24) -> Visual:
    return Visual(number, 0, depth, 32, 4, 0xFF0000, 0xFF00, 0xFF)


MANY = [visual(0x21 + i) for i in range(180)] + [visual(0x100 + i, 32) for i in range(30)]
CONFIGS = make_configs(0, screen_configs(MANY))
WINDOWS = [c for c in CONFIGS if c.visual]
PLAIN = len(table.DEPTH_STENCIL) * len(table.BUFFERS)


def short(c: DriConfig) -> tuple[bool, int, int, int]:
    return c.double_buffer, c.depth, c.stencil, c.alpha


def choose(*values: int) -> list[tuple[bool, int, int, int]]:
    """(double, depth, stencil, alpha) of what is chosen."""
    pairs = dict(zip(values[::2], values[1::2]))
    return [short(c.dri) for c in choose_fbconfigs(CONFIGS, pairs)]


def test_every_config_has_a_visual_of_its_own() -> None:
    assert len({c.visual_id for c in WINDOWS}) == len(WINDOWS) > 3 * PLAIN
    assert len({c.handle for c in CONFIGS}) == len({c.id for c in CONFIGS}) == len(CONFIGS)
    assert (CONFIGS[0].visual_id, short(CONFIGS[0].dri)) == (0x21, (True, 24, 8, 8))


def test_the_product() -> None:
    """Every combination, but for those that the rules of the table exclude."""
    of_depth = [c.dri for c in WINDOWS if c.x_depth == 24]
    assert len(set(of_depth)) == len(of_depth)
    for depth, stencil in table.DEPTH_STENCIL:
        for buffers in table.BUFFERS:
            for accum in table.ACCUMULATION:
                row = (*buffers, depth, stencil, accum, 0)
                found = [c for c in of_depth if c[1:] == row]
                # with and without alpha, for programs that ask for sRGB and for the others
                kinds = [(bool(c.alpha), c.srgb) for c in found]
                assert kinds == [(True, False), (False, False), (True, True), (False, True)], row
    assert not any(c.dri.accum or c.dri.samples for c in WINDOWS if c.x_depth == 32)
    assert not any(c.dri.accum and c.dri.samples for c in CONFIGS)


def test_configs_without_a_visual() -> None:
    """10 and 5-6-5 bits for pbuffers and pixmaps; pixmaps only of depths that the server has."""
    configs = make_configs(0, screen_configs([visual(0x21)], pixmap_depths=(16, 24)))
    types = {c.dri.color_format: c.drawable_type for c in configs if not c.visual}
    assert types == {"B10G10R10A2_UNORM": 4, "B10G10R10X2_UNORM": 4, "B5G6R5_UNORM": 6}
    assert all(c.value(e.GLX_VISUAL_ID) == 0 for c in configs if not c.visual)
    found = choose_fbconfigs(configs, {e.GLX_DRAWABLE_TYPE: e.GLX_PBUFFER_BIT, e.GLX_RED_SIZE: 9})
    assert {c.dri.layout.red for c in found} == {10}


def test_srgb_without_a_visual() -> None:
    """A screen of 16 bits has no windows for it, but pbuffers."""
    root = Visual(0x21, 0, 16, 16, 4, 0xF800, 0x7E0, 0x1F)
    configs = make_configs(0, screen_configs([root, visual(0x40, 32)], pixmap_depths=(16, 32)))
    asked = {e.GLX_DRAWABLE_TYPE: e.GLX_PBUFFER_BIT, e.GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB: 1}
    found = choose_fbconfigs(configs, asked)
    assert {(c.dri.alpha, c.visual is None) for c in found} >= {(0, True), (8, True)}


def test_srgb_only_when_asked() -> None:
    srgb = e.GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB
    for asked in ({}, {e.GLX_RED_SIZE: 8, e.GLX_ALPHA_SIZE: 8}, {e.GLX_ACCUM_RED_SIZE: 1}):
        for sized in ({}, {e.GLX_SAMPLES: 4}):
            both = [
                choose_fbconfigs(CONFIGS, {**asked, **sized, **more})
                for more in ({}, {srgb: 0}, {srgb: 1})
            ]
            if both[0]:
                assert both[0][0] is both[1][0] and not both[0][0].dri.srgb
                assert both[2][0].value(srgb) == 1
    assert all(c.dri.layout.green == 8 for c in choose_fbconfigs(CONFIGS, {srgb: 1}))


def test_few_visuals_are_shared() -> None:
    configs = screen_configs([visual(0x21)])
    assert {c.visual.id for c in configs if c.visual} == {0x21}
    assert len({c.config for c in configs}) == len(configs) > 2 * PLAIN


def test_formats_that_the_driver_lacks_are_not_offered() -> None:
    without = {"Z32_UNORM", "B8G8R8X8_UNORM"}
    configs = screen_configs(MANY, lambda name, _: name in BY_NAME and name not in without)
    assert configs
    assert not {c.config.color_format for c in configs} & without
    assert not {c.config.depth_format for c in configs} & without


def test_visuals_that_cannot_be_drawn_to() -> None:
    palette = visual(5)._replace(visual_class=3)
    packed = visual(6)._replace(bits_per_pixel=24)
    assert not [c for c in screen_configs([palette, packed]) if c.visual]


def test_direct_color_comes_after_true_color() -> None:
    direct = visual(5)._replace(visual_class=5)
    configs = make_configs(0, screen_configs([direct, visual(6)]))
    kinds = [c.value(e.GLX_X_VISUAL_TYPE) for c in choose_fbconfigs(configs, {})]
    assert kinds[0] == e.GLX_TRUE_COLOR and e.GLX_DIRECT_COLOR in kinds


def test_translucent_windows_only_when_asked() -> None:
    """A root of 16 bits, and a visual of depth 32: windows of the root's depth come first."""
    low = visual(6, 16)._replace(
        bits_per_pixel=16, red_mask=0xF800, green_mask=0x7E0, blue_mask=0x1F
    )
    configs = make_configs(0, screen_configs([low, visual(7, 32)]))
    assert choose_fbconfigs(configs, {e.GLX_RED_SIZE: 1})[0].x_depth == 16
    assert choose_fbconfigs(configs, {e.GLX_RED_SIZE: 8})[0].x_depth == 32


def test_slow_configs_come_last() -> None:
    found = choose_fbconfigs(CONFIGS, {e.GLX_DOUBLEBUFFER: 1, e.GLX_VISUAL_SELECT_GROUP_SGIX: 0})
    order = [c.dri.accum for c in found]
    assert order == sorted(order) and order[-1] == 16
    assert choose_fbconfigs(CONFIGS, {e.GLX_ACCUM_RED_SIZE: 1})[0].dri.accum == 16


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        # nothing asked: single buffer before double, no depth, no stencil, fewest bits
        ((), (False, 0, 0, 0)),
        ((e.GLX_DOUBLEBUFFER, 1), (True, 0, 0, 0)),
        # a depth buffer asked: the largest; then the smallest stencil
        ((e.GLX_DOUBLEBUFFER, 1, e.GLX_DEPTH_SIZE, 1), (True, 32, 0, 0)),
        ((e.GLX_DOUBLEBUFFER, 1, e.GLX_DEPTH_SIZE, 1, e.GLX_STENCIL_SIZE, 1), (True, 24, 8, 0)),
        # components asked: larger total first, so alpha counts only if it was asked
        ((e.GLX_RED_SIZE, 1, e.GLX_ALPHA_SIZE, 1), (False, 0, 0, 8)),
        ((e.GLX_RED_SIZE, 1), (False, 0, 0, 0)),
        ((e.GLX_BUFFER_SIZE, 32), (False, 0, 0, 8)),
        ((e.GLX_DOUBLEBUFFER, e.GLX_DONT_CARE, e.GLX_STENCIL_SIZE, 8), (False, 24, 8, 0)),
        ((e.GLX_DEPTH_SIZE, e.GLX_DONT_CARE), (False, 0, 0, 0)),
        ((e.GLX_RENDER_TYPE, e.GLX_RGBA_BIT, e.GLX_DRAWABLE_TYPE, 7), (False, 0, 0, 0)),
        ((e.GLX_X_VISUAL_TYPE, e.GLX_TRUE_COLOR, e.GLX_CONFIG_CAVEAT, e.GLX_NONE),
         (False, 0, 0, 0)),
    ],
)  # fmt: skip
def test_the_first_choice(asked: tuple[int, ...], first: tuple[bool, int, int, int]) -> None:
    assert choose(*asked)[0] == first


@pytest.mark.parametrize(
    "asked",
    [
        (e.GLX_RED_SIZE, 9),
        (e.GLX_STEREO, 1),
        (e.GLX_LEVEL, 1),
        (e.GLX_AUX_BUFFERS, 1),
        (e.GLX_ACCUM_RED_SIZE, 17),
        (e.GLX_SAMPLES, 64),
        (e.GLX_DEPTH_SIZE, 33),
        (e.GLX_DEPTH_SIZE, 32, e.GLX_STENCIL_SIZE, 1),
        (e.GLX_RENDER_TYPE, 2),
        (e.GLX_X_VISUAL_TYPE, e.GLX_DIRECT_COLOR),
        (e.GLX_CONFIG_CAVEAT, e.GLX_NON_CONFORMANT_CONFIG),
        (e.GLX_TRANSPARENT_TYPE, 0x8008),
        (e.GLX_FBCONFIG_ID, 0x7FFF),
    ],
)
def test_what_is_not_there(asked: tuple[int, ...]) -> None:
    assert choose(*asked) == []


def test_fbconfig_id_overrules_the_rest() -> None:
    wanted = CONFIGS[17]
    found = choose_fbconfigs(CONFIGS, {e.GLX_FBCONFIG_ID: wanted.id, e.GLX_STEREO: 1})
    assert found == [wanted]


def test_the_whole_order() -> None:
    order = choose(e.GLX_DEPTH_SIZE, 1, e.GLX_DOUBLEBUFFER, 1, e.GLX_RED_SIZE, 1,
                   e.GLX_SWAP_METHOD_OML, e.GLX_SWAP_UNDEFINED_OML)  # fmt: skip
    assert order[:8:2] == [(True, 32, 0, 0), (True, 24, 0, 0), (True, 24, 8, 0), (True, 16, 0, 0)]
    assert order[1:8:2] == order[:8:2]  # for sRGB
    assert order[8:16] == order[:8]  # with four samples
    assert {alpha for *_, alpha in order[16:32]} == {8}


def test_values_one_by_one() -> None:
    """What a choice looks at is what a program is told, by Python and by kernels."""
    told = columns(CONFIGS)
    assert {*told} == {*SELECTION} - {e.GLX_SCREEN}
    for attribute, values in told.items():
        assert values == [config.value(attribute) for config in CONFIGS]
    assert CONFIGS[0].value(0x7777) is None


def test_tokens_are_those_of_the_registry() -> None:
    values = getattr(registry, "VALUES", None) or vars(registry)
    checked = 0
    for name, value in vars(e).items():
        if name.startswith("GLX_") and name in values:
            assert values[name] & 0xFFFFFFFF == value, name
            checked += 1
    assert checked > 60


def test_offer(program: Program, server: Server) -> None:
    """Also on servers without GLX: 24-bit colour in double and single buffer, with and without
    alpha.
    """
    count = ffi.new("int *")
    array = program.glXGetFBConfigs(server.display, 0, count)
    assert count[0] >= 10
    libs().x11.XFree(array)
    configs = program.choose(e.GLX_DOUBLEBUFFER, 1, e.GLX_DEPTH_SIZE, 24, e.GLX_STENCIL_SIZE, 8)
    assert configs
    for config in configs:
        assert program.get(config, e.GLX_DOUBLEBUFFER) == 1
        assert program.get(config, e.GLX_DEPTH_SIZE) == 24
        assert program.get(config, e.GLX_RENDER_TYPE) == e.GLX_RGBA_BIT
        assert program.get(config, e.GLX_DRAWABLE_TYPE) == 7
        info = ffi.cast("XVisualInfo *", program.glXGetVisualFromFBConfig(server.display, config))
        assert info.visualid == program.get(config, e.GLX_VISUAL_ID)
        libs().x11.XFree(info)
    sizes = (5, 6, 5) if server.depth == 16 else (8, 8, 8)
    best = configs[0]
    assert tuple(program.get(best, a) for a in (8, 9, 10)) == sizes


def test_choose_visual(program: Program, server: Server) -> None:
    single = program.visual(e.GLX_RGBA)
    double = program.visual(e.GLX_RGBA, e.GLX_DOUBLEBUFFER, e.GLX_DEPTH_SIZE, 1)
    assert single.depth == double.depth == server.depth
    value = ffi.new("int *")
    for info, expected in ((double, 1), (single, 0)):
        # With few visuals both may bear the same id: then the last choice counts.
        program.visual(e.GLX_RGBA, *([e.GLX_DOUBLEBUFFER, e.GLX_DEPTH_SIZE, 1] if expected else []))
        assert program.glXGetConfig(server.display, info, e.GLX_DOUBLEBUFFER, value) == 0
        assert value[0] == expected
        assert program.glXGetConfig(server.display, info, e.GLX_USE_GL, value) == 0
        assert value[0] == 1
        assert program.glXGetConfig(server.display, info, 0x7777, value) == e.GLX_BAD_ATTRIBUTE
    assert program.visual() is None, "colour index"
    assert program.visual(e.GLX_RGBA, e.GLX_STEREO) is None
    assert program.visual(e.GLX_RGBA, 0x7777) is None
    assert program.visual(e.GLX_RGBA, e.GLX_RED_SIZE, 12) is None


def test_every_true_color_visual_can_be_used(program: Program, server: Server) -> None:
    template = ffi.new("XVisualInfo *")
    count = ffi.new("int *")
    infos = libs().x11.XGetVisualInfo(server.display, 0, template, count)
    value = ffi.new("int *")
    usable = 0
    for i in range(count[0]):
        assert program.glXGetConfig(server.display, infos + i, e.GLX_USE_GL, value) == 0
        assert value[0] == int(getattr(infos[i], "class") in (4, 5) and infos[i].depth >= 15)
        usable += value[0]
    assert usable
    libs().x11.XFree(infos)


def test_bad_arguments(app: Program) -> None:
    value = ffi.new("int *")
    assert app.glXGetFBConfigAttrib(app.display, 12345, e.GLX_RED_SIZE, value) == e.GLXBadFBConfig
    config = app.choose()[0]
    bad = app.glXGetFBConfigAttrib(app.display, config, 0x7777, value)
    assert bad == e.GLX_BAD_ATTRIBUTE
    count = ffi.new("int *", 7)
    assert app.glXGetFBConfigs(app.display, 99, count) == ffi.NULL
    assert count[0] == 0
    assert app.choose(0x7777, 1) == []
    assert app.choose(e.GLX_RED_SIZE, -5) == []
    assert app.glXChooseVisual(app.display, 99, app.attribs(e.GLX_RGBA)) == ffi.NULL
