/* SPDX-License-Identifier: MIT */
/* What a driver says of names, line by line: test_names_peer.py compares the lines with the peer's. Names that are generated may
 * differ, so they are never printed. */
#include "told.h"

static Rig rig;
static GLXContext other;
static GLXContext mine;

static int bound(GLenum binding)
{
    int name = -1;
    glGetIntegerv(binding, &name);
    return name;
}

static void in(GLXContext context)
{
    glXMakeCurrent(rig.display, rig.window, context);
    printf("-- in %s\n", context == mine ? "the first context" : "the other context");
}

static unsigned content(GLenum target)
{
    unsigned word = 0;
    glGetBufferSubData(target, 0, 4, &word);
    return word;
}

static void fill(GLenum target, unsigned word)
{
    glBufferData(target, 4, &word, GL_STATIC_DRAW);
}

static int vertex_buffer(GLuint index)
{
    int name = -1;
    glGetVertexAttribiv(index, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &name);
    return name;
}

static void generating(void)
{
    GLuint names[6] = {0}, more[2];
    TELL(glGenBuffers(0, names));
    TELL(glGenBuffers(-1, names));
    TELL(glDeleteBuffers(-1, names));
    TELL(glGenQueries(-1, names));
    TELL(glDeleteQueries(-1, names));
    TELL(glGenVertexArrays(-1, names));
    TELL(glDeleteVertexArrays(-1, names));
    TELL(glGenBuffers(6, names));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            if (!names[i] || names[i] == names[j])
                puts("not distinct");
    ASK(glIsBuffer(names[0]));
    ASK(glIsBuffer(0));
    TELL(glBindBuffer(GL_ARRAY_BUFFER, names[0]));
    ASK(glIsBuffer(names[0]));
    ASK(bound(GL_ARRAY_BUFFER_BINDING) == (int) names[0]);
    more[0] = more[1] = names[0];
    TELL(glDeleteBuffers(2, more));
    ASK(bound(GL_ARRAY_BUFFER_BINDING));
    ASK(glIsBuffer(names[0]));
    more[0] = 0, more[1] = 123456;
    TELL(glDeleteBuffers(2, more));
    TELL(glDeleteBuffers(6, names));
    TELL(glBindBuffer(GL_ARRAY_BUFFER, names[1]));
    ASK(bound(GL_ARRAY_BUFFER_BINDING) == (int) names[1]);
    TELL(glBindBuffer(GL_TEXTURE_2D, names[1]));
    TELL(glCreateBuffers(2, names));
    ASK(glIsBuffer(names[0]) && glIsBuffer(names[1]));
    TELL(glNamedBufferData(names[0], 4, NULL, GL_STATIC_DRAW));
    TELL(glGenBuffers(1, more));
    TELL(glNamedBufferData(more[0], 4, NULL, GL_STATIC_DRAW));
    TELL(glNamedBufferData(777777, 4, NULL, GL_STATIC_DRAW));
    TELL(glInvalidateBufferData(more[0]));
    TELL(glCreateBuffers(-1, names));
    TELL(glCreateVertexArrays(-1, names));
    TELL(glCreateVertexArrays(1, names));
    ASK(glIsVertexArray(names[0]));
}

