# SPDX-License-Identifier: MIT
"""Which configs EGL makes of the shared table, and how eglChooseConfig sorts them."""

import pytest

from pydri.api import egl_enums as e
from pydri.api.apis import ES1, ES2
from pydri.egl.config import (
    SELECTION,
    EglConfig,
    choose_configs,
    config_attribute,
    make_configs,
    parse_attribs,
    renderable,
)
from pydri.egl.errors import EglError
from winsys_x11.visuals import DIRECT_COLOR, TRUE_COLOR, Visual

RGB24 = (24, 32, TRUE_COLOR, 0xFF0000, 0xFF00, 0xFF)
FORMATS = ("B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "B5G6R5_UNORM", "B10G10R10A2_UNORM")


def supported(name: str, samples: int) -> bool:
    """A driver with a few formats."""
    return name in FORMATS or name.startswith("Z")


def visual(number: int, depth: int, bits: int, kind: int, *masks: int) -> Visual:
    return Visual(number, 0, depth, bits, kind, *masks)


@pytest.fixture
def configs() -> list[EglConfig]:
    """Two equal TrueColor visuals, one DirectColor, one of depth 16."""
    visuals = [
        visual(0x21, *RGB24),
        visual(0x22, 24, 32, DIRECT_COLOR, *RGB24[3:]),
        visual(0x23, *RGB24),
        visual(0x24, 16, 16, TRUE_COLOR, 0xF800, 0x7E0, 0x1F),
        visual(0x25, 8, 8, TRUE_COLOR, 0xE0, 0x1C, 3),
    ]
    return make_configs(visuals, supported)


def chosen(configs: list[EglConfig], *pairs: tuple[int, int]) -> list[EglConfig]:
    return choose_configs(configs, parse_attribs(pairs))


def test_apis() -> None:
    """What is offered, and OpenGL ES 1, the default, which is no criterion where it is not."""
    desktop, es2, es3 = e.EGL_OPENGL_BIT, e.EGL_OPENGL_ES2_BIT, e.EGL_OPENGL_ES3_BIT
    assert renderable({}) == desktop and renderable({ES2: (2, 0)}) == desktop | es2
    everything = renderable({ES1: (1, 1), ES2: (3, 2)})
    assert everything == desktop | es2 | es3 | e.EGL_OPENGL_ES_BIT
    configs = make_configs(None, supported, renderable({ES2: (2, 0)}))
    for bits, there in ((e.EGL_OPENGL_ES_BIT, True), (es2, True), (es2 | desktop, True),
                        (es3, False)):  # fmt: skip
        asked = (e.EGL_SURFACE_TYPE, e.EGL_PBUFFER_BIT), (e.EGL_RENDERABLE_TYPE, bits)
        assert bool(chosen(configs, *asked)) is there


def test_one_visual_a_kind(configs: list[EglConfig]) -> None:
    assert {c.values[e.EGL_NATIVE_VISUAL_ID] for c in configs} == {0x21, 0x22, 0x24}
    assert [c.id for c in configs] == list(range(1, len(configs) + 1))
    for config in configs:
        single, double = config.buffers[False], config.buffers[True]
        assert double == single._replace(double_buffer=True)
        assert not double.accum and not double.swap_copy
        assert set(config.values) | {e.EGL_MATCH_NATIVE_PIXMAP} == set(SELECTION)


def test_platforms_without_windows() -> None:
    configs = make_configs(None, supported)
    assert configs
    assert {c.surface_type for c in configs} == {e.EGL_PBUFFER_BIT}
    assert {c.values[e.EGL_RED_SIZE] for c in configs} == {5, 8, 10}
    assert not chosen(configs)  # windows are the default
    assert chosen(configs, (e.EGL_SURFACE_TYPE, e.EGL_PBUFFER_BIT))


def test_order(configs: list[EglConfig]) -> None:
    found = chosen(configs)
    keys = [
        (
            c.values[e.EGL_BUFFER_SIZE], c.values[e.EGL_SAMPLES], c.values[e.EGL_DEPTH_SIZE],
            c.values[e.EGL_STENCIL_SIZE], c.values[e.EGL_NATIVE_VISUAL_TYPE], c.id,
        )
        for c in found
    ]  # fmt: skip
    assert keys == sorted(keys)
    assert found[0].values[e.EGL_BUFFER_SIZE] == 16  # nobody asked for colours: the smallest
    found = chosen(configs, (e.EGL_RED_SIZE, 1), (e.EGL_ALPHA_SIZE, 1))
    assert found[0].values[e.EGL_ALPHA_SIZE] == 8
    found = chosen(configs, (e.EGL_RED_SIZE, 1))  # the most red, then the smallest
    assert (found[0].values[e.EGL_RED_SIZE], found[0].values[e.EGL_ALPHA_SIZE]) == (8, 0)
    found = chosen(configs, (e.EGL_RED_SIZE, e.EGL_DONT_CARE))
    assert found[0].values[e.EGL_BUFFER_SIZE] == 16


def test_criteria(configs: list[EglConfig]) -> None:
    for attribute, value, fine in (
        (e.EGL_DEPTH_SIZE, 17, lambda v: v >= 17),
        (e.EGL_STENCIL_SIZE, 1, lambda v: v >= 1),
        (e.EGL_NATIVE_VISUAL_TYPE, DIRECT_COLOR, lambda v: v == DIRECT_COLOR),
    ):
        found = chosen(configs, (attribute, value))
        assert found and all(fine(c.values[attribute]) for c in found)
        assert len(found) < len(configs)
    assert not chosen(configs, (e.EGL_TRANSPARENT_TYPE, e.EGL_TRANSPARENT_RGB))
    assert not chosen(configs, (e.EGL_CONFORMANT, e.EGL_OPENGL_ES_BIT))
    assert not chosen(configs, (e.EGL_RENDERABLE_TYPE, e.EGL_OPENGL_ES2_BIT))
    assert not chosen(configs, (e.EGL_LEVEL, 1))
    assert chosen(configs, (e.EGL_NATIVE_VISUAL_ID, 0x9999))  # cannot be chosen by
    assert [c.id for c in chosen(configs, (e.EGL_CONFIG_ID, 3), (e.EGL_LEVEL, 7))] == [3]
    assert chosen(configs, (e.EGL_CONFIG_ID, 10_000)) == []


@pytest.mark.parametrize(
    "pair",
    [
        (0x7777, 0), (e.EGL_RED_SIZE, -2), (e.EGL_LEVEL, e.EGL_DONT_CARE),
        (e.EGL_CONFIG_CAVEAT, 3), (e.EGL_NATIVE_RENDERABLE, 2), (e.EGL_CONFIG_ID, 0),
    ],
)  # fmt: skip
def test_bad_attributes(pair: tuple[int, int]) -> None:
    with pytest.raises(EglError) as caught:
        parse_attribs([pair])
    assert caught.value.code == e.EGL_BAD_ATTRIBUTE


def test_compatible_configs(configs: list[EglConfig]) -> None:
    """A context draws to surfaces whose buffers are of its kind, whatever the visual."""
    true, direct = (
        chosen(configs, (e.EGL_ALPHA_SIZE, 1), (e.EGL_NATIVE_VISUAL_TYPE, kind))[0]
        for kind in (TRUE_COLOR, DIRECT_COLOR)
    )
    assert true.fits(direct) and true is not direct
    assert not true.fits(chosen(configs, (e.EGL_DEPTH_SIZE, 32))[0])
    with pytest.raises(EglError):
        config_attribute(true, e.EGL_MATCH_NATIVE_PIXMAP)


def test_srgb_is_a_matter_of_surfaces(configs: list[EglConfig]) -> None:
    """EGL_KHR_gl_colorspace: no configs of its own, and only where the driver has the format."""
    assert not any(c.srgb for c in configs)
    more = make_configs(
        [visual(0x21, *RGB24)],
        lambda name, samples: supported(name, samples) or name == "B8G8R8A8_SRGB",
    )
    assert len(more) == sum(c.visual is not None and c.visual.id == 0x21 for c in configs)
    assert {c.buffers[True].color_format for c in more if c.srgb} == {"B8G8R8A8_UNORM"}
