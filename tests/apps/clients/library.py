# SPDX-License-Identifier: MIT
"""One of Python's libraries that draw draws its scene: `library.py LIBRARY SURFACE OUT.png`.

SURFACE is "window" (an X server), "egl" or "osmesa" (no display). The picture is written to a file,
and a line says what happened: which version of GL drew, seconds up to the first picture and
milliseconds of a further frame (of the clock, which started at the moment that BEGUN holds, and of
the CPU), how many draws our driver counted in this process, and GL libraries of others that are
mapped. The environment says whose GL that is; a library that takes its surface from the
environment, too, finds it set (scripts/run_libraries.py).
"""

import json
import math
import os
import sys
import time

WIDTH, HEIGHT, FRAMES = 320, 240, 20
CORNERS = [(math.cos(a), math.sin(a)) for a in (0.4, 2.5, 4.6)]
COLORS = ((1.0, 0.2, 0.1), (0.1, 0.9, 0.3), (0.2, 0.3, 1.0))


def fixed_function(gl):
    """A triangle of three colours and two smooth lines, by OpenGL 1's calls; `gl` is PyOpenGL's."""
    gl.glViewport(0, 0, WIDTH, HEIGHT)
    gl.glClearColor(0.1, 0.1, 0.2, 1)
    gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
    gl.glBegin(gl.GL_TRIANGLES)
    for corner, color in zip(CORNERS, COLORS):
        gl.glColor3f(*color)
        gl.glVertex2f(*(0.9 * v for v in corner))
    gl.glEnd()


def read_pixels(gl):
    """What was drawn, from the top row down."""
    import numpy as np

    gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
    data = gl.glReadPixels(0, 0, WIDTH, HEIGHT, gl.GL_RGB, gl.GL_UNSIGNED_BYTE)
    return np.frombuffer(bytes(data), np.uint8).reshape(HEIGHT, WIDTH, 3)[::-1]


def pyopengl_version():
    from OpenGL import GL

    return GL.glGetString(GL.GL_VERSION).decode()


def plain(swap=lambda: None):
    """Frame, picture and version of a library that makes a context and nothing else."""
    from OpenGL import GL

    def frame():
        fixed_function(GL)
        GL.glFinish()

    def picture():
        pixels = read_pixels(GL)
        swap()
        return pixels

    return frame, picture, pyopengl_version


# -- libraries -------------------------------------------------------------------------------------
# Each is called with the kind of surface, and gives three functions: draw a frame, read its picture
# (rows of RGB from the top down), say which version of GL that is.


def pyopengl(surface):
    from OpenGL import GL

    if surface == "osmesa":
        from OpenGL import arrays, osmesa

        buffer = arrays.GLubyteArray.zeros((HEIGHT, WIDTH, 4))
        context = osmesa.OSMesaCreateContextExt(osmesa.OSMESA_RGBA, 24, 8, 0, None)
        assert osmesa.OSMesaMakeCurrent(context, buffer, GL.GL_UNSIGNED_BYTE, WIDTH, HEIGHT)
        plain.kept = context, buffer
    elif surface == "egl":
        from OpenGL import EGL

        display = EGL.eglGetDisplay(EGL.EGL_DEFAULT_DISPLAY)
        assert EGL.eglInitialize(display, EGL.EGLint(), EGL.EGLint())
        config, count = (EGL.EGLConfig * 1)(), EGL.EGLint()
        wanted = [EGL.EGL_SURFACE_TYPE, EGL.EGL_PBUFFER_BIT, EGL.EGL_RENDERABLE_TYPE,
                  EGL.EGL_OPENGL_BIT, EGL.EGL_DEPTH_SIZE, 24, EGL.EGL_RED_SIZE, 8,
                  EGL.EGL_GREEN_SIZE, 8, EGL.EGL_BLUE_SIZE, 8, EGL.EGL_NONE]  # fmt: skip
        EGL.eglChooseConfig(display, wanted, config, 1, count)
        EGL.eglBindAPI(EGL.EGL_OPENGL_API)
        size = [EGL.EGL_WIDTH, WIDTH, EGL.EGL_HEIGHT, HEIGHT, EGL.EGL_NONE]
        surface = EGL.eglCreatePbufferSurface(display, config[0], size)
        context = EGL.eglCreateContext(display, config[0], EGL.EGL_NO_CONTEXT, None)
        assert EGL.eglMakeCurrent(display, surface, surface, context)
    else:
        from OpenGL import GLUT

        GLUT.glutInit([])
        GLUT.glutInitDisplayMode(GLUT.GLUT_RGBA | GLUT.GLUT_DOUBLE | GLUT.GLUT_DEPTH)
        GLUT.glutInitWindowSize(WIDTH, HEIGHT)
        GLUT.glutCreateWindow(b"library")
        GLUT.glutDisplayFunc(lambda: None)
        for _ in range(3):
            GLUT.glutMainLoopEvent()
        return plain(GLUT.glutSwapBuffers)
    return plain()


