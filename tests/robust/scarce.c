/* SPDX-License-Identifier: MIT */
/* Each part of the work below is done again and again with another request of the driver for memory refused
 * (refuse_memory.c): the part may draw wrong if GL_OUT_OF_MEMORY is told (or words on stderr: `silent` counts the parts that
 * said nothing to GL), and with memory again, the same context draws everything right. Arguments: how many requests in a row are
 * refused; names of parts, none: all. With the argument 0 it is one pass with nothing refused by itself (REFUSE_AT does). */
#include "rig.h"

enum { SIDE = 160, MOST = 400, BIG = 3 << 20 };

extern long refuse_memory(long at, long count) __attribute__((weak));

static const char *part_name;
static int bad; /* 1: something is not as it should be in this pass; 2: and the part was told */

/* One pixel as GL has it. */
static void look(int x, int y, unsigned rgb)
{
    unsigned char got[4] = {0};
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
    for (int i = 0; i < 3; i++)
        bad |= abs((int) got[i] - (int) (rgb >> (16 - 8 * i) & 255)) > 2;
}

static void begin_frame(Rig *rig)
{
    glViewport(0, 0, rig->width, rig->height);
    glLoadIdentity();
    glDisable(GL_DEPTH_TEST);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glColor3f(0, 1, 0);
}

static void frames(Rig *rig)
{
    draw_frame(rig->width, rig->height);
    look(rig->width / 8, rig->height / 2, 0xff8000);
    glXSwapBuffers(rig->display, rig->window);
    glDisable(GL_DEPTH_TEST);
}

static void resize(Rig *rig)
{
    static const int sides[] = {300, 90, SIDE};
    for (int i = 0; i < 3; i++) {
        XResizeWindow(rig->display, rig->window, sides[i], sides[i]);
        XSync(rig->display, False);
        glXMakeCurrent(rig->display, None, NULL); /* the driver asks for the size when it is current again */
        if (!glXMakeCurrent(rig->display, rig->window, rig->context))
            fail("the context is not current again");
        begin_frame(rig);
        square(-1, -1, 1, 1, 0);
        look(sides[i] > SIDE ? 80 : 45, 45, 0x00ff00);
        glXSwapBuffers(rig->display, rig->window);
    }
}

static void many_vertices(Rig *rig)
{
    begin_frame(rig);
    for (int round = 0; round < 2; round++) {
        glBegin(GL_QUADS);
        for (int i = 0; i < 20000; i++) {
            glTexCoord2f(0, 0);
            glNormal3f(0, 0, 1);
            glVertex3f(i & 1 ? -1 : 1, -1, 0), glVertex3f(i & 1 ? 1 : -1, -1, 0);
            glVertex3f(i & 1 ? 1 : -1, 1, 0), glVertex3f(i & 1 ? -1 : 1, 1, 0);
            i += 400 * (i > 50);
        }
        glEnd();
        glBegin(GL_TRIANGLES);
        for (int i = 0; i < 60000; i++)
            glVertex3f((i % 300) / 1500.f, (i / 300) / 1500.f, 0);
        glEnd();
    }
    look(20, 20, 0x00ff00);
}

static void buffers(Rig *rig)
{
    static float corners[] = {-1, -1, 1, -1, 1, 1, -1, 1};
    static const unsigned order[] = {0, 1, 2, 0, 2, 3};
    GLuint names[3] = {0};
    begin_frame(rig);
    glGenBuffers(3, names);
    glBindBuffer(GL_ARRAY_BUFFER, names[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, names[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof order, order, GL_STATIC_DRAW);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, names[2]);
    glBufferData(GL_PIXEL_PACK_BUFFER, BIG, NULL, GL_STREAM_READ);
    glBufferData(GL_PIXEL_PACK_BUFFER, 2 * BIG, NULL, GL_STREAM_READ);
    void *mapped = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, BIG, GL_MAP_WRITE_BIT);
    if (mapped)
        memset(mapped, 1, BIG);
    else
        bad = 1;
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    GLint size = 0;
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &size);
    bad |= size != sizeof corners;
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glDrawArrays(GL_QUADS, 0, 4);
    glColor3f(0, 1, 0);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_INT, NULL);
    glDisableClientState(GL_VERTEX_ARRAY);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    glDeleteBuffers(3, names);
    look(80, 80, 0x00ff00);
}

static void lists(Rig *rig)
{
    begin_frame(rig);
    GLuint first = glGenLists(40);
    glNewList(first ? first : 1, GL_COMPILE);
    for (int i = 0; i < 3000; i++) {
        glMatrixMode(GL_MODELVIEW);
        glPushMatrix();
        glBegin(GL_QUADS);
        for (int k = 0; k < 8; k++)
            glVertex3f(k & 1 ? 1 : -1, k & 2 ? 1 : -1, 0);
        glEnd();
        glPopMatrix();
    }
    square(-1, -1, 1, 1, 0);
    glEndList();
    glNewList(2000000000u, GL_COMPILE); /* names far from all others have a table of their own */
    square(-1, -1, 1, 1, 0);
    glEndList();
    glNewList(7777777u, GL_COMPILE_AND_EXECUTE);
    glCallList(2000000000u);
    glEndList();
    glColor3f(0, 1, 0);
    glCallList(first ? first : 1);
    look(80, 80, 0x00ff00);
    glDeleteLists(first, 40);
    glDeleteLists(2000000000u, 1);
    glDeleteLists(7777777u, 1);
}

