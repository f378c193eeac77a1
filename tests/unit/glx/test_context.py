# SPDX-License-Identifier: MIT
"""Contexts: the checks of ARB_create_context, sharing, make-current, life and death."""

import threading
from typing import Any

import pytest

from pydri.glx import enums as e
from pydri.glx.context import CONTEXTS, find_context
from tests import host
from tests.unit.glx.harness import Errors, FakeGL, Program
from tests.unit.winsys.xserver import Server
from winsys_x11.xlib import ffi, libs

MAJOR, MINOR = e.GLX_CONTEXT_MAJOR_VERSION_ARB, e.GLX_CONTEXT_MINOR_VERSION_ARB
FLAGS, PROFILE = e.GLX_CONTEXT_FLAGS_ARB, e.GLX_CONTEXT_PROFILE_MASK_ARB
COMPAT = e.GLX_CONTEXT_COMPATIBILITY_PROFILE_BIT_ARB
X_ATTRIBS = e.X_GLXCreateContextAttribsARB


def create(app: Program, *attribs: int, share: int = 0, config: int | None = None) -> int:
    if config is None:
        config = app.choose(e.GLX_DOUBLEBUFFER, 1)[0]
    return int(app.glXCreateContextAttribsARB(app.display, config, share, 1, app.attribs(*attribs)))


def base(app: Program) -> int:
    out = ffi.new("int *")
    app.glXQueryExtension(app.display, out, ffi.NULL)
    return int(out[0])


@pytest.fixture(autouse=True)
def version(monkeypatch: pytest.MonkeyPatch) -> None:
    from pydri.dri import request

    monkeypatch.setattr(request, "max_versions", lambda screen: ((2, 1), None))


@pytest.mark.parametrize(
    "attribs",
    [(), (MAJOR, 1, MINOR, 5), (MAJOR, 2, MINOR, 1), (MAJOR, 2, MINOR, 1, PROFILE, COMPAT),
     (FLAGS, 1), (FLAGS, 4), (e.GLX_CONTEXT_OPENGL_NO_ERROR_ARB, 1),
     (e.GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB, e.GLX_LOSE_CONTEXT_ON_RESET_ARB),
     (e.GLX_CONTEXT_RELEASE_BEHAVIOR_ARB, 0), (e.GLX_RENDER_TYPE, e.GLX_RGBA_TYPE)],
)  # fmt: skip
def test_what_is_fine(app: Program, errors: Errors, attribs: tuple[int, ...]) -> None:
    context = create(app, *attribs)
    assert context and errors.seen == []
    assert app.glXIsDirect(app.display, context) == 1
    app.glXDestroyContext(app.display, context)
    assert find_context(context) is None


@pytest.mark.parametrize(
    ("attribs", "error", "core"),
    [
        ((0x7777, 1), e.BadValue, True),
        ((MAJOR, 1, MINOR, 6), e.BadMatch, True),
        ((MAJOR, 3, MINOR, 4), e.BadMatch, True),
        ((MAJOR, 5), e.BadMatch, True),
        ((MAJOR, -1), e.BadMatch, True),
        ((MAJOR, 4, MINOR, 0), e.GLXBadFBConfig, False),
        ((MAJOR, 3, MINOR, 3, PROFILE, COMPAT), e.GLXBadFBConfig, False),
        ((MAJOR, 4, MINOR, 6), e.GLXBadFBConfig, False),
        ((PROFILE, 0), e.GLXBadProfileARB, False),
        ((PROFILE, 3), e.GLXBadProfileARB, False),
        ((PROFILE, 8), e.GLXBadProfileARB, False),
        ((PROFILE, 5), e.GLXBadProfileARB, False),
        ((FLAGS, 2), e.BadMatch, True),
        ((FLAGS, 16), e.BadValue, True),
        ((FLAGS, 1, e.GLX_CONTEXT_OPENGL_NO_ERROR_ARB, 1), e.BadMatch, True),
        ((e.GLX_CONTEXT_OPENGL_NO_ERROR_ARB, 2), e.BadValue, True),
        ((e.GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB, 5), e.BadMatch, True),
        ((e.GLX_CONTEXT_RELEASE_BEHAVIOR_ARB, 5), e.BadValue, True),
        ((e.GLX_RENDER_TYPE, e.GLX_COLOR_INDEX_TYPE), e.BadMatch, True),
        ((e.GLX_RENDER_TYPE, e.GLX_RGBA_BIT), e.BadValue, True),
    ],
)
def test_what_is_not(
    app: Program, errors: Errors, attribs: tuple[int, ...], error: int, core: bool
) -> None:
    assert create(app, *attribs) == 0
    code = error if core else base(app) + error
    assert [(seen[0], seen[2]) for seen in errors.seen] == [(code, X_ATTRIBS)]