static void inventing(void)
{
    static const GLuint invented[] = {4242, 300, 70000, 1 << 20, 5000000, 0x7fffffff, 0xffffffff};
    GLuint names[40];
    for (unsigned n = 0; n < sizeof invented / sizeof *invented; n++) {
        GLuint name = invented[n];
        printf("name %u\n", name);
        ASK(glIsBuffer(name));
        TELL(glBindBuffer(GL_COPY_READ_BUFFER, name));
        ASK(glIsBuffer(name));
        TELL(fill(GL_COPY_READ_BUFFER, 11 * name));
        TELL(glBeginQuery(GL_SAMPLES_PASSED, name));
        TELL(glEndQuery(GL_SAMPLES_PASSED));
        ASK(glIsQuery(name));
        TELL(glBindVertexArray(name));
        ASK(bound(GL_VERTEX_ARRAY_BINDING));
        TELL(glBindVertexBuffer(1, name + 1, 0, 4));
        ASK(glIsBuffer(name + 1));
        TELL(glBindVertexBuffer(1, 0, 0, 4));
    }
    for (unsigned n = 0; n < sizeof invented / sizeof *invented; n++) {
        glBindBuffer(GL_COPY_READ_BUFFER, invented[n]);
        ASK(content(GL_COPY_READ_BUFFER) == 11 * invented[n]);
    }
    TELL(glGenBuffers(40, names));
    int same = 0;
    for (int i = 0; i < 40; i++)
        for (unsigned n = 0; n < sizeof invented / sizeof *invented; n++)
            same += names[i] == invented[n];
    ASK(same);
    TELL(glDeleteBuffers(40, names));
    TELL(glDeleteBuffers(7, invented));
    TELL(glDeleteQueries(7, invented));
    for (unsigned n = 0; n < sizeof invented / sizeof *invented; n++)
        told("is", glIsBuffer(invented[n]) + 2 * glIsQuery(invented[n]));
}

static void two_contexts(void)
{
    GLuint b[4], vao, foreign;
    GLsync fence;
    glGenBuffers(4, b);
    for (int n = 0; n < 4; n++)
        glBindBuffer(GL_ARRAY_BUFFER, b[n]), fill(GL_ARRAY_BUFFER, 100 + n);
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glVertexAttribPointer(1, 1, GL_FLOAT, 0, 0, 0);
    fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFinish();
    in(other);
    ASK(glIsBuffer(b[0]));
    ASK(glIsVertexArray(vao));
    ASK(glIsSync(fence));
    TELL(glBindBuffer(GL_ARRAY_BUFFER, b[0]));
    TELL(glBindBuffer(GL_COPY_READ_BUFFER, b[3]));
    TELL(glGenVertexArrays(1, &foreign));
    TELL(glBindVertexArray(foreign));
    TELL(glVertexAttribPointer(1, 1, GL_FLOAT, 0, 0, 0));
    in(mine);
    TELL(glDeleteBuffers(4, b));
    ASK(glIsBuffer(b[0]));
    ASK(bound(GL_ARRAY_BUFFER_BINDING));
    ASK(vertex_buffer(1));
    in(other);
    ASK(glIsBuffer(b[0]));
    ASK(bound(GL_ARRAY_BUFFER_BINDING) == (int) b[0]);
    ASK(content(GL_ARRAY_BUFFER));
    ASK(content(GL_COPY_READ_BUFFER));
    ASK(vertex_buffer(1) == (int) b[0]);
    TELL(fill(GL_ARRAY_BUFFER, 500));
    ASK(content(GL_ARRAY_BUFFER));
    TELL(glDeleteBuffers(1, b));
    ASK(bound(GL_ARRAY_BUFFER_BINDING) == (int) b[0]);
    TELL(glBindBuffer(GL_ARRAY_BUFFER, 0));
    ASK(bound(GL_ARRAY_BUFFER_BINDING));
    TELL(glBindBuffer(GL_COPY_READ_BUFFER, b[3])); /* the name is free: another object */
    ASK(content(GL_COPY_READ_BUFFER));
    ASK(glIsBuffer(b[3]));
    TELL(glDeleteSync(fence));
    ASK(glIsSync(fence));
    in(mine);
    ASK(glIsSync(fence));
    TELL(glDeleteSync(fence));
    ASK(glIsBuffer(b[3]));
    TELL(glDeleteVertexArrays(1, &vao));
    ASK(bound(GL_VERTEX_ARRAY_BINDING));
    TELL(glBindVertexArray(vao));
}

