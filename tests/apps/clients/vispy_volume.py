# SPDX-License-Identifier: MIT
"""A scene of vispy's: a volume, markers, axes and text, turned by some degrees each frame (GLSL
1.20). Its argument is the window library, glfw if there is none."""

import sys

import numpy as np
from vispy import app, scene

app.use_app(sys.argv[1] if len(sys.argv) > 1 else "glfw")
canvas = scene.SceneCanvas(size=(800, 600), show=True, vsync=False, keys=None)
grid = canvas.central_widget.add_grid()
left, right = grid.add_view(0, 0), grid.add_view(0, 1)
x, y, z = np.mgrid[-1:1:32j, -1:1:32j, -1:1:32j]
density = np.exp(-4 * (x * x + y * y + z * z)).astype("f4")
scene.visuals.Volume(density, parent=left.scene, method="mip")
left.camera = "turntable"
points = np.random.RandomState(1).normal(size=(2000, 3))
scene.visuals.Markers(pos=points, size=6, face_color=(1, 0.5, 0.2, 0.7), parent=right.scene)
scene.visuals.XYZAxis(parent=right.scene)
right.camera = "turntable"
scene.visuals.Text("vispy", parent=right.scene, color="white", font_size=30)


def tick(event: object) -> None:
    """Turn both views."""
    left.camera.azimuth += 1
    right.camera.azimuth += 1
    canvas.update()


timer = app.Timer(0, connect=tick, start=True)
app.run()