def test_bad_config_and_no_config(app: Program, errors: Errors) -> None:
    assert create(app, config=0xDEAD) == 0
    assert errors.seen[0][0] == base(app) + e.GLXBadFBConfig
    assert create(app, config=0) == 0, "EXT_no_config_context: the screen must be named"
    assert errors.seen[-1][0] == e.BadValue
    context = create(app, e.GLX_SCREEN, 0, config=0)
    assert context and FakeGL.made[-1].config is None
    value = ffi.new("int *")
    assert app.glXQueryContext(app.display, context, e.GLX_RENDER_TYPE, value) == 0
    assert value[0] == -1
    app.glXDestroyContext(app.display, context)


def test_a_current_context_is_good_until_it_is_released(
    app: Program, plain: Server, errors: Errors
) -> None:
    """Destroyed while current, made current again, destroyed again: nothing is wrong."""
    window = plain.window(20, 20)
    context = create(app)
    assert app.glXMakeCurrent(app.display, window, context) == 1
    app.glXDestroyContext(app.display, context)
    assert app.glXMakeCurrent(app.display, window, context) == 1
    app.glXDestroyContext(app.display, context)
    assert "destroy" not in FakeGL.made[-1].calls
    app.glXMakeCurrent(app.display, 0, 0)
    assert "destroy" in FakeGL.made[-1].calls and errors.seen == []
    assert app.glXMakeCurrent(app.display, window, context) == 0
    assert errors.seen[-1][0] == base(app) + e.GLXBadContext


def test_direct_contexts_cannot_be_imported(app: Program, errors: Errors) -> None:
    context = create(app)
    assert app.glXImportContextEXT(app.display, app.glXGetContextIDEXT(context)) == 0
    assert errors.seen == []
    assert app.glXImportContextEXT(app.display, 0x1234567) == 0
    assert errors.seen[-1][0] == base(app) + e.GLXBadContext
    app.glXFreeContextEXT(app.display, context)
    assert app.glXIsDirect(app.display, context) == 1
    app.glXDestroyContext(app.display, context)


def test_errors_without_a_glx_extension_are_core_errors(
    program: Program, server: Server, errors: Errors
) -> None:
    assert create(program, config=0xDEAD) == 0
    code, major, _ = errors.seen[0]
    if "GLX" in server.without:
        assert (code, major) == (e.BadValue, 0)
    else:
        assert code == base(program) + e.GLXBadFBConfig and major


def test_sharing(app: Program, errors: Errors) -> None:
    first = create(app)
    second = create(app, share=first)
    assert FakeGL.made[1].share is FakeGL.made[0]
    value = ffi.new("int *")
    assert app.glXQueryContextInfoEXT(app.display, second, e.GLX_SHARE_CONTEXT_EXT, value) == 0
    assert value[0] == app.glXGetContextIDEXT(first)
    assert create(app, share=0xBEEF) == 0
    assert errors.seen[-1][0] == base(app) + e.GLXBadContext
    strict = e.GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB
    assert create(app, strict, e.GLX_LOSE_CONTEXT_ON_RESET_ARB, share=first) == 0
    assert errors.seen[-1][0] == e.BadMatch
    for context in (first, second):
        app.glXDestroyContext(app.display, context)


def test_query(app: Program) -> None:
    config = app.choose(e.GLX_DOUBLEBUFFER, 1)[0]
    context = app.glXCreateNewContext(app.display, config, e.GLX_RGBA_TYPE, 0, 1)
    value = ffi.new("int *")
    for attribute, expected in (
        (e.GLX_FBCONFIG_ID, app.get(config, e.GLX_FBCONFIG_ID)),
        (e.GLX_RENDER_TYPE, e.GLX_RGBA_TYPE),
        (e.GLX_SCREEN, 0),
    ):
        assert app.glXQueryContext(app.display, context, attribute, value) == 0
        assert value[0] == expected
    bad = app.glXQueryContext(app.display, context, 0x7777, value)
    assert bad == e.GLX_BAD_ATTRIBUTE
    app.glXDestroyContext(app.display, context)


