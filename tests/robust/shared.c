/* SPDX-License-Identifier: MIT */
/* One share group in several threads: shared SEED CALLS [THREADS]. Buffers, textures, lists, syncs and labels are made, filled, mapped,
 * drawn with, copied and deleted by whoever comes along, while others draw with them; contexts wander from thread to thread, end
 * in another one than that where they are current, and new ones join the group. What the contents are is anybody's guess; what
 * must hold: no crash, no hang, nobody loses what is his alone, memory is read and written inside. */
#include "player.h"

enum { NAMES = 10, OWN = 100, SIZE = 60, MAIL = 4 };
static Display *display;
static XVisualInfo *visual;
static GLXContext _Atomic mail[MAIL], doomed[MAIL]; /* current nowhere; current where they came from */
static GLsync _Atomic fences[NAMES];
static Window _Atomic condemned;
static GLXContext group; /* a member that stays */
#include "shared_textures.h"

typedef struct {
    GLuint me;
    Window window;
    GLXContext context; /* current here; null once it is another's to destroy */
    unsigned content[64], texels[TEXELS];
    int checked, colour;
} Player;

static GLuint any(void)
{
    return 1 + pick(NAMES);
}

static void make_current(Player *p, GLXContext context)
{
    if (!glXMakeCurrent(display, p->window, context))
        fail("player %u cannot make a context current", p->me);
    p->context = context;
    glEnableClientState(GL_VERTEX_ARRAY);
}

static GLXContext fresh(void)
{
    GLXContext context = glXCreateContext(display, visual, group, True);
    if (!context)
        fail("no context");
    return context;
}

static void new_window(Player *p)
{
    Things things = {0};
    p->window = add_window(&things, 0, display, visual, SIZE, SIZE);
    XMapWindow(display, p->window);
    XSync(display, False);
}

/* Buffer, list and texture that nobody else knows of. */
static void fill_own(Player *p)
{
    for (int i = 0; i < 64; i++)
        p->content[i] = draw_lot();
    p->colour = pick(256);
    glBindBuffer(GL_COPY_READ_BUFFER, OWN + p->me);
    glBufferData(GL_COPY_READ_BUFFER, sizeof p->content, p->content, GL_STATIC_DRAW);
    glNewList(OWN + p->me, GL_COMPILE);
    glColor3ub(p->colour, 255 - p->colour, 77);
    square(-1, -1, 1, 1, 0);
    glEndList();
    fill_own_texture(OWN + p->me, p->texels);
}

static void check_own(Player *p)
{
    unsigned content[64];
    unsigned char pixel[4];
    while (glGetError())
        ;
    glBindBuffer(GL_COPY_READ_BUFFER, OWN + p->me);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof content, content);
    expect_error(GL_NO_ERROR);
    if (memcmp(content, p->content, sizeof content))
        fail("player %u has lost a buffer", p->me);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glDrawBuffer(GL_BACK);
    glViewport(0, 0, SIZE, SIZE);
    glCallList(OWN + p->me);
    glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    expect_error(GL_NO_ERROR);
    if (pixel[0] != p->colour || pixel[1] != 255 - p->colour || pixel[2] != 77)
        fail("player %u drew %d %d %d, not %d %d 77", p->me, pixel[0], pixel[1], pixel[2], p->colour, 255 - p->colour);
    check_own_texture(OWN + p->me, p->texels);
    p->checked++;
}

static void make_list(GLuint name)
{
    glNewList(name, pick(2) ? GL_COMPILE : GL_COMPILE_AND_EXECUTE);
    for (int i = pick(4); i > 0; i--)
        if (name > 1 && pick(2))
            glCallList(1 + pick((int) name - 1)); /* of smaller names: no endless trees */
        else
            glColor3ub(pick(256), pick(256), 0), square(-0.9f, -0.7f, 0.1f * pick(10), 0.6f, 0);
    if (pick(3) == 0)
        glDrawArrays(GL_TRIANGLES, 0, pick(40));
    glEndList();
}

/* Arrays and indices of buffers alone: what is not there any more may not be read. */
static void draw_of_buffers(void)
{
    glBindBuffer(GL_ARRAY_BUFFER, any());
    if (!glIsBuffer(any()))
        glBufferData(GL_ARRAY_BUFFER, 1 << (4 + pick(10)), NULL, GL_STATIC_DRAW);
    glVertexPointer(2 + pick(3), GL_FLOAT, pick(2) ? 0 : 20, (void *) (size_t) (4 * pick(9)));
    if (pick(2)) {
        glDrawArrays(GL_TRIANGLES, pick(50), pick(3000));
        return;
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, any());
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, 600, NULL, GL_STATIC_DRAW); /* or an index would be an address */
    glDrawElements(GL_TRIANGLES, pick(400), GL_UNSIGNED_SHORT, NULL);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
}

