/* SPDX-License-Identifier: MIT */
/* The window goes away between draw and swap: by the program, by another client, and while nothing
 * is current. Each time the context must be usable in a new window, and no X error may come out. */
#include "rig.h"

static void by_another_client(Window window)
{
    Display *other = XOpenDisplay(NULL);
    XDestroyWindow(other, window);
    XSync(other, False);
    XCloseDisplay(other);
}

static void new_window(Rig *rig)
{
    rig->window = make_window(rig, rig->width, rig->height);
    if (!glXMakeCurrent(rig->display, rig->window, rig->context))
        fail("the new window cannot be made current");
    whole_frame(rig);
}

int main(void)
{
    XSetErrorHandler(count_error);
    Rig rig = make_rig(160, 120);
    whole_frame(&rig);
    for (int round = 0; round < 12; round++) {
        draw_frame(rig.width, rig.height);
        if (round % 3 == 0) {
            XDestroyWindow(rig.display, rig.window);
            if (round % 2)
                XSync(rig.display, False);
        } else if (round % 3 == 1) {
            by_another_client(rig.window);
        } else {
            glXMakeCurrent(rig.display, None, NULL);
            by_another_client(rig.window);
        }
        glXSwapBuffers(rig.display, rig.window);
        draw_frame(rig.width, rig.height);
        glFinish();
        glXSwapBuffers(rig.display, rig.window);
        glXSwapBuffers(rig.display, rig.window);
        XSync(rig.display, False);
        /* GLX says BadWindow or GLXBadDrawable for a swap without a context; a current one is spared */
        if (round % 3 != 2 && x_errors)
            fail("round %d: %d X errors", round, x_errors);
        x_errors = 0;
        new_window(&rig);
    }
    /* a context goes before its window's last frame is shown, and the window after it */
    draw_frame(rig.width, rig.height);
    glXDestroyContext(rig.display, rig.context);
    glXSwapBuffers(rig.display, rig.window);
    check_frame(&rig, rig.width, rig.height);
    XDestroyWindow(rig.display, rig.window);
    glXMakeCurrent(rig.display, None, NULL);
    XSync(rig.display, False);
    if (x_errors)
        fail("%d X errors at the end", x_errors);
    XCloseDisplay(rig.display);
    puts("ok");
    return 0;
}
