# SPDX-License-Identifier: MIT
"""For pytest: `-p pydri.pytest_plugin`. Tests draw on this driver, without a display.

In: an option or `pytest_plugins` that names this module; nothing of it happens otherwise (there is
no entry point, which every pytest beside an installed pydri would load). Out: the libraries of this
driver in the process before a test module is imported, the fixture `gl_context`, whose context is
current for one test, and the fixture `gl_picture`, which compares what was drawn with a picture
that is kept beside the test:

    @pytest.mark.gl(size=(64, 64), version=(3, 3), core=True)
    def test_it(gl_context, gl_picture):
        draw()
        gl_picture.check(gl_context.read(), tolerance=1)

Pictures are written with --gl-update; those that differ are written to the folder `gl-failures`,
beside what was wanted and where they differ.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from pydri.tools.load import load
from pydri.tools.offscreen import Kind, Offscreen
from pydri.tools.pictures import Pictures, Place, file_name

#: so that PyOpenGL, and who opens EGL's default display, need no X server either
_ENVIRONMENT = {"PYOPENGL_PLATFORM": "egl", "EGL_PLATFORM": "surfaceless"}
_LIBDIR = pytest.StashKey[str]()
_SIZE = (256, 256)


# -- the libraries ---------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """With `-p`: before a conftest.py imports what opens GL."""
    _start(early_config)


def pytest_configure(config: pytest.Config) -> None:
    """The mark; and the libraries, where a conftest.py names the plugin."""
    config.addinivalue_line(
        "markers", "gl(size, version, core, es, samples): what context `gl_context` is to be"
    )
    _start(config)


def _start(config: pytest.Config) -> None:
    """Take this driver, once."""
    if _LIBDIR in config.stash:
        return
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        config.stash[_LIBDIR] = load()
    except RuntimeError as problem:
        raise pytest.UsageError(f"pydri: {problem}") from None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where pictures are, and that they are to be written."""
    parser.getgroup("pydri").addoption(
        "--gl-update", action="store_true", help="write the pictures that gl_picture compares with"
    )
    parser.addini("gl_pictures", "folder of pictures, beside each test file", default="pictures")
    parser.addini("gl_failures", "folder for pictures that differ", default="gl-failures")


# -- a context -------------------------------------------------------------------------------------


@pytest.fixture
def gl_context(request: pytest.FixtureRequest) -> Iterator[Offscreen]:
    """A context of this test's own, current, with a surface that nobody sees. The mark `gl` says
    how large it is and of what kind; without, 256x256 and the highest version."""
    mark = request.node.get_closest_marker("gl")
    given: dict[str, Any] = dict(mark.kwargs) if mark else {}
    width, height = given.pop("size", _SIZE)
    try:
        kind = Kind(**given)
    except TypeError:
        raise pytest.UsageError(
            f"the mark gl knows size, {', '.join(Kind._fields)}; not {', '.join(given)}"
        ) from None
    context = Offscreen(request.config.stash[_LIBDIR], width, height, kind)
    yield context
    context.close()


# -- pictures --------------------------------------------------------------------------------------


@pytest.fixture
def gl_picture(request: pytest.FixtureRequest) -> Pictures:
    """Compares pictures with those that are kept: see `Pictures.check`."""
    config, path = request.config, request.path
    return Pictures(
        Place(
            path.parent / config.getini("gl_pictures") / path.stem,
            config.rootpath / config.getini("gl_failures") / path.stem,
            file_name(request.node.name), config.getoption("gl_update"),
        )
    )  # fmt: skip