static void wander(Player *p)
{
    GLXContext given = NULL, taken = NULL;
    switch (pick(5)) {
    case 0: /* ours for somebody else's */
        given = p->context ? p->context : fresh();
        glXMakeCurrent(display, None, NULL);
        taken = __atomic_exchange_n(&mail[pick(MAIL)], given, __ATOMIC_ACQ_REL);
        make_current(p, taken ? taken : fresh());
        break;
    case 1: /* another thread will destroy what is current here, and we draw on */
        if (!p->context)
            break;
        taken = __atomic_exchange_n(&doomed[pick(MAIL)], p->context, __ATOMIC_ACQ_REL);
        p->context = NULL;
        /* fall through */
    case 2:
        if (!taken)
            taken = __atomic_exchange_n(&doomed[pick(MAIL)], NULL, __ATOMIC_ACQ_REL);
        if (taken)
            glXDestroyContext(display, taken);
        break;
    case 3: /* a storm */
        given = p->context ? p->context : fresh();
        for (int i = pick(20); i > 0; i--) {
            glXMakeCurrent(display, None, NULL);
            make_current(p, given);
        }
        make_current(p, given);
        break;
    default: /* the window is another thread's to destroy */
        if (pick(10) == 0) {
            Window gone = __atomic_exchange_n(&condemned, p->window, __ATOMIC_ACQ_REL);
            glXSwapBuffers(display, p->window);
            if (gone)
                XDestroyWindow(display, gone);
            given = p->context ? p->context : fresh();
            glXMakeCurrent(display, None, NULL);
            new_window(p);
            make_current(p, given);
        }
    }
}

static void any_call(Player *p)
{
    static const GLenum targets[] = {GL_ARRAY_BUFFER, GL_COPY_WRITE_BUFFER, GL_COPY_READ_BUFFER};
    GLenum target = targets[pick(3)];
    char scratch[4096] = {0}, *mapped;
    GLuint name = any();
    GLsync fence;
    switch (pick(32)) {
    case 0:
    case 1: make_list(name); break;
    case 2: glDeleteLists(name, 1 + pick(2)); break;
    case 3:
    case 4:
    case 5: glCallList(name); break;
    case 6: glCallLists(3, GL_UNSIGNED_BYTE, (GLubyte[]) {name, any(), any()}); break;
    case 7: glBindBuffer(target, name), glBufferData(target, 1 << pick(18), NULL, GL_STREAM_DRAW); break;
    case 8: glBindBuffer(target, name), glBufferSubData(target, pick(5000), 1 + pick(sizeof scratch), scratch); break;
    case 9: glBindBuffer(target, name), glGetBufferSubData(target, pick(100), 1 + pick(sizeof scratch), scratch); break;
    case 10:
        glBindBuffer(target, name);
        mapped = glMapBufferRange(target, pick(64), 1 + pick(64), GL_MAP_WRITE_BIT | (pick(3) ? 0 : GL_MAP_INVALIDATE_BUFFER_BIT));
        glUnmapBuffer(target); /* what it points to may be gone: whose buffer is it? */
        (void) mapped;
        break;
    case 11: if (!pick(3)) glDeleteBuffers(1, &name); break;
    case 12: glBindBuffer(GL_COPY_READ_BUFFER, name), glBindBuffer(GL_COPY_WRITE_BUFFER, any());
             glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, pick(64), pick(4000), pick(4000)); break;
    case 13:
    case 14:
    case 15: draw_of_buffers(); break;
    case 16: glBindBuffer(GL_PIXEL_PACK_BUFFER, name), glReadPixels(0, 0, pick(60), pick(60), GL_RGBA, GL_UNSIGNED_BYTE, NULL);
             glBindBuffer(GL_PIXEL_PACK_BUFFER, 0); break;
    case 17: glBindBuffer(GL_PIXEL_UNPACK_BUFFER, name), glDrawPixels(pick(60), pick(60), GL_RGBA, GL_UNSIGNED_BYTE, NULL);
             glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0); break;
    case 18:
        fence = __atomic_exchange_n(&fences[pick(NAMES)], glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0), __ATOMIC_ACQ_REL);
        if (fence) {
            glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000);
            glWaitSync(fence, 0, GL_TIMEOUT_IGNORED);
            glDeleteSync(fence);
        }
        break;
    case 19: glObjectLabel(pick(2) ? GL_BUFFER : GL_DISPLAY_LIST, name, 1 + pick(20), scratch + 1),
             glGetObjectLabel(GL_BUFFER, any(), sizeof scratch, NULL, scratch); break;
    case 20: glXSwapBuffers(display, p->window); break;
    case 21: wander(p); break;
    case 22: glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT); break;
    case 23: check_own(p); break;
    case 24: fill_own(p), check_own(p); break;
    default: any_texture_call();
    }
}

static void *play(void *argument)
{
    Player *p = calloc(1, sizeof *p);
    p->me = (GLuint) (long) argument;
    throw_own(p->me);
    new_window(p);
    make_current(p, fresh());
    fill_own(p);
    for (long i = 0; i < calls; i++)
        any_call(p);
    check_own(p);
    if (!p->checked)
        fail("nothing was checked");
    glXMakeCurrent(display, None, NULL);
    if (p->context)
        glXDestroyContext(display, p->context);
    free(p);
    return NULL;
}

int main(int argc, char **argv)
{
    XInitThreads();
    Rig rig = {0};
    choose(&rig);
    display = rig.display, visual = rig.visual;
    group = glXCreateContext(display, visual, NULL, True);
    play_all(argc, argv, play);
    return 0;
}
