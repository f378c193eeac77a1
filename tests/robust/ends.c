/* SPDX-License-Identifier: MIT */
/* Ends that no manual mentions; the argument picks one. The exit status is 5 each time. */
#define _GNU_SOURCE
#include "rig.h"
#include <dlfcn.h>

#include <signal.h>
#include <sys/wait.h>

static Rig rig;

static void *draw_for_ever(void *unused)
{
    (void) unused;
    Rig mine = make_rig(300, 300);
    for (;;) {
        draw_frame(300, 300);
        glXSwapBuffers(mine.display, mine.window);
    }
    return NULL;
}

/* A child is born while threads of the driver run; it calls GL and exits with its handlers. */
static void forks(void)
{
    for (int i = 0; i < 5; i++) {
        whole_frame(&rig);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            glClear(GL_COLOR_BUFFER_BIT);
            glFinish();
            if (glGetString(GL_VENDOR) && 0)
                puts("?");
            exit(3);
        }
        int status;
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
            fail("child %d ended with status 0x%x", i, status);
        whole_frame(&rig);
    }
}

/* main returns while another thread is in the middle of a frame. */
static void exit_while_drawing(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, draw_for_ever, NULL);
    usleep(700000);
}

/* A thread ends with its context current, another one takes the context over. */
static void *end_with_current(void *unused)
{
    (void) unused;
    glXMakeCurrent(rig.display, rig.window, rig.context);
    whole_frame(&rig);
    return NULL;
}

static void thread_ends(void)
{
    pthread_t thread;
    glXMakeCurrent(rig.display, None, NULL);
    for (int i = 0; i < 50; i++) {
        pthread_create(&thread, NULL, end_with_current, NULL);
        pthread_join(thread, NULL);
    }
    GLXContext fresh = glXCreateContext(rig.display, rig.visual, NULL, True);
    if (!glXMakeCurrent(rig.display, rig.window, fresh))
        fail("no context after threads ended");
    whole_frame(&rig);
}

/* Displays are closed with everything still there, again and again. */
static void close_display(void)
{
    long before = 0;
    int files = 0;
    for (int i = 0; i < 120; i++) {
        whole_frame(&rig);
        if (i % 3 == 0)
            glXMakeCurrent(rig.display, None, NULL);
        if (i % 3 != 2 || i > 60) /* what the program never gives back is its own leak */
            glXDestroyContext(rig.display, rig.context); /* one that is current lives on */
        XCloseDisplay(rig.display);
        if (i % 3 == 0)
            glFinish();
        rig = make_rig(100, 100);
        if (i == 60) {
            before = resident();
            files = dup(0);
            close(files);
        }
    }
    int now_free = dup(0);
    close(now_free);
    if (now_free > files + 2)
        fail("%d open files more", now_free - files);
    long grown = resident() - before;
    if (grown > 6 << 20)
        fail("%ld KiB grown in 60 displays", grown / 1024);
}

/* A context draws on when its display is closed and what was of the display has been let go. */
static void *draw_with_own(void *unused)
{
    (void) unused;
    Rig other = make_rig(300, 300);
    whole_frame(&other);
    return NULL;
}