def test_create_new_context_checks(app: Program, errors: Errors) -> None:
    config = app.choose()[0]
    assert app.glXCreateNewContext(app.display, config, e.GLX_COLOR_INDEX_TYPE, 0, 1) == 0
    assert errors.seen[-1][0] == e.BadValue
    assert app.glXCreateNewContext(app.display, 7, e.GLX_RGBA_TYPE, 0, 1) == 0
    assert errors.seen[-1][0] == base(app) + e.GLXBadFBConfig


def test_make_current(program: Program, server: Server, errors: Errors) -> None:
    info = program.visual(e.GLX_RGBA, e.GLX_DOUBLEBUFFER, e.GLX_DEPTH_SIZE, 16)
    context = program.glXCreateContext(server.display, info, ffi.NULL, 1)
    window = server.window(90, 70)
    assert program.glXMakeCurrent(server.display, window, context) == 1
    gl = FakeGL.made[-1]
    assert (gl.draw.width, gl.draw.height) == (90, 70)
    assert gl.draw is gl.read
    assert gl.draw.native.context == gl.address
    assert gl.draw.native.zs.data and gl.draw.native.back.data % 64 == 0
    assert program.glXGetCurrentContext() == context
    assert program.glXGetCurrentDrawable() == program.glXGetCurrentReadDrawable() == window
    assert program.glXGetCurrentDisplay() == int(ffi.cast("uintptr_t", server.display))
    program.glXDestroyContext(server.display, context)
    assert "destroy" not in gl.calls, "it is current"
    assert program.glXMakeCurrent(server.display, 0, 0) == 1
    assert gl.calls[-2:] == ["lose_current", "destroy"]
    assert program.glXGetCurrentContext() == 0
    assert context not in CONTEXTS
    assert errors.seen == []
    server.x11.XDestroyWindow(server.display, window)


def test_make_current_errors(app: Program, plain: Server, errors: Errors) -> None:
    context = create(app)
    window = plain.window()

    def refused(draw: int, read: int, ctx: int) -> int:
        assert app.glXMakeContextCurrent(plain.display, draw, read, ctx) == 0
        return errors.seen[-1][0]

    assert refused(window, window, 0) == e.BadMatch
    assert refused(0, 0, context) == e.BadMatch
    assert refused(window, 0, context) == e.BadMatch
    assert refused(window, window, 0xBAD) == base(app) + e.GLXBadContext
    assert refused(0x7FFFFFF, 0x7FFFFFF, context) == base(app) + e.GLXBadDrawable
    assert app.glXMakeCurrent(plain.display, window, context) == 1
    seen: list[int] = []
    other = threading.Thread(target=lambda: seen.append(refused(window, window, context)))
    other.start()
    other.join()
    assert seen == [10], "BadAccess: current in another thread"
    app.glXMakeCurrent(plain.display, 0, 0)
    app.glXDestroyContext(plain.display, context)
    app.glXDestroyContext(plain.display, context)
    assert errors.seen[-1][0] == base(app) + e.GLXBadContext


def test_a_window_of_another_depth(app: Program, plain: Server, errors: Errors) -> None:
    deep = next(c for c in app.choose(e.GLX_ALPHA_SIZE, 8) if app.get(c, e.GLX_BUFFER_SIZE) == 32)
    from pydri.glx.display import FBCONFIGS

    argb = next((c for c in app.choose() if FBCONFIGS[c].visual.depth == 32), None)
    if argb is None:
        host.does_not_apply("no visual of depth 32")
    context = create(app, config=argb)
    assert app.glXMakeCurrent(plain.display, plain.window(), context) == 0
    assert errors.seen[-1][0] == e.BadMatch
    app.glXDestroyContext(plain.display, context)
    assert deep


def test_separate_read_drawable(app: Program, plain: Server) -> None:
    context = create(app)
    draw, read = plain.window(50, 40), plain.window(30, 20)
    assert app.glXMakeContextCurrent(plain.display, draw, read, context) == 1
    gl = FakeGL.made[-1]
    assert (gl.draw.width, gl.read.width) == (50, 30)
    assert (app.glXGetCurrentDrawable(), app.glXGetCurrentReadDrawable()) == (draw, read)
    app.glXMakeCurrent(plain.display, 0, 0)
    app.glXDestroyContext(plain.display, context)


