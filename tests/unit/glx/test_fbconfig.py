# SPDX-License-Identifier: MIT
"""FBConfigs and visuals: what is offered, how it is chosen and sorted (GLX 1.4, table 3.4)."""

import pytest

from pydri.api import enums as registry
from pydri.glx import enums as e
from pydri.glx.fbconfig import TEMPLATES, choose_fbconfigs, make_configs
from tests.unit.glx.harness import Program
from tests.unit.winsys.xserver import Server
from winsys_x11.visuals import Visual
from winsys_x11.xlib import ffi, libs


def visual(number: int, depth: int = 24) -> Visual:
    return Visual(number, 0, depth, 32, 4, 0xFF0000, 0xFF00, 0xFF)


MANY = [visual(0x21 + i) for i in range(40)] + [visual(0x100 + i, 32) for i in range(20)]
CONFIGS = make_configs(0, MANY)


def choose(*values: int) -> list[tuple[bool, int, int, int]]:
    """(double, depth, stencil, alpha) of what is chosen."""
    pairs = dict(zip(values[::2], values[1::2]))
    return [
        (c.double_buffer, c.depth, c.stencil, c.alpha) for c in choose_fbconfigs(CONFIGS, pairs)
    ]


def test_every_template_on_every_layout_with_a_visual_of_its_own() -> None:
    assert len(CONFIGS) == len(TEMPLATES) * 3
    assert len({c.visual.id for c in CONFIGS}) == len(CONFIGS)
    assert len({c.handle for c in CONFIGS}) == len({c.id for c in CONFIGS}) == len(CONFIGS)
    first = CONFIGS[0]
    assert (first.visual.id, first.double_buffer, first.depth, first.stencil) == (0x21, True, 24, 8)


def test_few_visuals_are_shared() -> None:
    configs = make_configs(0, [visual(0x21)])
    assert len(configs) == len(TEMPLATES) * 2
    assert {c.visual.id for c in configs} == {0x21}


def test_formats_that_the_driver_lacks_are_not_offered() -> None:
    without = {"Z32_UNORM", "S8_UINT", "B8G8R8X8_UNORM"}
    configs = make_configs(0, MANY, lambda name: name not in without)
    assert configs
    assert not {c.color_format for c in configs} & without
    assert not {c.depth_format for c in configs} & without


def test_visuals_that_cannot_be_drawn_to() -> None:
    direct = visual(5)._replace(visual_class=5)
    packed = visual(6)._replace(bits_per_pixel=24)
    assert make_configs(0, [direct, packed]) == []


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
        ((e.GLX_DOUBLEBUFFER, e.GLX_DONT_CARE, e.GLX_STENCIL_SIZE, 8), (False, 0, 8, 0)),
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
        (e.GLX_ACCUM_RED_SIZE, 1),
        (e.GLX_SAMPLES, 4),
        (e.GLX_DEPTH_SIZE, 33),
        (e.GLX_DEPTH_SIZE, 32, e.GLX_STENCIL_SIZE, 1),
        (e.GLX_RENDER_TYPE, 2),
        (e.GLX_X_VISUAL_TYPE, e.GLX_DIRECT_COLOR),
        (e.GLX_CONFIG_CAVEAT, e.GLX_SLOW_CONFIG),
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
    order = choose(e.GLX_DEPTH_SIZE, 1, e.GLX_DOUBLEBUFFER, 1, e.GLX_RED_SIZE, 1)
    assert order[:4] == [(True, 32, 0, 0), (True, 24, 0, 0), (True, 24, 8, 0), (True, 16, 0, 0)]
    assert {alpha for *_, alpha in order[4:]} == {8}


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
        assert value[0] == int(getattr(infos[i], "class") == 4 and infos[i].depth >= 15)
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