static void draws_on(void)
{
    for (int i = 0; i < 20; i++) {
        rig = make_rig(300, 200);
        whole_frame(&rig);
        XCloseDisplay(rig.display);
        pthread_t thread; /* it meets the closed display and buries it */
        pthread_create(&thread, NULL, draw_with_own, NULL);
        pthread_join(thread, NULL);
        for (int k = 0; k < 10; k++) {
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
            glEnable(GL_DEPTH_TEST);
            draw_frame(300, 200);
            square(-1, -1, 1, 1, 0.5f);
            unsigned char pixel[4];
            glReadPixels(150, 100, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        }
        glFinish();
    }
}

/* Objects that come and go: lists, buffers, windows. */
static void objects(void)
{
    static char data[65536];
    long before = 0;
    for (int i = 0; i < 3000; i++) {
        GLuint lists = glGenLists(3), buffers[3];
        for (int k = 0; k < 3; k++) {
            glNewList(lists + k, GL_COMPILE);
            for (int n = 0; n < 10; n++)
                square(-1, -1, 1, 1, 0.1f * n);
            glEndList();
        }
        glDeleteLists(lists, 3);
        glGenBuffers(3, buffers);
        for (int k = 0; k < 3; k++) {
            glBindBuffer(GL_ARRAY_BUFFER, buffers[k]);
            glBufferData(GL_ARRAY_BUFFER, sizeof data >> k, data, GL_STREAM_DRAW);
            glBufferData(GL_ARRAY_BUFFER, sizeof data, NULL, GL_STREAM_DRAW);
        }
        glDeleteBuffers(3, buffers);
        if (i % 20 == 0) {
            Window window = make_window(&rig, 64 + i % 100, 64);
            glXMakeCurrent(rig.display, window, rig.context);
            glClear(GL_COLOR_BUFFER_BIT);
            glXSwapBuffers(rig.display, window);
            glXMakeCurrent(rig.display, rig.window, rig.context);
            XDestroyWindow(rig.display, window);
        }
        if (i == 1000)
            before = resident();
    }
    long grown = resident() - before;
    if (grown > 4 << 20)
        fail("%ld KiB grown", grown / 1024);
    whole_frame(&rig);
}

/* The signal that ends programs arrives in the middle of frames, and a handler calls exit(). */
static void on_alarm(int signal)
{
    (void) signal;
    puts("ok");
    exit(5);
}

static void handler_exits(void)
{
    signal(SIGALRM, on_alarm);
    ualarm(300000, 0);
    for (;;)
        whole_frame(&rig);
}

/* What was drawn is compiled again in the background, better, some time after; the end comes so many
   milliseconds later. */
static int delay;

static void linger(void) { usleep(100000); }

/* Wait for llvm_loads.c to say that LLVM is being loaded, and `delay` milliseconds more (negative: until it is
 * there). Says which of the two it is. */
static void wait_for_llvm(volatile int *state)
{
    for (int i = 0; i < 600000 && *state < (delay < 0 ? 2 : 1); i++)
        usleep(100);
    usleep(delay < 0 ? 0 : 1000 * delay);
    puts(*state == 0 ? "before" : *state == 1 ? "while" : "after");
}

static void while_improving(void)
{
    atexit(linger); /* comes after the destructors of what is loaded later */
    static const GLfloat plane[] = {0.25f, 0.5f, 0.125f, 0};
    glTexGenfv(GL_S, GL_OBJECT_PLANE, plane);
    glEnable(GL_TEXTURE_GEN_S);
    glEnable(GL_TEXTURE_1D);
    glTexImage1D(GL_TEXTURE_1D, 0, GL_LUMINANCE4_ALPHA4, 4, 0, GL_RGBA, GL_FLOAT, (GLfloat[16]) {1});
    glTexParameteri(GL_TEXTURE_1D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glEnable(GL_FOG);
    glFogi(GL_FOG_MODE, GL_EXP2);
    glEnable(GL_BLEND);
    glBlendFunc(GL_DST_ALPHA, GL_ONE_MINUS_SRC_COLOR);
    for (int i = 0; i < 40; i++) { /* each change of state is one more use of the code */
        (i & 1 ? glEnable : glDisable)(GL_FOG);
        square(-1, -1, 1, 1, 0.01f * i);
    }
    glFinish();
    volatile int *state = dlsym(RTLD_DEFAULT, "llvm_state");
    if (state)
        wait_for_llvm(state);
}

int main(int count, char **arguments)
{
    delay = count > 2 ? atoi(arguments[2]) : 0;
    static const struct { const char *name; void (*run)(void); } ends[] = {
        {"forks", forks}, {"exit_while_drawing", exit_while_drawing}, {"thread_ends", thread_ends},
        {"close_display", close_display}, {"draws_on", draws_on},
        {"objects", objects}, {"handler_exits", handler_exits},
        {"while_improving", while_improving}};
    XInitThreads();
    rig = make_rig(100, 100);
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        if (count > 1 && !strcmp(arguments[1], ends[i].name)) {
            ends[i].run();
            puts("ok");
            return 5;
        }
    fail("which end?");
}