static void accumulate(Rig *rig)
{
    begin_frame(rig);
    square(-1, -1, 1, 1, 0);
    glClearAccum(0, 0, 0, 0);
    glClear(GL_ACCUM_BUFFER_BIT);
    glAccum(GL_LOAD, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glAccum(GL_RETURN, 1);
    look(80, 80, 0x00ff00);
}

static void pixels(Rig *rig)
{
    static unsigned char image[SIDE * SIDE * 4], back[SIDE * SIDE * 4];
    static unsigned short wide[SIDE * SIDE * 4];
    begin_frame(rig);
    for (int i = 0; i < SIDE * SIDE; i++)
        image[4 * i + 1] = image[4 * i + 3] = 255;
    glRasterPos2f(-1, -1);
    glDrawPixels(SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, image);
    look(80, 80, 0x00ff00);
    glPixelZoom(0.5f, -0.5f);
    glPixelTransferf(GL_RED_SCALE, 0.5f);
    glRasterPos2f(-0.9f, 0.9f);
    glCopyPixels(0, 0, SIDE, SIDE, GL_COLOR);
    glDrawPixels(SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, image);
    glPixelZoom(1, 1);
    glPixelTransferf(GL_RED_SCALE, 1);
    glDrawPixels(64, 64, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, image);
    glDrawPixels(64, 64, GL_DEPTH_COMPONENT, GL_UNSIGNED_BYTE, image);
    glCopyPixels(0, 0, 100, 100, GL_COLOR);
    glCopyPixels(0, 0, 100, 100, GL_DEPTH);
    glCopyPixels(0, 0, 100, 100, GL_STENCIL);
    glBitmap(SIDE, SIDE, 0, 0, 1, 0, image);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, back);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_SHORT, wide);
    glReadPixels(0, 0, SIDE, SIDE, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, wide);
    bad |= back[4 * (SIDE * 80 + 80) + 1] != 255;
}

static void answers(Rig *rig)
{
    static float values[4096];
    static GLuint hits[64];
    begin_frame(rig);
    glFeedbackBuffer(4096, GL_3D_COLOR_TEXTURE, values);
    glRenderMode(GL_FEEDBACK);
    square(-1, -1, 1, 1, 0);
    bad |= glRenderMode(GL_RENDER) < 40;
    glSelectBuffer(64, hits);
    glRenderMode(GL_SELECT);
    glInitNames();
    glPushName(3);
    square(-1, -1, 1, 1, 0);
    bad |= glRenderMode(GL_RENDER) != 1;
    for (int i = 0; i < 6; i++)
        glPushAttrib(GL_ALL_ATTRIB_BITS), glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
    for (int i = 0; i < 6; i++)
        glPopAttrib(), glPopClientAttrib();
    GLuint query = 0, count = 0;
    glGenQueries(1, &query);
    glBeginQuery(GL_SAMPLES_PASSED, query);
    square(-1, -1, 1, 1, 0);
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &count);
    bad |= !count;
    glDeleteQueries(1, &query);
    look(80, 80, 0x00ff00);
}

static void curves(Rig *rig)
{
    static const float points[12] = {-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0};
    begin_frame(rig);
    glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 2, 0, 1, 6, 2, points);
    glEnable(GL_MAP2_VERTEX_3);
    glMapGrid2f(200, 0, 1, 200, 0, 1);
    glEvalMesh2(GL_FILL, 0, 200, 0, 200);
    glDisable(GL_MAP2_VERTEX_3);
    look(80, 80, 0x00ff00);
}

/* A second window with several samples a pixel, and a pixel buffer. */
static void windows(Rig *rig)
{
    int wanted[] = {GLX_X_RENDERABLE, True, GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PBUFFER_BIT, GLX_DOUBLEBUFFER, True,
                    GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 16, GLX_SAMPLE_BUFFERS, 1, GLX_SAMPLES, 4, None};
    int size[] = {GLX_PBUFFER_WIDTH, 200, GLX_PBUFFER_HEIGHT, 200, None}, count = 0;
    GLXFBConfig *configs = glXChooseFBConfig(rig->display, rig->visual->screen, wanted, &count);
    if (!configs || !count)
        wanted[14] = 0, wanted[16] = 0, configs = glXChooseFBConfig(rig->display, rig->visual->screen, wanted, &count);
    if (!configs || !count)
        fail("no configuration for a pixel buffer");
    GLXContext other = glXCreateNewContext(rig->display, configs[0], GLX_RGBA_TYPE, NULL, True);
    GLXPbuffer buffer = glXCreatePbuffer(rig->display, configs[0], size);
    if (other && buffer && glXMakeCurrent(rig->display, buffer, other)) {
        glEnable(GL_MULTISAMPLE);
        glClear(GL_COLOR_BUFFER_BIT);
        glColor3f(0, 1, 0);
        square(-1, -1, 1, 1, 0);
        look(80, 80, 0x00ff00);
        glAccum(GL_LOAD, 1);
        glFinish();
        if (glGetError() == GL_OUT_OF_MEMORY)
            bad = 2;
    } else
        bad = 2; /* told by the answer or by GLX */
    if (!glXMakeCurrent(rig->display, rig->window, rig->context))
        fail("the first context is not current again");
    if (other)
        glXDestroyContext(rig->display, other);
    if (buffer)
        glXDestroyPbuffer(rig->display, buffer);
    XFree(configs);
}