def moderngl(surface):
    import moderngl as module
    import numpy as np

    backend = {"backend": "egl"} if surface == "egl" else {}
    context = module.create_context(standalone=True, require=330, **backend)
    program = context.program(
        vertex_shader="#version 330\nin vec2 at; in vec3 color; out vec3 tint;"
        "void main() { tint = color; gl_Position = vec4(0.9 * at, 0, 1); }",
        fragment_shader="#version 330\nin vec3 tint; out vec4 pixel;"
        "void main() { pixel = vec4(tint, 1); }",
    )
    data = np.array([(*at, *color) for at, color in zip(CORNERS, COLORS)], np.float32)
    triangle = context.vertex_array(program, context.buffer(data.tobytes()), "at", "color")
    target = context.simple_framebuffer((WIDTH, HEIGHT))
    target.use()

    def frame():
        target.clear(0.1, 0.1, 0.2, 1)
        triangle.render(module.TRIANGLES)
        context.finish()

    def picture():
        return np.frombuffer(target.read(), np.uint8).reshape(HEIGHT, WIDTH, 3)[::-1]

    return frame, picture, lambda: context.info["GL_VERSION"]


def pyglet(surface):
    import numpy as np
    import pyglet as module

    module.options["headless"] = surface == "egl"
    window = module.window.Window(WIDTH, HEIGHT)
    batch = module.graphics.Batch()
    kept = [
        module.shapes.Circle(160, 120, 80, color=(230, 60, 40), batch=batch),
        module.shapes.Rectangle(40, 40, 90, 60, color=(40, 200, 90), batch=batch),
        module.shapes.Line(10, 230, 310, 20, 5, color=(90, 120, 255), batch=batch),
    ]

    def frame():
        window.switch_to()
        window.clear()
        batch.draw()
        module.gl.glFinish()

    def picture():
        buffer = module.image.get_buffer_manager().get_color_buffer().get_image_data()
        data = np.frombuffer(buffer.get_data("RGB", -3 * WIDTH), np.uint8)
        window.flip()
        return data.reshape(HEIGHT, WIDTH, 3)

    frame.kept = kept
    return frame, picture, lambda: module.gl.gl_info.get_version_string()


def glfw(surface):
    import glfw as module

    apis = {"window": module.NATIVE_CONTEXT_API, "egl": module.EGL_CONTEXT_API,
            "osmesa": module.OSMESA_CONTEXT_API}  # fmt: skip
    if surface == "osmesa":  # EGL finds no config without a display, with Mesa neither
        module.init_hint(module.PLATFORM, module.PLATFORM_NULL)
    assert module.init()
    module.window_hint(module.CONTEXT_CREATION_API, apis[surface])
    window = module.create_window(WIDTH, HEIGHT, "library", None, None)
    assert window, module.get_error()
    module.make_context_current(window)
    return plain(lambda: module.swap_buffers(window))


def pygame(surface):
    import pygame as module

    module.display.init()
    module.display.set_mode((WIDTH, HEIGHT), module.OPENGL | module.DOUBLEBUF)
    return plain(module.display.flip)


def vispy(surface):
    import numpy as np
    from vispy import app, gloo

    app.use_app({"window": "glfw"}.get(surface, surface))
    canvas = app.Canvas(size=(WIDTH, HEIGHT), show=True)
    canvas.set_current()
    program = gloo.Program(
        "attribute vec2 at; attribute vec3 color; varying vec3 tint;"
        "void main() { tint = color; gl_Position = vec4(0.9 * at, 0.0, 1.0); }",
        "varying vec3 tint; void main() { gl_FragColor = vec4(tint, 1.0); }",
    )
    program["at"] = np.array(CORNERS, np.float32)
    program["color"] = np.array(COLORS, np.float32)

    def frame():
        canvas.set_current()
        gloo.set_viewport(0, 0, WIDTH, HEIGHT)
        gloo.clear((0.1, 0.1, 0.2, 1))
        program.draw("triangles")
        gloo.finish()

    def picture():
        pixels = gloo.read_pixels((0, 0, WIDTH, HEIGHT))[:, :, :3]
        canvas.swap_buffers()
        return pixels

    frame.kept = canvas
    return frame, picture, lambda: gloo.gl.glGetParameter(gloo.gl.GL_VERSION)


