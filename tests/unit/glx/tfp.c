/* SPDX-License-Identifier: MIT */
/* A small compositor: pixmaps that X draws to are textures (GLX_EXT_texture_from_pixmap); a line a question, "name
   answer". `tfp frames`: 300 frames of three changing pixmaps. */
#include "window.h"

enum { W = 40, H = 24 };
static int code;

static int heard(Display *d, XErrorEvent *event)
{
    (void) d;
    code = event->error_code;
    return 0;
}

static GLXFBConfig pixmap_config(int depth)
{
    int wanted[] = {GLX_DRAWABLE_TYPE, GLX_PIXMAP_BIT, GLX_DOUBLEBUFFER, 0, GLX_RED_SIZE, depth == 16 ? 5 : 8,
                    depth == 32 ? GLX_BIND_TO_TEXTURE_RGBA_EXT : GLX_BIND_TO_TEXTURE_RGB_EXT, 1,
                    GLX_ALPHA_SIZE, depth == 32 ? 8 : 0, GLX_BIND_TO_TEXTURE_TARGETS_EXT, GLX_TEXTURE_2D_BIT_EXT, None};
    int count = 0;
    GLXFBConfig *found = glXChooseFBConfig(dpy, DefaultScreen(dpy), wanted, &count), one = 0;
    for (int n = 0; n < count && !one; n++) { /* the server gives pixmaps their depth */
        int size = 0;
        glXGetFBConfigAttrib(dpy, found[n], GLX_BUFFER_SIZE, &size);
        if (size == depth)
            one = found[n];
    }
    XFree(found);
    if (!one) {
        printf("no_config %d\n", depth);
        exit(1);
    }
    return one;
}

static Pixmap painted(int depth, int w, int h, unsigned long left, unsigned long right)
{
    Pixmap made = XCreatePixmap(dpy, DefaultRootWindow(dpy), w, h, depth);
    XGCValues values = {.foreground = left};
    GC gc = XCreateGC(dpy, made, GCForeground, &values);
    XFillRectangle(dpy, made, gc, 0, 0, w, h);
    XSetForeground(dpy, gc, right);
    XFillRectangle(dpy, made, gc, w / 2, 0, w - w / 2, h / 2); /* the upper right quarter */
    XFreeGC(dpy, gc);
    return made;
}

static GLXPixmap named(GLXFBConfig config, Pixmap pixmap, int format, int target)
{
    int attribs[] = {GLX_TEXTURE_FORMAT_EXT, format, GLX_TEXTURE_TARGET_EXT, target, None};
    return glXCreatePixmap(dpy, config, pixmap, attribs);
}

