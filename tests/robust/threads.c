/* SPDX-License-Identifier: MIT */
/* Two threads, each with a window and a context on a connection of its own; display lists and buffer
 * objects are shared, one thread keeps making them anew while the other draws with them. */
#include "rig.h"

enum { FRAMES = 250, SIZE = 128 };
static GLXContext first_context;
static GLuint list, buffer, own_list[2];
static pthread_barrier_t barrier;

static const float triangle[] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};

static void make_shared(void)
{
    glNewList(list, GL_COMPILE);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 3; i++)
        glVertex3fv(triangle + 3 * i);
    glEnd();
    glEndList();
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof triangle, triangle, GL_STATIC_DRAW);
}

static void *work(void *argument)
{
    int me = (int) (long) argument;
    Rig rig = {0};
    choose(&rig);
    rig.width = rig.height = SIZE;
    rig.window = make_window(&rig, SIZE, SIZE);
    XMoveWindow(rig.display, rig.window, me * 200, 0);
    if (me == 0)
        first_context = glXCreateContext(rig.display, rig.visual, NULL, True);
    pthread_barrier_wait(&barrier);
    rig.context = me ? glXCreateContext(rig.display, rig.visual, first_context, True) : first_context;
    if (!rig.context || !glXMakeCurrent(rig.display, rig.window, rig.context))
        fail("thread %d has no context", me);
    if (me == 0) {
        list = glGenLists(3);
        own_list[0] = list + 1;
        own_list[1] = list + 2;
        glGenBuffers(1, &buffer);
        make_shared();
    }
    pthread_barrier_wait(&barrier);
    glNewList(own_list[me], GL_COMPILE);
    glColor3ub(me ? 255 : 0, me ? 0 : 255, 128);
    square(-0.5f, -0.5f, 0.5f, 0.5f, -0.9f);
    glEndList();
    for (int i = 0; i < FRAMES; i++) {
        draw_frame(SIZE, SIZE);
        glColor3f(1, 1, 1);
        glPushMatrix();
        glTranslatef(0, 0, 0.9f);
        glCallList(list);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glEnableClientState(GL_VERTEX_ARRAY);
        glVertexPointer(3, GL_FLOAT, 0, NULL);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glDisableClientState(GL_VERTEX_ARRAY);
        glPopMatrix();
        glCallList(own_list[me]);
        glXSwapBuffers(rig.display, rig.window);
        if (me == 0 && i % 3 == 0)
            make_shared();
        if (me == 1 && i % 50 == 49) { /* current elsewhere and back */
            glXMakeCurrent(rig.display, None, NULL);
            if (!glXMakeCurrent(rig.display, rig.window, rig.context))
                fail("thread %d lost its context", me);
        }
    }
    expect(&rig, SIZE / 2, SIZE / 2, me ? 0xff0080 : 0x00ff80);
    expect(&rig, 2, 2, 0xff8000);
    expect(&rig, SIZE - 2, 2, 0x3366cc);
    expect_error(GL_NO_ERROR);
    glXMakeCurrent(rig.display, None, NULL);
    pthread_barrier_wait(&barrier);
    glXDestroyContext(rig.display, rig.context);
    XCloseDisplay(rig.display);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    XInitThreads();
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *) i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("ok");
    return 0;
}
