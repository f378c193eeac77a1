/* SPDX-License-Identifier: MIT */
/* Names of one share group in several threads as fast as they can: generated, bound, filled, replaced and deleted. No name is
 * given twice, nobody loses what is his, what was deleted is not read again (MALLOC_PERTURB_ makes that visible), and memory
 * does not grow. */
#include "rig.h"

enum { THREADS = 3, OWN = 60, SHARED = 12, ROUNDS = 4000, MOST = 1 << 16, FAR = 0x7ffffff0 };
static unsigned char _Atomic taken[MOST];

static void take(GLuint name)
{
    if (name == 0 || name >= MOST)
        fail("name %u is not among the lowest", name);
    if (__atomic_exchange_n(&taken[name], 1, __ATOMIC_ACQ_REL))
        fail("name %u was given twice", name);
}

static void give(int count, const GLuint *names)
{
    for (int n = 0; n < count; n++)
        __atomic_store_n(&taken[names[n]], 0, __ATOMIC_RELEASE);
    glDeleteBuffers(count, names);
}

/* Buffers of this thread's own: what they hold is nobody else's business. */
static void own_round(unsigned me, unsigned *state)
{
    GLuint names[OWN], content[16];
    glGenBuffers(OWN, names);
    for (int n = 0; n < OWN; n++) {
        take(names[n]);
        for (int i = 0; i < 16; i++)
            content[i] = me << 24 | (unsigned) n << 8 | (unsigned) i;
        glBindBuffer(GL_COPY_WRITE_BUFFER, names[n]);
        glBufferData(GL_COPY_WRITE_BUFFER, sizeof content, content, GL_STREAM_DRAW);
    }
    for (int n = 0; n < OWN; n += 1 + rand_r(state) % 7) {
        glBindBuffer(GL_COPY_WRITE_BUFFER, names[n]);
        glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, sizeof content, content);
        for (int i = 0; i < 16; i++)
            if (content[i] != (me << 24 | (unsigned) n << 8 | (unsigned) i))
                fail("thread %u: %x in buffer %u", me, content[i], names[n]);
    }
    give(OWN, names);
}

/* What all of them bind, fill and delete, by the same names. */
static void shared_round(unsigned *state)
{
    GLuint name = rand_r(state) % SHARED;
    name += name % 2 ? MOST : FAR; /* in the table, but not among the lowest, and beyond it */
    GLenum target = rand_r(state) % 2 ? GL_ARRAY_BUFFER : GL_COPY_READ_BUFFER;
    switch (rand_r(state) % 8) {
    case 0: glDeleteBuffers(1, &name); break;
    case 1: glBindBuffer(target, name), glBufferData(target, 64 << rand_r(state) % 6, NULL, GL_STREAM_DRAW); break;
    case 2: glBindBuffer(GL_ARRAY_BUFFER, name), glVertexPointer(2, GL_FLOAT, 0, 0); break;
    case 3: glNewList(FAR + name % 5, GL_COMPILE), glColor3f(1, 0, 0), glRectf(3, 3, 4, 4), glEndList(); break;
    case 4: glCallList(FAR + name % 5), glCallList(1 + name % 5); break;
    case 5: glNewList(1 + name % 5, GL_COMPILE), glCallList(FAR + name % 5 / 2), glRectf(3, 3, 4, 4), glEndList(); break;
    case 6: glDeleteLists(rand_r(state) % 2 ? FAR : 1, 1 + rand_r(state) % 5); break;
    default:
        glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
        glBindBuffer(target, name);
        glPopClientAttrib();
    }
    while (glGetError())
        ;
}

static void *work(void *argument)
{
    unsigned me = (unsigned) (long) argument, state = me + 1;
    Rig rig = join_group((int) me, 64, 64);
    pthread_barrier_wait(&group_barrier);
    long before = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (round % 4 == 0)
            own_round(me, &state);
        shared_round(&state);
        if (round == ROUNDS / 4)
            before = resident();
    }
    if (resident() - before > 8 << 20)
        fail("%ld KiB grown", (resident() - before) / 1024);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glVertexPointer(2, GL_FLOAT, 0, 0);
    leave_group(&rig);
    return NULL;
}

int main(void)
{
    return run_group(THREADS, work);
}