static void quad(GLenum target, int w, int h)
{
    float s = target == GL_TEXTURE_2D ? 1 : w, t = target == GL_TEXTURE_2D ? 1 : h;
    glClearColor(0.2f, 0.4f, 0.6f, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(target);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glBegin(GL_QUADS); /* row 0 of the texture is the pixmap's top */
    glTexCoord2f(0, 0), glVertex2i(0, 0);
    glTexCoord2f(s, 0), glVertex2i(w, 0);
    glTexCoord2f(s, t), glVertex2i(w, h);
    glTexCoord2f(0, t), glVertex2i(0, h);
    glEnd();
    glDisable(target);
}

static void reads(const char *name, int w, int h)
{
    static const int at[4][2] = {{1, 1}, {3, 1}, {1, 3}, {3, 3}};
    printf("%s", name);
    for (int n = 0; n < 4; n++) {
        GLubyte p[4] = {9, 9, 9, 9};
        glReadPixels(w * at[n][0] / 4, h * at[n][1] / 4, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
        printf(" %02x%02x%02x", p[0], p[1], p[2]);
    }
    printf(" %#x\n", glGetError());
}

static void level(const char *name, GLenum target)
{
    static const GLenum asked[] = {GL_TEXTURE_WIDTH, GL_TEXTURE_HEIGHT, GL_TEXTURE_INTERNAL_FORMAT, GL_TEXTURE_BORDER,
                                   GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_ALPHA_SIZE};
    printf("%s.level", name);
    for (unsigned n = 0; n < sizeof asked / sizeof *asked; n++) {
        int value = -1;
        glGetTexLevelParameteriv(target, 0, asked[n], &value);
        printf(" %#x", value);
    }
    int next = -1;
    glGetTexLevelParameteriv(target, 1, GL_TEXTURE_WIDTH, &next);
    printf(" next %d %#x\n", next, glGetError());
}

static void one(const char *name, int depth, int format, int target, unsigned long a, unsigned long b)
{
    GLenum to = target == GLX_TEXTURE_RECTANGLE_EXT ? GL_TEXTURE_RECTANGLE : GL_TEXTURE_2D;
    GLXFBConfig config = pixmap_config(depth);
    Pixmap pixmap = painted(depth, W, H, a, b);
    GLXPixmap made = named(config, pixmap, format, target);
    GLuint texture;
    unsigned told[4] = {7, 7, 7, 7};
    glXQueryDrawable(dpy, made, GLX_TEXTURE_FORMAT_EXT, told);
    glXQueryDrawable(dpy, made, GLX_TEXTURE_TARGET_EXT, told + 1);
    glXQueryDrawable(dpy, made, GLX_WIDTH, told + 2);
    printf("%s.told %x %x %u\n", name, told[0], told[1], told[2]);
    glGenTextures(1, &texture);
    glBindTexture(to, texture);
    if (to == GL_TEXTURE_2D) { /* what was there goes */
        glTexImage2D(to, 1, GL_RGBA, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, 0);
        glPixelTransferf(GL_RED_BIAS, 0.5f); /* no pixel transfer */
        glPixelStorei(GL_UNPACK_SKIP_PIXELS, 3);
    }
    glXBindTexImageEXT(dpy, made, GLX_FRONT_LEFT_EXT, NULL);
    glPixelTransferf(GL_RED_BIAS, 0);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
    level(name, to);
    quad(to, W, H);
    char text[60];
    snprintf(text, sizeof text, "%s.drawn", name);
    reads(text, W, H);
    if (format == GLX_TEXTURE_FORMAT_RGBA_EXT) {
        GLubyte all[W * H * 4];
        glGetTexImage(to, 0, GL_RGBA, GL_UNSIGNED_BYTE, all);
        printf("%s.alpha %d %d\n", name, all[3], all[(W * 3 / 4) * 4 + 3]);
    }
    GC gc = XCreateGC(dpy, pixmap, 0, NULL); /* X draws again */
    XSetForeground(dpy, gc, b);
    XFillRectangle(dpy, pixmap, gc, 0, H / 2, W / 2, H / 2);
    XSync(dpy, False);
    glXReleaseTexImageEXT(dpy, made, GLX_FRONT_LEFT_EXT);
    glXBindTexImageEXT(dpy, made, GLX_FRONT_LEFT_EXT, NULL);
    quad(to, W, H);
    snprintf(text, sizeof text, "%s.again", name);
    reads(text, W, H);
    glXReleaseTexImageEXT(dpy, made, GLX_FRONT_LEFT_EXT);
    /* the texture is an ordinary one */
    GLubyte plain[16 * 4];
    memset(plain, 0x80, sizeof plain);
    glTexImage2D(to, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, plain);
    quad(to, to == GL_TEXTURE_2D ? W : 4, to == GL_TEXTURE_2D ? H : 4);
    snprintf(text, sizeof text, "%s.plain", name);
    reads(text, 4, 4);
    glDeleteTextures(1, &texture);
    glXDestroyPixmap(dpy, made);
    XFreePixmap(dpy, pixmap);
    XFreeGC(dpy, gc);
}

static void drawn_by_gl(GLXContext window_context, Window window)
{ /* what GL draws to a pixmap is a texture elsewhere */
    GLXFBConfig config = pixmap_config(24);
    Pixmap pixmap = painted(24, W, H, 0x102030, 0x405060);
    GLXPixmap made = named(config, pixmap, GLX_TEXTURE_FORMAT_RGB_EXT, GLX_TEXTURE_2D_EXT);
    GLXContext own = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, NULL, True);
    glXMakeContextCurrent(dpy, made, made, own);
    glClearColor(1, 0.5f, 0.25f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glScissor(0, 0, W / 2, H / 2); /* GL's lower left */
    glEnable(GL_SCISSOR_TEST);
    glClearColor(0, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
    glXMakeCurrent(dpy, window, window_context);
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glXBindTexImageEXT(dpy, made, GLX_FRONT_LEFT_EXT, NULL);
    quad(GL_TEXTURE_2D, W, H);
    reads("by_gl.drawn", W, H);
    glXReleaseTexImageEXT(dpy, made, GLX_FRONT_LEFT_EXT);
    glDeleteTextures(1, &texture);
    glXDestroyContext(dpy, own);
    glXDestroyPixmap(dpy, made);
    XFreePixmap(dpy, pixmap);
}

static void frames(void)
{
    GLXFBConfig config = pixmap_config(24);
    Pixmap pixmaps[3];
    GLXPixmap made[3];
    GLuint textures[3];
    glGenTextures(3, textures);
    for (int n = 0; n < 3; n++) {
        pixmaps[n] = painted(24, 100 + 30 * n, 90, 0x111111 * n, 0xff00ff);
        made[n] = named(config, pixmaps[n], GLX_TEXTURE_FORMAT_RGB_EXT, GLX_TEXTURE_2D_EXT);
    }
    GC gc = XCreateGC(dpy, pixmaps[0], 0, NULL);
    int good = 0;
    for (int frame = 0; frame < 300; frame++)
        for (int n = 0; n < 3; n++) {
            unsigned long color = (unsigned long) frame * 40503 & 0xffffff;
            XSetForeground(dpy, gc, color);
            XFillRectangle(dpy, pixmaps[n], gc, 0, 0, 200, 200);
            glBindTexture(GL_TEXTURE_2D, textures[n]);
            glXBindTexImageEXT(dpy, made[n], GLX_FRONT_LEFT_EXT, NULL);
            quad(GL_TEXTURE_2D, W, H);
            GLubyte p[4];
            glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
            good += ((unsigned long) p[0] << 16 | p[1] << 8 | p[2]) == color;
            glXReleaseTexImageEXT(dpy, made[n], GLX_FRONT_LEFT_EXT);
        }
    printf("frames %d %#x\n", good, glGetError());
    XFreeGC(dpy, gc);
}

static void wrong(void)
{
    GLXFBConfig config = pixmap_config(24);
    Pixmap pixmap = painted(24, W, H, 0, 0);
    int base = 0, events = 0;
    glXQueryExtension(dpy, &base, &events);
    (void) events;
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 8, 8);
    GLXPixmap made = named(config, pixmap, GLX_TEXTURE_FORMAT_RGB_EXT, GLX_TEXTURE_2D_EXT);
    glXBindTexImageEXT(dpy, made, GLX_FRONT_LEFT_EXT, NULL);
    printf("immutable %#x\n", glGetError());
    XSync(dpy, False);
    code = 0;
    glXBindTexImageEXT(dpy, 0x7654321, GLX_FRONT_LEFT_EXT, NULL);
    XSync(dpy, False);
    printf("no_pixmap %d\n", code ? 1 : 0);
    code = 0;
    glXReleaseTexImageEXT(dpy, 0x7654321, GLX_FRONT_LEFT_EXT);
    XSync(dpy, False);
    printf("no_pixmap.release %d\n", code ? 1 : 0);
    glDeleteTextures(1, &texture);
    glXDestroyPixmap(dpy, made);
    XFreePixmap(dpy, pixmap);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    dpy = XOpenDisplay(NULL);
    if (!dpy || !strstr(glXQueryExtensionsString(dpy, DefaultScreen(dpy)), "GLX_EXT_texture_from_pixmap"))
        return puts("extension no"), 1;
    XSetErrorHandler(heard);
    int wanted[] = {GLX_DOUBLEBUFFER, 1, GLX_RED_SIZE, 8, GLX_ALPHA_SIZE, 0, None};
    GLXFBConfig fb = first_config(wanted, "window");
    Window window = make_window(fb);
    GLXContext context = glXCreateNewContext(dpy, fb, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(dpy, window, context);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, SIZE, 0, SIZE, -1, 1);
    (void) argv;
    if (argc > 1) {
        frames();
    } else {
        one("rgb", 24, GLX_TEXTURE_FORMAT_RGB_EXT, GLX_TEXTURE_2D_EXT, 0x12ab34, 0xfe8001);
        one("rgb_of_32", 32, GLX_TEXTURE_FORMAT_RGB_EXT, GLX_TEXTURE_2D_EXT, 0x4012ab34, 0x90fe8001);
        one("rgba", 32, GLX_TEXTURE_FORMAT_RGBA_EXT, GLX_TEXTURE_2D_EXT, 0x4012ab34, 0x90fe8001);
        one("rect", 32, GLX_TEXTURE_FORMAT_RGBA_EXT, GLX_TEXTURE_RECTANGLE_EXT, 0x4012ab34, 0x90fe8001);
        drawn_by_gl(context, window);
        wrong();
    }
    glXDestroyContext(dpy, context);
    XCloseDisplay(dpy);
    return 0;
}
