# SPDX-License-Identifier: MIT
"""The programs that scripts/hacks measures and compares with the peer: a row each.

A program of the list "games" is started as a user would start it, in a window of 800x600 without
sound; what it wants to find in its home is written there first.
"""

import os
from typing import NamedTuple

_CLIENTS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "apps", "clients"
)
_FOLDER = "/usr/libexec/xscreensaver"
_SDL_TESTS = "/usr/libexec/installed-tests/SDL2"


class Listed(NamedTuple):
    """A program: its command ("{size}" becomes that of the window), the Debian packages that bring
    it, variables, files of its home (path, text).
    """

    name: str
    command: str
    packages: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    folder: str = ""  # where it is started; default: its home


def _hack(name: str) -> Listed:
    command = f"{_FOLDER}/{name} --window --geometry {{size}} --delay 0"
    return Listed(name, command, ("xscreensaver-gl", "xscreensaver-gl-extra"))


def _sdl(name: str, options: str = "--renderer opengl") -> Listed:
    return Listed(name, f"{_SDL_TESTS}/{name} {options}", ("libsdl2-tests",),
                  (("SDL_RENDER_DRIVER", "opengl"),), folder=_SDL_TESTS)  # fmt: skip


def _osg(name: str) -> Listed:
    return Listed(name, name, ("openscenegraph",),
                  (("OSG_WINDOW", "0 0 800 600"), ("OSG_THREADING", "SingleThreaded")))  # fmt: skip


HACKS = tuple(
    _hack(name)
    for name in (
        "antmaze antspotlight atlantis atunnel boing bouncingcow boxed bubble3d circuit cityflow "
        "companioncube covid19 crumbler cubenetic cubestack deepstars dymaxionmap endgame "
        "etruscanvenus extrusion flipflop flipscreen3d fliptext gears gflux gibson glcells "
        "gleidescope glhanoi glplanet glschool glslideshow hexstrut hextrail hydrostat hypnowheel "
        "jigglypuff juggler3d kaleidocycle moebius nakagin noof peepers providence quasicrystal "
        "queens rubik sballs sonar spheremonics sproingies stonerview surfaces unknownpleasures "
        "vigilance"
    ).split()
)
"""xscreensaver's, those of the list of real programs."""

MORE_HACKS = tuple(
    _hack(name)
    for name in (
        "antinspect beats blinkbox blocktube cage carousel chompytower crackberg cube21 "
        "cubestorm cubetwist cubicgrid dangerball discoball energystream engine esper flurry "
        "flyingtoasters geodesic geodesicgears glblur glknots glmatrix glsnake gltext "
        "gravitywell handsy headroom hilbert hypertorus jigsaw klein lament lavalite lockward "
        "maze3d menger mirrorblob moebiusgears molecule morph3d photopile pinion pipes "
        "polyhedra polytopes projectiveplane pulsar raverhoop razzledazzle romanboy "
        "rubikblocks sierpinski3d skytentacles sphereeversion splitflap splodesic squirtorus "
        "stairs starwars superquadrics tangram timetunnel topblock tronbit unicrud voronoi "
        "winduprobot"
    ).split()
)
"""xscreensaver's others that draw with OpenGL: what the driver was not made with."""

_NEVERBALL = "fullscreen 0\nwidth 800\nheight 600\nvsync 0\nsound_vol 0\nmusic_vol 0\nfps 0\n"
_ETR = "[fullscreen] 0\n[res_type] 1\n[sound_volume] 0\n[music_volume] 0\n[display_fps] 0\n"
_OPENARENA = {
    "cl_renderer": "opengl1", "r_fullscreen": 0, "r_mode": -1, "r_customwidth": 800,
    "r_customheight": 600, "s_initsound": 0, "com_introplayed": 1, "com_maxfps": 0,
    "r_swapInterval": 0, "in_nograb": 1,
}  # fmt: skip
GAMES = (
    Listed("glxgears", "glxgears -geometry 800x600", ("mesa-utils",)),
    Listed("glxheads", "glxheads", ("mesa-utils",)),
    Listed("neverball", "/usr/games/neverball", ("neverball",), (),
           ((".neverball/neverballrc", _NEVERBALL),)),
    Listed("etr", "/usr/games/etr", ("extremetuxracer",), (),
           ((".etr/options", _ETR), (".config/etr/options", _ETR))),
    Listed("chromium-bsu", "/usr/games/chromium-bsu -w -v 2 -na", ("chromium-bsu",)),
    Listed("openarena",
           " ".join(["/usr/games/openarena", *(f"+set {k} {v}" for k, v in _OPENARENA.items()),
                     "+devmap oa_dm1"]),
           ("openarena",)),
    Listed("gltron", "/usr/games/gltron -i -4 -s", ("gltron",)),
    Listed("billard-gl", "/usr/games/billard-gl", ("billard-gl",)),
    _sdl("testgl2", ""),
    _sdl("testsprite2", "--renderer opengl --blend blend"),
    *(_sdl(name) for name in ("testdraw2", "testgeometry", "testrendertarget", "testscale")),
    *(_sdl(name, "") for name in ("testyuv", "teststreaming")),
    *(_osg(f"osg{name}") for name in (
        "animate billboard geometry hangglide light particle planets spotlight teapot text "
        "texture3D texturerectangle tessellate shape prerendercubemap "
        "packeddepthstencil multiplerendertargets vertexprogram"
    ).split()),
)  # fmt: skip
"""Games and demos of the list of real programs that need no more than OpenGL 1.5 (osgvertexprogram:
ARB programs), but for one that shows a single frame (glxdemo) and one that shows nothing
(osgfadetext without a model)."""


