# SPDX-License-Identifier: MIT
"""Gears through PyOpenGL's GLUT. Argument: after how many frames to end (default: never)."""

import math
import sys

from OpenGL.GL import (
    GL_AMBIENT_AND_DIFFUSE,
    GL_COLOR_BUFFER_BIT,
    GL_COMPILE,
    GL_CULL_FACE,
    GL_DEPTH_BUFFER_BIT,
    GL_DEPTH_TEST,
    GL_FRONT,
    GL_LIGHT0,
    GL_LIGHTING,
    GL_MODELVIEW,
    GL_NORMALIZE,
    GL_POSITION,
    GL_PROJECTION,
    GL_QUAD_STRIP,
    GL_QUADS,
    glBegin,
    glCallList,
    glClear,
    glClearColor,
    glEnable,
    glEnd,
    glEndList,
    glFrustum,
    glGenLists,
    glLightfv,
    glLoadIdentity,
    glMaterialfv,
    glMatrixMode,
    glNewList,
    glNormal3f,
    glPopMatrix,
    glPushMatrix,
    glRotatef,
    glTranslatef,
    glVertex3f,
    glViewport,
)
from OpenGL.GLUT import (
    GLUT_DEPTH,
    GLUT_DOUBLE,
    GLUT_RGB,
    GLUT_WINDOW_HEIGHT,
    GLUT_WINDOW_WIDTH,
    glutCreateWindow,
    glutDisplayFunc,
    glutGet,
    glutIdleFunc,
    glutInit,
    glutInitDisplayMode,
    glutInitWindowSize,
    glutLeaveMainLoop,
    glutMainLoop,
    glutPostRedisplay,
    glutSwapBuffers,
)

# inner and outer radius, width, colour, x, y, speed, phase, teeth
WHEELS = [
    (1.0, 4.0, 1.0, (0.8, 0.1, 0.0, 1.0), -3.0, -2.0, 1, 0, 20),
    (0.5, 2.0, 2.0, (0.0, 0.8, 0.2, 1.0), 3.1, -2.0, -2, -9, 10),
    (1.3, 2.0, 0.5, (0.2, 0.2, 1.0, 1.0), -3.1, 4.2, -2, -25, 10),
]


def wheel(inner: float, outer: float, width: float, teeth: int) -> None:
    """Faces, teeth and hole."""
    corners, z = 4 * teeth, width / 2
    rim = []
    for i in range(corners + 1):
        angle = 2 * math.pi * i / corners
        radius = outer + (0.35 if i % 4 in (1, 2) else -0.35)
        rim.append((math.cos(angle), math.sin(angle), radius))
    for side in (-1, 1):
        glNormal3f(0, 0, side)
        glBegin(GL_QUAD_STRIP)
        for c, s, radius in rim[::side]:
            glVertex3f(inner * c, inner * s, side * z)
            glVertex3f(radius * c, radius * s, side * z)
        glEnd()
    glBegin(GL_QUADS)
    for (c0, s0, r0), (c1, s1, r1) in zip(rim, rim[1:]):
        x0, y0, x1, y1 = r0 * c0, r0 * s0, r1 * c1, r1 * s1
        glNormal3f(y1 - y0, x0 - x1, 0)
        for x, y, depth in ((x0, y0, z), (x0, y0, -z), (x1, y1, -z), (x1, y1, z)):
            glVertex3f(x, y, depth)
    glEnd()
    glBegin(GL_QUAD_STRIP)
    for c, s, _ in rim:
        glNormal3f(-c, -s, 0)
        glVertex3f(inner * c, inner * s, -z)
        glVertex3f(inner * c, inner * s, z)
    glEnd()


class Gears:
    """State between frames."""

    def __init__(self, last: int) -> None:
        self.frames, self.last = 0, last
        glLightfv(GL_LIGHT0, GL_POSITION, (5.0, 5.0, 10.0, 0.0))
        for cap in (GL_CULL_FACE, GL_LIGHTING, GL_LIGHT0, GL_DEPTH_TEST, GL_NORMALIZE):
            glEnable(cap)
        self.lists = glGenLists(len(WHEELS))
        for n, (inner, outer, width, color, *_, teeth) in enumerate(WHEELS):
            glNewList(self.lists + n, GL_COMPILE)
            glMaterialfv(GL_FRONT, GL_AMBIENT_AND_DIFFUSE, color)
            wheel(inner, outer, width, teeth)
            glEndList()

    def draw(self) -> None:
        """One frame."""
        width, height = glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT)
        h = height / width
        glViewport(0, 0, width, height)
        glMatrixMode(GL_PROJECTION)
        glLoadIdentity()
        glFrustum(-1, 1, -h, h, 5, 60)
        glMatrixMode(GL_MODELVIEW)
        glLoadIdentity()
        glTranslatef(0, 0, -40)
        glClearColor(0.05, 0.05, 0.1, 1)
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT)
        glRotatef(20, 1, 0, 0)
        glRotatef(30, 0, 1, 0)
        for n, (_, _, _, _, x, y, speed, phase, _) in enumerate(WHEELS):
            glPushMatrix()
            glTranslatef(x, y, 0)
            glRotatef(speed * self.frames * 0.5 + phase, 0, 0, 1)
            glCallList(self.lists + n)
            glPopMatrix()
        glutSwapBuffers()
        self.frames += 1
        if self.frames == self.last:
            glutLeaveMainLoop()


def main() -> None:
    """Open the window and turn."""
    arguments = glutInit(sys.argv)
    glutInitDisplayMode(GLUT_RGB | GLUT_DEPTH | GLUT_DOUBLE)
    glutInitWindowSize(400, 300)
    glutCreateWindow(b"gears")
    gears = Gears(int(arguments[1]) if len(arguments) > 1 else 0)
    glutDisplayFunc(gears.draw)
    glutIdleFunc(glutPostRedisplay)
    glutMainLoop()


if __name__ == "__main__":
    main()
