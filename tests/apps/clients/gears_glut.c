/* SPDX-License-Identifier: MIT */
/* Gears through GLUT (freeglut). Argument: after how many frames to end (default: never). */
#include <GL/glut.h>
#include "gears.h"
#include <stdlib.h>

static int frames, last;

static void draw(void)
{
    draw_gears(glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT), frames * 0.5f);
    glutSwapBuffers();
    if (++frames == last) {
        glutDestroyWindow(glutGetWindow());
        exit(0);
    }
}

int main(int count, char **arguments)
{
    glutInit(&count, arguments);
    last = count > 1 ? atoi(arguments[1]) : 0;
    glutInitDisplayMode(GLUT_RGB | GLUT_DEPTH | GLUT_DOUBLE);
    glutInitWindowSize(400, 300);
    glutCreateWindow("gears");
    make_gears();
    glutDisplayFunc(draw);
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
    return 0;
}
