# SPDX-License-Identifier: MIT
"""The pytest plugin, in runs of pytest of its own: contexts without a display, pictures compared
with kept ones, what a run says where they differ. What is kept here is drawn by Mesa."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pydri.tools.pictures import difference, image_of
from pydri.tools.png import Image, decode, encode
from tests import host

pytestmark = pytest.mark.slow

PLUGIN = ["-p", "pydri.pytest_plugin"]
SCENE = """
def draw():
    GL.glClearColor(0, 0, 0.4, 1)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    GL.glBegin(GL.GL_TRIANGLES)
    for x, y, color in (-0.9, -0.8, (1, 0, 0)), (0.9, -0.8, (0, 1, 0)), (0, 0.9, (0, 0, 1)):
        GL.glColor3f(*color), GL.glVertex2f(x, y)
    GL.glEnd()
"""
TEST = f"""
import pytest
from OpenGL import GL
{SCENE}
@pytest.mark.gl(size=(60, 40))
def test_a_triangle(gl_context, gl_picture):
    draw()
    gl_picture.check(gl_context.read(), tolerance=TOLERANCE)
"""
BY_MESA = f"""
import sys
from pydri.tools.offscreen import Offscreen
from pydri.tools.png import encode
context = Offscreen({host.LIB!r}, 60, 40)
from OpenGL import GL
{SCENE}
draw()
assert b"Mesa" in GL.glGetString(GL.GL_VENDOR)
open(sys.argv[1], "wb").write(encode(context.read()))
"""


def environment() -> dict[str, str]:
    """Nothing that steers GL, and no display."""
    env = {**host.side("ours"), "PYTHONPATH": host.ROOT}
    del env["LD_LIBRARY_PATH"]
    return env


def run(folder: Path, *arguments: str, test: str = "", **more: str) -> tuple[int, str]:
    """pytest on a test file: its status and what it said."""
    if test:
        (folder / "test_it.py").write_text(test)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -q --strict-markers\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, *arguments], env={**environment(), **more}, cwd=folder, text=True,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(autouse=True)
def pyopengl() -> None:
    """What the tests of this file draw with."""
    pytest.importorskip("OpenGL")


@pytest.mark.needs("libegl1", "libgl1")
def test_a_picture_of_mesas(tmp_path: Path) -> None:
    """The context draws what Mesa's does; a pixel that is another one is found, told and shown."""
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    kept = tmp_path / "pictures" / "test_it" / "test_a_triangle.png"
    kept.parent.mkdir(parents=True)
    env = {**host.side("peer"), "PYTHONPATH": host.ROOT, "PYOPENGL_PLATFORM": "egl"}
    done = subprocess.run([sys.executable, "-c", BY_MESA, str(kept)], env=env, text=True,
                          capture_output=True, timeout=120, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    test = TEST.replace("TOLERANCE", "1")
    status, text = run(tmp_path, *PLUGIN, test=test)
    assert status == 0 and "1 passed" in text and not (tmp_path / "gl-failures").exists(), text

    image = decode(kept.read_bytes())
    damaged = bytearray(image.rgb)
    damaged[3 * (5 * 60 + 7) + 1] ^= 0x80
    kept.write_bytes(encode(image._replace(rgb=bytes(damaged))))
    status, text = run(tmp_path, *PLUGIN)
    assert status == 1 and "1 pixels differ by more than 1 (0 may); the worst by 128" in text
    assert "in column 7 of row 5: (0, 0, 102) instead of (0, 128, 102)" in text
    shown = {path.name: decode(path.read_bytes())
             for path in (tmp_path / "gl-failures" / "test_it").iterdir()}  # fmt: skip
    assert shown["test_a_triangle.wanted.png"].rgb == bytes(damaged)
    assert shown["test_a_triangle.got.png"].pixel(7, 5) == (0, 0, 102)
    assert shown["test_a_triangle.difference.png"].pixel(7, 5) == (0, 255, 0)

    kept.write_bytes(encode(image))
    assert run(tmp_path, *PLUGIN)[0] == 0
    assert not list((tmp_path / "gl-failures" / "test_it").iterdir())  # of the run before


def test_pictures_that_are_not_there(tmp_path: Path) -> None:
    """A test without its picture fails until somebody has looked at it and says so; then it holds,
    bit for bit."""
    test = TEST.replace("TOLERANCE", "0")
    status, text = run(tmp_path, *PLUGIN, test=test)
    assert status == 1 and "there is no picture" in text and "--gl-update" in text
    assert (tmp_path / "gl-failures" / "test_it" / "test_a_triangle.got.png").exists()
    assert run(tmp_path, *PLUGIN, "--gl-update")[0] == 0
    assert run(tmp_path, *PLUGIN)[0] == 0
    status, text = run(tmp_path, *PLUGIN, test=test.replace("(60, 40)", "(40, 60)"))
    assert status == 1 and "test_a_triangle.png is 60x40, this picture" in text
    kept = tmp_path / "pictures" / "test_it" / "test_a_triangle.png"
    kept.write_bytes(kept.read_bytes()[:-30])
    status, text = run(tmp_path, *PLUGIN, test=test)
    assert status == 1 and "damaged PNG file" in text


PICTURES = """
import numpy as np
import pytest

def picture(value):
    rows = np.full((4, 5, 4), 100, np.uint8)
    rows[1, 2, 0] = value
    return rows

def test_first(gl_picture):
    gl_picture.check(picture(VALUE), tolerance=3)
    gl_picture.check(picture(VALUE), "some pixels", pixels=1)
    with pytest.raises(AssertionError, match="two pictures of this test are called test_first"):
        gl_picture.check(picture(VALUE))

@pytest.mark.parametrize("n", [0, 1])
def test_second(gl_picture, n):
    gl_picture.check(picture(VALUE + n), "a/b", tolerance=5)
"""


def test_tolerances_and_names(tmp_path: Path) -> None:
    """Arrays are pictures, too; a picture each test and name, below the folder that is set."""
    (tmp_path / "below").mkdir()
    place = ["-o", "gl_pictures=kept", "-o", "gl_failures=below/off"]
    test = PICTURES.replace("VALUE", "100")
    assert run(tmp_path, *PLUGIN, "--gl-update", *place, test=test)[0] == 0
    names = {path.name for path in (tmp_path / "kept" / "test_it").iterdir()}
    assert names == {"test_first.png", "test_first-some-pixels.png", "test_second-0-a-b.png",
                     "test_second-1-a-b.png"}  # fmt: skip
    assert run(tmp_path, *PLUGIN, *place, test=PICTURES.replace("VALUE", "103"))[0] == 0
    status, text = run(tmp_path, *PLUGIN, *place, test=PICTURES.replace("VALUE", "104"))
    assert status == 1 and "1 failed, 2 passed" in text and "by more than 3" in text
    assert (tmp_path / "below" / "off" / "test_it" / "test_first.got.png").exists()
    with pytest.raises(TypeError, match=r"this is float64 of the shape \(2, 2\)"):
        image_of([[1.0, 2.0], [3.0, 4.0]])


def test_where_pictures_differ() -> None:
    black, spots = bytes(3 * 6), bytearray(3 * 6)
    spots[3 * 1 + 2], spots[3 * 4] = 9, 40
    found = difference(Image(3, 2, bytes(spots)), Image(3, 2, black), 8)
    assert found[:3] == (2, 40, (1, 1)) and found.picture.pixel(1, 0) == (0, 0, 72)
    assert difference(Image(3, 2, bytes(spots)), Image(3, 2, black), 9).pixels == 1


CONTEXTS = """
import ctypes
import pytest
from OpenGL import GL

def version(context): return context.string(GL.GL_VERSION)

def test_the_highest(gl_context):
    assert GL.glGetString(GL.GL_VENDOR) == b"pydri" and "Compatibility" in version(gl_context)
    assert (gl_context.width, gl_context.height) == (256, 256)
    assert GL.glGetIntegerv(GL.GL_VIEWPORT).tolist() == [0, 0, 256, 256]

@pytest.mark.gl(version=(3, 3), core=True, samples=4)
def test_core(gl_context):
    assert version(gl_context).startswith("3.3 (Core Profile)")
    assert gl_context.integer(GL.GL_SAMPLES) == 4
    GL.glClearColor(1, 0.5, 0, 1)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    assert gl_context.read().pixel(3, 3) == (255, 128, 0)

ES = [pytest.param(v, marks=pytest.mark.gl(version=v, es=True)) for v in ((1, 1), (2, 0), (3, 0))]

@pytest.mark.parametrize("wanted", ES)
def test_es(gl_context, wanted):
    assert version(gl_context).startswith("OpenGL ES")
    clear = gl_context.function("glClear", None, ctypes.c_uint)
    gl_context.function("glClearColor", None, *[ctypes.c_float] * 4)(0, 1, 0, 1)
    clear(GL.GL_COLOR_BUFFER_BIT)
    assert gl_context.read().pixel(0, 0) == (0, 255, 0)

@pytest.mark.gl(es=True)
def test_es_of_any_version(gl_context):
    assert version(gl_context).startswith("OpenGL ES")

@pytest.mark.gl(size=(3, 2))
def test_reading_leaves_everything_as_it_was(gl_context):
    buffer = GL.glGenBuffers(1)
    GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, buffer)
    GL.glBufferData(GL.GL_PIXEL_PACK_BUFFER, 400, None, GL.GL_STREAM_READ)
    packing = {GL.GL_PACK_ROW_LENGTH: 7, GL.GL_PACK_SKIP_ROWS: 1, GL.GL_PACK_ALIGNMENT: 8,
               GL.GL_PACK_SWAP_BYTES: 1}
    for name, value in packing.items():
        GL.glPixelStorei(name, value)
    GL.glEnable(GL.GL_SCISSOR_TEST)
    GL.glScissor(0, 1, 1, 1)
    GL.glClearColor(0, 0, 1, 1)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    image = gl_context.read()
    assert image[:2] == (3, 2)
    assert (image.pixel(0, 0), image.pixel(0, 1)) == ((0, 0, 255), (0, 0, 0))
    assert gl_context.integer(GL.GL_PIXEL_PACK_BUFFER_BINDING) == buffer
    assert {name: gl_context.integer(name) for name in packing} == packing
    gl_context.function("glEnable", None, ctypes.c_uint)(0xFFFF)
    with pytest.raises(RuntimeError, match="GL_INVALID_ENUM"):
        gl_context.read()

def test_a_context_of_its_own(gl_context):
    assert gl_context.integer(GL.GL_PACK_ALIGNMENT) == 4 and not GL.glIsEnabled(GL.GL_SCISSOR_TEST)

def test_nothing_is_current_between_tests():
    from OpenGL import EGL
    assert not EGL.eglGetCurrentContext()

@pytest.mark.gl(version=(4, 6))
def test_not_offered(gl_context): pass

@pytest.mark.gl(colour="red")
def test_unknown(gl_context): pass
"""


def test_contexts(tmp_path: Path) -> None:
    """Of each kind that the mark asks for; what is not offered is an error that says so."""
    status, text = run(tmp_path, *PLUGIN, test=CONTEXTS)
    assert status == 1 and "9 passed, 2 errors" in text, text
    assert re.search(r"EGL gives no context for OpenGL 4\.6 \(EGL_BAD_\w+\)", text)
    assert "the mark gl knows size, version, core, es, samples; not colour" in text


def test_nothing_happens_unasked(tmp_path: Path) -> None:
    """Beside an installed pydri a pytest that does not name the plugin imports nothing of it."""
    test = "import sys\ndef test_it(): assert 'pydri' not in sys.modules\n"
    assert run(tmp_path, test=test)[0] == 0
    status, text = run(tmp_path, test=TEST)
    assert status != 0 and "'gl' not found in `markers`" in text


@pytest.mark.needs("libgl1")
def test_by_conftest_and_too_late(tmp_path: Path) -> None:
    """A conftest.py may name it; one that opens a GL library before is told."""
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["pydri.pytest_plugin"]\n')
    test = "def test_it(gl_context): assert gl_context.string(0x1F00) == 'pydri'\n"
    assert run(tmp_path, test=test)[0] == 0
    (tmp_path / "conftest.py").write_text(
        f"import ctypes; ctypes.CDLL({os.path.join(host.LIB, 'libGL.so.1')!r})\n"
        'pytest_plugins = ["pydri.pytest_plugin"]\n'
    )
    status, text = run(tmp_path)
    assert status == pytest.ExitCode.USAGE_ERROR and "is loaded already: call pydri.load()" in text
    assert "Traceback" not in text


def test_the_example_of_the_manual(tmp_path: Path) -> None:
    """docs/python.md: it passes once its picture is written, and not before."""
    text = Path(host.ROOT, "docs", "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    [code] = [block for block in blocks if "gl_picture" in block]
    assert run(tmp_path, *PLUGIN, test=code)[0] == 1
    assert run(tmp_path, *PLUGIN, "--gl-update")[0] == 0
    status, told = run(tmp_path, *PLUGIN)
    assert status == 0 and "1 passed" in told
    [kept] = (tmp_path / "pictures").rglob("*.png")
    assert len(set(decode(kept.read_bytes()).rgb)) > 100
