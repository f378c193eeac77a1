/* SPDX-License-Identifier: MIT */
/* Two threads, each with a window and a context on a connection of its own; display lists and buffer
 * objects are shared, one thread keeps making them anew while the other draws with them. */
#include "rig.h"

enum { FRAMES = 250, SIZE = 128 };
static GLuint list, buffer, own_list[2];

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
    Rig rig = join_group(me, SIZE, SIZE);
    if (me == 0) {
        list = glGenLists(3);
        own_list[0] = list + 1;
        own_list[1] = list + 2;
        glGenBuffers(1, &buffer);
        make_shared();
    }
    pthread_barrier_wait(&group_barrier);
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
    leave_group(&rig);
    return NULL;
}

int main(void)
{
    return run_group(2, work);
}