static void arrays_that_are_not_bound(void)
{
    GLuint b[2], vao[2];
    glGenBuffers(2, b);
    glGenVertexArrays(2, vao);
    ASK(glIsVertexArray(vao[0]));
    for (int n = 0; n < 2; n++) {
        glBindVertexArray(vao[n]);
        glBindBuffer(GL_ARRAY_BUFFER, b[0]);
        fill(GL_ARRAY_BUFFER, 1);
        glVertexAttribPointer(2, 1, GL_FLOAT, 0, 0, 0);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, b[1]);
    }
    TELL(glDeleteBuffers(2, b));
    ASK(vertex_buffer(2));
    ASK(bound(GL_ELEMENT_ARRAY_BUFFER_BINDING));
    TELL(glBindVertexArray(vao[0]));
    ASK(vertex_buffer(2) == (int) b[0]);
    ASK(bound(GL_ELEMENT_ARRAY_BUFFER_BINDING) == (int) b[1]);
    TELL(glVertexArrayElementBuffer(vao[0], b[1]));
    TELL(glDeleteVertexArrays(2, vao));
    TELL(glDeleteVertexArrays(2, vao));
    ASK(glIsVertexArray(vao[0]));
}

static void queries(void)
{
    GLuint q[3], name = 0;
    int value = -1;
    TELL(glGenQueries(3, q));
    ASK(glIsQuery(q[0]));
    TELL(glGetQueryObjectuiv(q[0], GL_QUERY_RESULT, &name));
    TELL(glGetQueryObjectuiv(999999, GL_QUERY_RESULT, &name));
    TELL(glBeginQuery(GL_SAMPLES_PASSED, 0));
    TELL(glBeginQuery(GL_SAMPLES_PASSED, q[0]));
    ASK(glIsQuery(q[0]));
    TELL(glBeginQuery(GL_SAMPLES_PASSED, q[1]));
    TELL(glGetQueryiv(GL_SAMPLES_PASSED, GL_CURRENT_QUERY, &value));
    ASK(value == (int) q[0]);
    TELL(glDeleteQueries(1, q));
    TELL(glGetQueryiv(GL_SAMPLES_PASSED, GL_CURRENT_QUERY, &value));
    ASK(value);
    TELL(glEndQuery(GL_SAMPLES_PASSED));
    TELL(glBeginQuery(GL_SAMPLES_PASSED, q[1]));
    TELL(glEndQuery(GL_SAMPLES_PASSED));
    TELL(glBeginQuery(GL_TIME_ELAPSED, q[1]));
    TELL(glQueryCounter(q[2], GL_TIMESTAMP));
    TELL(glQueryCounter(888888, GL_TIMESTAMP));
    TELL(glBeginConditionalRender(888889, GL_QUERY_WAIT));
    TELL(glBeginConditionalRender(q[2], GL_QUERY_WAIT));
    in(other);
    ASK(glIsQuery(q[1]));
    in(mine);
    TELL(glDeleteQueries(3, q));
    ASK(glIsQuery(q[1]));
}

static float red(void)
{
    float color[4];
    glGetFloatv(GL_CURRENT_COLOR, color);
    return color[0];
}

static void make_list(GLuint name, float value)
{
    glNewList(name, GL_COMPILE);
    glColor3f(value, 0, 0);
    glEndList();
}

static void lists(void)
{
    static const GLuint invented[] = {9, 70000, 1 << 20, 0x7fffffff};
    GLuint first = 0;
    ASK(glGenLists(0));
    ASK(glGenLists(-1));
    TELL(glDeleteLists(1, -1));
    TELL(glNewList(0, GL_COMPILE));
    TELL(glNewList(4, GL_RENDER));
    TELL(first = glGenLists(5));
    for (int n = 0; n < 5; n++) /* which names they are is the driver's choice */
        told("of the block", glIsList(first + n));
    TELL(make_list(first + 2, 0.25f));
    TELL(glCallList(first + 2));
    ASK(red() * 1000);
    TELL(make_list(first + 2, 0.5f));
    TELL(glCallList(first + 2));
    ASK(red() * 1000);
    for (int n = 0; n < 4; n++) {
        ASK(glIsList(invented[n]));
        TELL(make_list(invented[n], 0.125f * n));
        ASK(glIsList(invented[n]));
        TELL(glCallList(invented[n]));
        ASK(red() * 1000);
    }
    in(other);
    TELL(glCallList(first + 2));
    ASK(red() * 1000);
    TELL(glDeleteLists(first + 1, 2));
    in(mine);
    ASK(glIsList(first) + 2 * glIsList(first + 1) + 4 * glIsList(first + 2) + 8 * glIsList(first + 3));
    GLuint again = glGenLists(5); /* where five are free in a row */
    told("five more", again != 0 && glIsList(again + 4) && again != first);
    TELL(glDeleteLists(invented[3], 1));
    TELL(glDeleteLists(0, 0x7fffffff));
    for (int n = 0; n < 4; n++)
        ASK(glIsList(invented[n]));
    ASK(glIsList(first));
}

