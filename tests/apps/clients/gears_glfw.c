/* SPDX-License-Identifier: MIT */
/* Gears through GLFW, which opens libGL itself. Argument: after how many frames to end. */
#include <GLFW/glfw3.h>
#include "gears.h"
#include <stdio.h>
#include <stdlib.h>

static void complain(int code, const char *text)
{
    fprintf(stderr, "glfw: %d %s\n", code, text);
}

int main(int count, char **arguments)
{
    int last = count > 1 ? atoi(arguments[1]) : 0;
    glfwSetErrorCallback(complain);
    if (!glfwInit())
        return 2;
    GLFWwindow *window = glfwCreateWindow(400, 300, "gears", NULL, NULL);
    if (!window)
        return 3;
    glfwMakeContextCurrent(window);
    glfwSwapInterval(0);
    make_gears();
    for (int frame = 0; !glfwWindowShouldClose(window) && (!last || frame < last); frame++) {
        int width, height;
        glfwGetFramebufferSize(window, &width, &height);
        draw_gears(width, height, frame * 0.5f);
        glfwSwapBuffers(window);
        glfwPollEvents();
    }
    glfwDestroyWindow(window);
    glfwTerminate();
    return 0;
}