static const struct {
    const char *name;
    void (*work)(Rig *);
} parts[] = {{"frames", frames}, {"resize", resize}, {"many_vertices", many_vertices}, {"buffers", buffers},
             {"lists", lists}, {"accumulate", accumulate}, {"pixels", pixels}, {"answers", answers}, {"curves", curves},
             {"windows", windows}};

/* A context of its own: null where there was no memory for one. */
static int fresh(Rig *rig)
{
    *rig = (Rig) {0};
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 16, GLX_STENCIL_SIZE, 1,
                    GLX_ACCUM_RED_SIZE, 8, None};
    rig->display = XOpenDisplay(NULL);
    rig->visual = rig->display ? glXChooseVisual(rig->display, DefaultScreen(rig->display), wanted) : NULL;
    if (!rig->visual)
        fail("no visual");
    rig->width = rig->height = SIDE;
    rig->window = make_window(rig, SIDE, SIDE);
    rig->context = glXCreateContext(rig->display, rig->visual, NULL, True);
    return rig->context && glXMakeCurrent(rig->display, rig->window, rig->context);
}

static void arm(long at, long count)
{
    if (refuse_memory)
        refuse_memory(at, count);
}

/* One part with request `at` refused; whether there was such a request. */
static int try_part(int part, long at, long count, int whole, long *silent)
{
    Rig rig;
    part_name = parts[part].name;
    if (whole)
        arm(at, count);
    int made = fresh(&rig);
    if (!whole)
        arm(at, count);
    bad = 0;
    if (made) {
        parts[part].work(&rig);
        glFinish();
    }
    long refused = refuse_memory ? refuse_memory(0, 0) : 0;
    int told = 0;
    for (GLenum error; made && (error = glGetError());) {
        if (error == GL_OUT_OF_MEMORY)
            told = 1;
        else if (!refused)
            fail("%s: GL says 0x%x with nothing refused", part_name, error);
    }
    if (!refused && (!made || bad))
        fail("%s: wrong with nothing refused", part_name);
    if (refused && bad == 1 && !told) {
        ++*silent;
        fprintf(stderr, "%s %ld: drew wrong\n", part_name, at);
    }
    if (!made && (!rig.context || !glXMakeCurrent(rig.display, rig.window, rig.context))) {
        glXMakeCurrent(rig.display, None, NULL);
        XCloseDisplay(rig.display);
        return refused > 0;
    }
    for (int i = 0; i < 2; i++) { /* there is memory: what was refused is had */
        bad = 0;
        parts[part].work(&rig);
        GLenum error = glGetError();
        if (bad || error)
            fail("%s: request %ld refused%s: afterwards it draws wrong, GL says 0x%x", part_name, at, whole ? " (whole)" : "",
                 error);
    }
    rig.width = rig.height = SIDE;
    glPixelTransferf(GL_RED_SCALE, 1);
    whole_frame(&rig);
    drop_rig(&rig);
    return refused > 0;
}

int main(int count, char **arguments)
{
    long row = count > 1 ? atol(arguments[1]) : 1, silent = 0, passes = 0;
    XSetErrorHandler(count_error); /* BadAlloc is how GLX tells */
    if (row && !refuse_memory)
        fail("refuse_memory is not preloaded");
    for (int part = 0; part < (int) (sizeof parts / sizeof *parts); part++) {
        int wanted = count < 3;
        for (int i = 2; i < count; i++)
            wanted |= !strcmp(arguments[i], parts[part].name);
        if (!wanted)
            continue;
        if (!row) {
            Rig rig;
            if (!fresh(&rig))
                fail("no context: failed");
            parts[part].work(&rig);
            drop_rig(&rig);
            continue;
        }
        for (int whole = 0; whole < 2; whole++) {
            if (whole && part)
                continue;
            try_part(part, MOST, 1, whole, &silent); /* nothing is refused: all is right */
            long at = 1;
            while (at < MOST && (fprintf(stderr, "%s%s %ld\n", parts[part].name, whole ? " whole" : "", at),
                                 try_part(part, at, row, whole, &silent)))
                at++, passes++;
            if (at == MOST)
                fail("%s has no end", parts[part].name);
        }
    }
    printf("%ld requests refused, %ld silent\nok\n", passes, silent);
    return 7;
}