static void label_of(GLenum kind, GLuint name)
{
    char text[20] = "";
    int length = -1;
    TELL(glObjectLabel(kind, name, -1, "hello"));
    TELL(glGetObjectLabel(kind, name, sizeof text, &length, text));
    printf("%s %d\n", text, length);
}

static void labels(void)
{
    GLuint b, q, vao;
    glGenBuffers(1, &b), glGenQueries(1, &q), glGenVertexArrays(1, &vao);
    glBindBuffer(GL_ARRAY_BUFFER, b), glBindVertexArray(vao);
    glBeginQuery(GL_SAMPLES_PASSED, q), glEndQuery(GL_SAMPLES_PASSED);
    label_of(GL_BUFFER, b), label_of(GL_QUERY, q), label_of(GL_VERTEX_ARRAY, vao);
    label_of(GL_BUFFER, 123456), label_of(GL_QUERY, 123456), label_of(GL_VERTEX_ARRAY, 123456);
    GLuint list = glGenLists(1);
    label_of(GL_DISPLAY_LIST, list);
    TELL(glDeleteLists(list, 1));
    label_of(GL_DISPLAY_LIST, list);
    TELL(glDeleteBuffers(1, &b));
    label_of(GL_BUFFER, b);
    char text[20] = "old";
    glBindBuffer(GL_ARRAY_BUFFER, b);
    TELL(glGetObjectLabel(GL_BUFFER, b, sizeof text, NULL, text));
    puts(text);
    glDeleteBuffers(1, &b), glDeleteQueries(1, &q), glDeleteVertexArrays(1, &vao);
}

static void client_stack(void)
{
    GLuint b[3], vao;
    glGenBuffers(3, b), glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glBindBuffer(GL_ARRAY_BUFFER, b[0]), fill(GL_ARRAY_BUFFER, 3);
    glVertexPointer(2, GL_FLOAT, 0, 0);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, b[1]);
    glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
    glBindBuffer(GL_ARRAY_BUFFER, b[2]), glVertexPointer(3, GL_FLOAT, 0, 0);
    TELL(glDeleteBuffers(2, b));
    TELL(glPopClientAttrib());
    ASK(bound(GL_ARRAY_BUFFER_BINDING) == (int) b[2]);
    ASK(bound(GL_PIXEL_PACK_BUFFER_BINDING) == (int) b[1]);
    ASK(bound(GL_VERTEX_ARRAY_BINDING) == (int) vao);
    ASK(glIsBuffer(b[2]));
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glPushClientAttrib(GL_CLIENT_VERTEX_ARRAY_BIT);
    glBindVertexArray(0);
    glDeleteVertexArrays(1, &vao);
    TELL(glPopClientAttrib());
    ASK(bound(GL_VERTEX_ARRAY_BINDING));
    glDeleteBuffers(3, b);
}

int main(void)
{
    rig = make_rig(60, 60);
    mine = rig.context;
    other = glXCreateContext(rig.display, rig.visual, mine, True);
    in(mine);
    puts("# generating"), generating();
    puts("# inventing"), inventing();
    puts("# two contexts"), two_contexts();
    puts("# arrays that are not bound"), arrays_that_are_not_bound();
    puts("# queries"), queries();
    puts("# lists"), lists();
    puts("# client stack"), client_stack();
    puts("# labels"), labels();
    puts("ok");
    return 0;
}
