/* SPDX-License-Identifier: MIT */
/* Contexts that come and go: current in one thread and destroyed in another, refused where they are
 * current elsewhere, taken away in the middle of a primitive or a list, and thousands of them. */
#include "rig.h"

static Rig rig;
static pthread_barrier_t barrier;

static void *other_thread(void *unused)
{
    (void) unused;
    x_errors = 0;
    if (glXMakeCurrent(rig.display, rig.window, rig.context))
        fail("a context is current in two threads");
    XSync(rig.display, False);
    if (!x_errors)
        fail("no BadAccess");
    x_errors = 0;
    if (glXGetCurrentContext())
        fail("a refused context is current");
    glXDestroyContext(rig.display, rig.context); /* lives until the other thread lets go */
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void destroyed_elsewhere(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    whole_frame(&rig);
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_barrier_wait(&barrier);
    whole_frame(&rig);
    if (glXGetCurrentContext() != rig.context)
        fail("the context is not current any more");
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    whole_frame(&rig);
    glXMakeCurrent(rig.display, None, NULL);
    if (glXGetCurrentContext())
        fail("a context is still current");
    rig.context = glXCreateContext(rig.display, rig.visual, NULL, True);
    if (!glXMakeCurrent(rig.display, rig.window, rig.context))
        fail("no second context");
    whole_frame(&rig);
}

/* Calls without a context do nothing; the context is as it was when it comes back. */
static void none_in_the_middle(void)
{
    float color[4];
    glColor3f(0.25f, 0.5f, 0.75f);
    glXMakeCurrent(rig.display, None, NULL);
    glColor3f(1, 1, 1);
    draw_frame(rig.width, rig.height);
    glFinish();
    if (glGetString(GL_VERSION) || glGetError() || glGenLists(1))
        fail("a call without a context has an effect");
    glXMakeCurrent(rig.display, rig.window, rig.context);
    glGetFloatv(GL_CURRENT_COLOR, color);
    if (color[0] != 0.25f || color[2] != 0.75f)
        fail("the current colour changed without a context");
    whole_frame(&rig);
    for (int round = 0; round < 4; round++) {
        if (round & 1)
            glNewList(5, GL_COMPILE_AND_EXECUTE);
        glBegin(GL_TRIANGLES);
        glVertex2f(0, 0);
        glVertex2f(1, 0);
        glXMakeCurrent(rig.display, None, NULL);
        glVertex2f(1, 1);
        glEnd();
        glEndList();
        glXMakeCurrent(rig.display, rig.window, rig.context);
        glVertex2f(0, 1);
        glEnd(); /* closes the primitive where it is still open, else GL_INVALID_OPERATION */
        if (round & 1)
            glEndList();
        while (glGetError())
            ;
        whole_frame(&rig);
        expect_error(GL_NO_ERROR);
    }
}

static void thousands(int count)
{
    long before = 0;
    double begin = now();
    for (int i = 0; i < count; i++) {
        GLXContext context =
            glXCreateContext(rig.display, rig.visual, i & 1 ? rig.context : NULL, True);
        if (!context)
            fail("context %d cannot be had", i);
        if (i % 4 != 3) {
            if (!glXMakeCurrent(rig.display, rig.window, context))
                fail("context %d cannot be made current", i);
            if (i % 100 == 0)
                whole_frame(&rig);
            else if (i % 4 == 2)
                glClear(GL_COLOR_BUFFER_BIT);
            glXMakeCurrent(rig.display, None, NULL);
        }
        glXDestroyContext(rig.display, context);
        if (i == count / 4)
            before = resident();
    }
    long grown = resident() - before;
    printf("%d contexts, %.2f ms each, %ld KiB grown\n", count, 1e3 * (now() - begin) / count,
           grown / 1024);
    if (grown > 6 << 20)
        fail("memory grows with contexts");
    glXMakeCurrent(rig.display, rig.window, rig.context);
    whole_frame(&rig);
}

int main(int count, char **arguments)
{
    XInitThreads();
    XSetErrorHandler(count_error);
    rig = make_rig(120, 90);
    destroyed_elsewhere();
    none_in_the_middle();
    thousands(count > 1 ? atoi(arguments[1]) : 2000);
    drop_rig(&rig);
    puts("ok");
    return 0;
}