def test_two_contexts_change_places(app: Program, plain: Server) -> None:
    window = plain.window()
    first, second = create(app), create(app)
    one, two = FakeGL.made[-2:]
    app.glXMakeCurrent(plain.display, window, first)
    app.glXMakeCurrent(plain.display, window, second)
    assert one.draw is None and two.draw is not None
    assert two.draw.native.context == two.address
    app.glXMakeCurrent(plain.display, window, first)
    assert one.draw.native.context == one.address
    app.glXMakeCurrent(plain.display, 0, 0)
    assert "flush" in one.calls
    for context in (first, second):
        app.glXDestroyContext(plain.display, context)


def test_no_flush_on_release(app: Program, plain: Server) -> None:
    context = create(app, e.GLX_CONTEXT_RELEASE_BEHAVIOR_ARB, 0)
    app.glXMakeCurrent(plain.display, plain.window(), context)
    app.glXMakeCurrent(plain.display, 0, 0)
    assert FakeGL.made[-1].calls == ["make_current", "lose_current"]
    app.glXDestroyContext(plain.display, context)


def test_copy_context(app: Program, plain: Server, errors: Errors) -> None:
    first, second = create(app), create(app)
    app.glXCopyContext(plain.display, first, second, 0xF)
    assert FakeGL.made[-1].calls == ["copy 0xf"]
    app.glXMakeCurrent(plain.display, plain.window(), second)
    app.glXCopyContext(plain.display, first, second, 0xF)
    assert errors.seen[-1][0] == 10
    app.glXMakeCurrent(plain.display, 0, 0)
    for context in (first, second):
        app.glXDestroyContext(plain.display, context)


def test_indirect_is_refused(
    app: Program, errors: Errors, capsys: pytest.CaptureFixture[str]
) -> None:
    from pydri.util.options import options

    with options(LIBGL_ALWAYS_INDIRECT=1):
        assert create(app) == 0
    assert "no indirect rendering" in capsys.readouterr().err


def test_a_display_is_closed_and_another_comes(plain: Server, null_driver: None) -> None:
    """Also where Xlib gives the new one the old address."""
    from pydri.glx.display import DISPLAYS

    for _ in range(6):
        display = plain.open_display()
        app = Program(display)
        context = create(app)
        window = plain.window(64, 64, display)
        assert app.glXMakeCurrent(display, window, context) == 1
        app.glXSwapBuffers(display, window)
        app.glXMakeCurrent(display, 0, 0)
        app.glXDestroyContext(display, context)
        libs().x11.XCloseDisplay(display)
    assert len(DISPLAYS) <= 12


def test_strings_and_queries(program: Program, server: Server) -> None:
    def text(value: Any) -> str:
        return bytes(ffi.string(ffi.cast("char *", value))).decode()

    assert program.glXQueryExtension(server.display, ffi.NULL, ffi.NULL) == 1
    major, minor = ffi.new("int *"), ffi.new("int *")
    assert program.glXQueryVersion(server.display, major, minor) == 1
    assert (major[0], minor[0]) == (1, 4)
    assert text(program.glXGetClientString(server.display, e.GLX_VENDOR)) == "pydri"
    assert text(program.glXQueryServerString(server.display, 0, e.GLX_VERSION)) == "1.4"
    extensions = text(program.glXQueryExtensionsString(server.display, 0)).split()
    assert extensions == sorted(set(extensions), key=extensions.index)
    assert {"GLX_ARB_create_context", "GLX_EXT_swap_control"} <= set(extensions)
    assert program.glXGetClientString(server.display, 99) == ffi.NULL
    device = program.glXQueryRendererStringMESA(server.display, 0, 0, e.GLX_RENDERER_DEVICE_ID_MESA)
    assert text(device) == "pydri null"
    out = ffi.new("unsigned int[3]")
    attribute = e.GLX_RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION_MESA
    assert program.glXQueryRendererIntegerMESA(server.display, 0, 0, attribute, out) == 1
    assert program.glXQueryRendererIntegerMESA(server.display, 0, 1, attribute, out) == 0
    assert program.glXQueryRendererIntegerMESA(server.display, 0, 0, 0x7777, out) == 0
    assert program.glXQueryCurrentRendererIntegerMESA(attribute, out) == 0
