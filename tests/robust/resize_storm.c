/* SPDX-License-Identifier: MIT */
/* A second client gives the window a new size hundreds of times while frames are drawn; argument:
 * how many times. Afterwards a frame at the last size must be right. */
#include "rig.h"

static Window window;
static int resizes = 300;
static _Atomic int done;

static void *storm(void *unused)
{
    (void) unused;
    Display *display = XOpenDisplay(NULL);
    unsigned seed = 7;
    for (int i = 0; i < resizes; i++) {
        int tiny = i % 16 == 0, big = i % 16 == 1;
        int width = tiny ? 1 : big ? 1200 : 1 + rand_r(&seed) % 600;
        int height = tiny ? 1 + i % 3 : big ? 900 : 1 + rand_r(&seed) % 600;
        XResizeWindow(display, window, width, height);
        if (i % 7 == 0)
            XMoveWindow(display, window, rand_r(&seed) % 100 - 50, 0);
        XFlush(display);
        usleep(rand_r(&seed) % 3000);
    }
    XMoveResizeWindow(display, window, 0, 0, 333, 222);
    XSync(display, False);
    XCloseDisplay(display);
    done = 1;
    return NULL;
}

int main(int count, char **arguments)
{
    if (count > 1)
        resizes = atoi(arguments[1]);
    XInitThreads();
    XSetErrorHandler(count_error);
    Rig rig = make_rig(200, 200);
    window = rig.window;
    pthread_t thread;
    pthread_create(&thread, NULL, storm, NULL);
    int width = 200, height = 200, frames = 0, after = 0;
    while (after < 5) {
        after += done;
        while (XPending(rig.display)) {
            XEvent event;
            XNextEvent(rig.display, &event);
            if (event.type == ConfigureNotify) {
                width = event.xconfigure.width;
                height = event.xconfigure.height;
            }
        }
        draw_frame(width, height);
        if (frames % 5 == 0) {
            unsigned char pixel[4];
            glReadPixels(width / 2, height / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        }
        glXSwapBuffers(rig.display, rig.window);
        frames++;
    }
    pthread_join(thread, NULL);
    XSync(rig.display, False);
    while (XPending(rig.display)) {
        XEvent event;
        XNextEvent(rig.display, &event);
    }
    rig.width = 333;
    rig.height = 222;
    whole_frame(&rig);
    expect_error(GL_NO_ERROR);
    if (x_errors)
        fail("%d X errors", x_errors);
    printf("ok: %d frames\n", frames);
    drop_rig(&rig);
    return 0;
}