def _glmark2(name: str, scene: str) -> Listed:
    command = f"glmark2 --size {{size}} --benchmark {scene}:duration=30.0"
    return Listed(name, command, ("glmark2-x11",))


#: what glmark2 runs when it isn't told what to run
GLMARK2 = tuple(
    _glmark2(name, scene)
    for name, scene in (
        ("build", "build:use-vbo=false"),
        ("build-vbo", "build:use-vbo=true"),
        ("texture-nearest", "texture:texture-filter=nearest"),
        ("texture-linear", "texture:texture-filter=linear"),
        ("texture-mipmap", "texture:texture-filter=mipmap"),
        ("shading-gouraud", "shading:shading=gouraud"),
        ("shading-blinn-phong", "shading:shading=blinn-phong-inf"),
        ("shading-phong", "shading:shading=phong"),
        ("shading-cel", "shading:shading=cel"),
        ("bump-high-poly", "bump:bump-render=high-poly"),
        ("bump-normals", "bump:bump-render=normals"),
        ("bump-height", "bump:bump-render=height"),
        ("effect2d-edge", "effect2d:kernel=0,1,0;1,-4,1;0,1,0;"),
        ("effect2d-blur", "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;"),
        ("pulsar", "pulsar:light=false:quads=5:texture=false"),
        ("desktop-blur", "desktop:blur-radius=5:effect=blur:passes=1:separable=true:windows=4"),
        ("desktop-shadow", "desktop:effect=shadow:windows=4"),
        ("buffer-map", "buffer:columns=200:interleave=false:update-dispersion=0.9"
         ":update-fraction=0.5:update-method=map"),
        ("buffer-subdata", "buffer:columns=200:interleave=false:update-dispersion=0.9"
         ":update-fraction=0.5:update-method=subdata"),
        ("buffer-interleaved", "buffer:columns=200:interleave=true:update-dispersion=0.9"
         ":update-fraction=0.5:update-method=map"),
        ("ideas", "ideas:speed=duration"),
        ("jellyfish", "jellyfish"),
        ("terrain", "terrain"),
        ("shadow", "shadow"),
        ("refract", "refract"),
        ("conditionals", "conditionals:fragment-steps=0:vertex-steps=0"),
        ("conditionals-fragment", "conditionals:fragment-steps=5:vertex-steps=0"),
        ("conditionals-vertex", "conditionals:fragment-steps=0:vertex-steps=5"),
        ("function-low", "function:fragment-complexity=low:fragment-steps=5"),
        ("function-medium", "function:fragment-complexity=medium:fragment-steps=5"),
        ("loop", "loop:fragment-loop=false:fragment-steps=5:vertex-steps=5"),
        ("loop-fragment", "loop:fragment-steps=5:fragment-uniform=false:vertex-steps=5"),
        ("loop-uniform", "loop:fragment-steps=5:fragment-uniform=true:vertex-steps=5"),
    )
)  # fmt: skip


def _python(name: str, folder: str, file: str, *needs: str) -> Listed:
    """A Python program of the folder of such (`apps_folder` of scripts/host.py), where its packages
    are in an environment, venv."""
    return Listed(name, f"{{apps}}/venv/bin/python {file}", needs, folder=folder)


_DEMOS = "{apps}/pysrc/PyOpenGL-Demo-3.1.1/OpenGL_Demo"
SHADERS = (
    *(_osg(f"osg{name}") for name in (
        "pointsprite shadow simpleshaders shaders vertexprogram widgetshader forest shaderterrain "
        "texture2DArray virtualprogram particleeffects"
    ).split()),
    _python("vispy_volume", "", f"{_CLIENTS}/vispy_volume.py glfw"),
    *(_python(name, f"{_DEMOS}/{folder}", f"{name}.py", "freeglut3-dev") for folder, name in (
        ("GLUT", "shader_test"), ("GLUT", "gears"), ("da", "dots"), ("NeHe", "lesson5"),
        ("NeHe", "lesson26"), ("NeHe", "lesson41"), ("proesch/colorCube", "colorCube"),
    )),
)  # fmt: skip
"""Programs with shaders in OpenGL 2.x, and those of Python's packages that need no more than it."""

_PYGLET = "{apps}/pysrc/pyglet-2.1.19/examples"
CORE = (
    _python("moderngl_scene", "", f"{_CLIENTS}/moderngl_scene.py"),
    _python("vtk_scene", "", f"{_CLIENTS}/vtk_scene.py"),
    _python("hello_world", _PYGLET, "hello_world.py"),
    _python("torus", f"{_PYGLET}/opengl", "torus.py"),
    _python("minimal_shader", f"{_PYGLET}/opengl", "minimal_shader.py"),
    _python("glcube", "", "-m pygame.examples.glcube"),
)
"""Programs that ask for a core profile of OpenGL 3.2 or 3.3."""

LISTS = {"hacks": HACKS, "more-hacks": MORE_HACKS, "games": GAMES, "glmark2": GLMARK2,
         "shaders": SHADERS, "core": CORE}  # fmt: skip