def panda3d(surface):
    import numpy as np
    from panda3d.core import load_prc_file_data

    module = {"window": "pandagl", "egl": "p3headlessgl"}[surface]
    kind = {"window": "onscreen", "egl": "offscreen"}[surface]
    load_prc_file_data("", f"load-display {module}\nwindow-type {kind}\nwin-size {WIDTH} {HEIGHT}\n"
                           "audio-library-name null\nsync-video false\naux-display\n")  # fmt: skip
    from direct.showbase.ShowBase import ShowBase

    base = ShowBase()
    model = base.loader.load_model("models/panda")
    model.reparent_to(base.render)
    base.disable_mouse()
    base.camera.set_pos(14, -26, 9)
    base.camera.look_at(0, 0, 6)

    def picture():
        texture = base.win.get_screenshot()
        data = np.frombuffer(texture.get_ram_image_as("RGB"), np.uint8)
        return data.reshape(texture.get_y_size(), texture.get_x_size(), 3)[::-1]

    gsg = base.win.get_gsg()
    return base.graphicsEngine.render_frame, picture, lambda: gsg.driver_version


MUJOCO = """
<mujoco><visual><quality shadowsize="512"/></visual>
<asset><texture name="grid" type="2d" builtin="checker" rgb1=".2 .3 .4" rgb2=".7 .8 .9"
 width="128" height="128"/><material name="grid" texture="grid" texrepeat="5 5"/></asset>
<worldbody><light pos="1 -1 3" dir="-.3 .3 -1"/><geom type="plane" size="2 2 .1" material="grid"/>
<body pos="0 0 .6"><geom type="capsule" size=".15 .4" euler="40 20 0" rgba=".9 .3 .2 1"/></body>
<body pos=".7 .2 .3"><geom type="box" size=".2 .2 .3" rgba=".2 .6 .9 1"/></body>
</worldbody></mujoco>
"""


def mujoco(surface):
    import mujoco as module
    from OpenGL import GL

    model = module.MjModel.from_xml_string(MUJOCO)
    data = module.MjData(model)
    module.mj_forward(model, data)
    renderer = module.Renderer(model, HEIGHT, WIDTH)
    renderer.update_scene(data)
    return renderer.render, renderer.render, lambda: GL.glGetString(GL.GL_VERSION).decode()


def vtk(surface):
    import numpy as np
    import vtk as module
    from vtk.util.numpy_support import vtk_to_numpy

    sphere = module.vtkSphereSource()
    sphere.SetThetaResolution(40)
    sphere.SetPhiResolution(30)
    heights = module.vtkElevationFilter()
    heights.SetInputConnection(sphere.GetOutputPort())
    heights.SetLowPoint(0, -0.5, 0)
    heights.SetHighPoint(0, 0.5, 0)
    mapper = module.vtkPolyDataMapper()
    mapper.SetInputConnection(heights.GetOutputPort())
    actor = module.vtkActor()
    actor.SetMapper(mapper)
    renderer = module.vtkRenderer()
    renderer.AddActor(actor)
    renderer.SetBackground(0.1, 0.1, 0.2)
    window = module.vtkRenderWindow()
    window.SetOffScreenRendering(surface != "window")
    window.SetSize(WIDTH, HEIGHT)
    window.SetMultiSamples(0)
    window.AddRenderer(renderer)

    def picture():
        grab = module.vtkWindowToImageFilter()
        grab.SetInput(window)
        grab.ReadFrontBufferOff()
        grab.Update()
        data = vtk_to_numpy(grab.GetOutput().GetPointData().GetScalars())
        return data.reshape(HEIGHT, WIDTH, -1)[::-1, :, :3].astype(np.uint8)

    def version():
        told = window.ReportCapabilities()
        return next(line for line in told.splitlines() if "version string" in line).split(": ")[1]

    return window.Render, picture, version


