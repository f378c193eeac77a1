/* SPDX-License-Identifier: MIT */
/* Lists come, go and are replaced in one thread while two others play them: nobody plays what is not
 * there any more (MALLOC_PERTURB_ makes that visible), and memory does not grow. */
#include "rig.h"

enum { LISTS = 8, ROUNDS = 60000, FAR = 0x7fffff00 };
static GLuint base;
static volatile int making = 1;
static int measured; /* not where code is compiled meanwhile, for which LLVM is loaded */

/* A list sets a colour of which red is 1, calls the next one and draws, sometimes much. */
static void make_list(int n, int round)
{
    int vertices = round % 500 == 0 ? 30000 : 3 * (round % 40);
    glNewList(base + n, GL_COMPILE);
    glColor3f(1, (round & 255) / 255.0f, 0);
    if (n + 1 < LISTS)
        glCallList(base + n + 1);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < vertices; i++)
        glVertex3f(5, 5, (float) i);
    glEnd();
    if (round & 1)
        glTranslatef(0, 0, 0);
    glEndList();
}

static void make(void)
{
    long before = 0;
    for (int round = 0; round < ROUNDS; round++) {
        make_list(round % LISTS, round);
        if (round % 7 == 0) {
            GLuint name = round % 3 ? glGenLists(3) : (GLuint) (FAR + round % 64);
            glNewList(name, GL_COMPILE);
            glCallList(base);
            glEndList();
            if (!glIsList(name))
                fail("list %u is none", name);
            glDeleteLists(name, 3);
            if (glIsList(name))
                fail("list %u is there", name);
        }
        if (round % 11 == 0)
            glDeleteLists(base + round % LISTS, 1);
        if (round == ROUNDS / 4)
            before = resident();
    }
    long grown = resident() - before;
    if (measured && grown > 8 << 20)
        fail("%ld KiB grown", grown / 1024);
}

static void play(void)
{
    GLubyte names[LISTS];
    GLfloat color[4];
    for (int n = 0; n < LISTS; n++)
        names[n] = (GLubyte) n;
    glListBase(base);
    while (making) {
        glColor3f(1, 0, 0);
        glCallList(base);
        glCallLists(LISTS, GL_UNSIGNED_BYTE, names);
        glCallList(FAR + 3);
        glGetFloatv(GL_CURRENT_COLOR, color);
        if (color[0] != 1 || color[2] != 0)
            fail("colour %g %g %g", color[0], color[1], color[2]);
    }
}

static void *work(void *argument)
{
    int me = (int) (long) argument;
    Rig rig = join_group(me, 64, 64);
    if (me == 0)
        base = glGenLists(LISTS);
    pthread_barrier_wait(&group_barrier);
    if (me == 0) {
        make();
        making = 0;
    } else {
        play();
    }
    leave_group(&rig);
    return NULL;
}

/* arguments: [measured] */
int main(int argc, char **argv)
{
    measured = argc > 1 && !strcmp(argv[1], "measured");
    return run_group(3, work);
}