def pyvista(surface):
    import pyvista as module

    plotter = module.Plotter(off_screen=surface != "window", window_size=(WIDTH, HEIGHT))
    plotter.add_mesh(module.ParametricTorus(), color="tan", smooth_shading=True)
    plotter.add_mesh(module.Cube(center=(0, 0, 0.8), x_length=0.6), color="teal", show_edges=True)
    plotter.set_background((0.1, 0.1, 0.2))
    plotter.show(auto_close=False, interactive_update=surface == "window", interactive=False)

    def version():
        told = plotter.render_window.ReportCapabilities()
        return next(line for line in told.splitlines() if "version string" in line).split(": ")[1]

    return (plotter.render_window.Render,
            lambda: plotter.screenshot(return_img=True)[:, :, :3], version)  # fmt: skip


def pyrender(surface):
    import numpy as np

    np.infty = np.inf  # the newest pyrender is older than numpy 2
    import pyrender as module
    import trimesh

    scene = module.Scene(bg_color=(25, 25, 50, 255), ambient_light=(0.2, 0.2, 0.2))
    shape = trimesh.creation.icosphere(subdivisions=3, radius=0.6)
    material = module.MetallicRoughnessMaterial(
        baseColorFactor=(0.8, 0.3, 0.2, 1), roughnessFactor=0.4
    )
    scene.add(module.Mesh.from_trimesh(shape, material=material, smooth=True))
    pose = np.eye(4)
    pose[2, 3] = 2
    scene.add(module.PerspectiveCamera(yfov=0.8), pose=pose)
    scene.add(module.DirectionalLight(intensity=4), pose=pose)
    renderer = module.OffscreenRenderer(WIDTH, HEIGHT)

    def frame():
        frame.color, _ = renderer.render(scene)

    return frame, lambda: frame.color, lambda: "core 3.3 (it asks for 4.1)"


def pyside6(surface):
    from OpenGL import GL
    from PySide6 import QtGui, QtWidgets
    from PySide6.QtOpenGLWidgets import QOpenGLWidget

    class Widget(QOpenGLWidget):
        version = ""

        def paintGL(self):
            fixed_function(GL)
            Widget.version = Widget.version or pyopengl_version()

    wanted = QtGui.QSurfaceFormat()
    wanted.setSwapInterval(0)
    QtGui.QSurfaceFormat.setDefaultFormat(wanted)
    app = QtWidgets.QApplication([])
    widget = Widget()
    widget.resize(WIDTH, HEIGHT)
    widget.show()

    def frame():
        widget.update()
        app.processEvents()

    def picture():
        import numpy as np

        image = widget.grabFramebuffer().convertToFormat(QtGui.QImage.Format_RGB888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(HEIGHT, image.bytesPerLine())
        return rows[:, : 3 * WIDTH].reshape(HEIGHT, WIDTH, 3)

    frame.kept = widget, app
    return frame, picture, lambda: Widget.version


# -- the program -----------------------------------------------------------------------------------

LIBRARIES = {function.__name__: function for function in (
    pyopengl, moderngl, pyglet, glfw, pygame, vispy, panda3d, mujoco, vtk, pyvista, pyrender,
    pyside6)}  # fmt: skip


def driver():
    """Draws that our driver counted in this process, and other GL libraries beside it."""
    stats = sys.modules.get("pydri.util.stats")  # it is in this interpreter, if it is at work
    if stats is None:
        return 0, []
    from pydri.tools.load import foreign_libraries
    from pydri.util import place

    return stats.stats()["total"]["draws"], foreign_libraries(os.path.realpath(place.libdir()))


def main(library, surface, out):
    import numpy as np

    from pydri.tools.png import Image, encode

    frame, picture, version = LIBRARIES[library](surface)
    frame()
    rows = np.ascontiguousarray(picture())
    first, first_cpu = time.monotonic() - float(os.environ["BEGUN"]), time.process_time()
    with open(out, "wb") as file:
        file.write(encode(Image(rows.shape[1], rows.shape[0], rows.tobytes())))
    begin, begin_cpu = time.monotonic(), time.process_time()
    for _ in range(FRAMES):
        frame()
    each = 1000 * (time.monotonic() - begin) / FRAMES
    each_cpu = 1000 * (time.process_time() - begin_cpu) / FRAMES
    draws, foreign = driver()
    print(json.dumps({"version": version(), "start": first, "start_cpu": first_cpu,
                      "frame": each, "frame_cpu": each_cpu, "draws": draws, "foreign": foreign}),
          flush=True)  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
