/* SPDX-License-Identifier: MIT */
/* What shaders cost until something is drawn with them: compile_times LIST.
 * A line of LIST is "NAME VERTEX FRAGMENT": files with sources, a shader each, with commas between
 * them; "-" for none. For each line: sources,
 * compile, link, uniforms (matrices become the unit), two triangles over the window, a pixel read
 * back. Printed: name, milliseconds of compiling, of linking, of the frame; or the name and why not.
 * The end says what the process and its children used: "cpu SELF CHILDREN" in seconds.
 * "compile_times --frames LIST" draws in the frame of each new one with all that there are: a program
 * that meets new pipelines while it runs. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

enum { SHADERS = 32 };

struct stage {
    int count;
    char *text[SHADERS];
};

static char *content(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    text[fread(text, 1, size, file)] = 0;
    fclose(file);
    return text;
}

static struct stage stage_of(char *paths)
{
    struct stage found = {0};
    char *path = strcmp(paths, "-") ? strtok(paths, ",") : NULL;
    for (; path && found.count < SHADERS; path = strtok(NULL, ","))
        found.text[found.count++] = content(path);
    return found;
}

static void forget(struct stage *stage)
{
    for (int n = 0; n < stage->count; n++)
        free(stage->text[n]);
}

static void attach(GLuint program, GLenum type, struct stage *stage)
{
    for (int n = 0; n < stage->count; n++) {
        GLuint made = glCreateShader(type);
        glShaderSource(made, 1, (const char **)&stage->text[n], NULL);
        glCompileShader(made);
        glAttachShader(program, made);
    }
}

/* Matrices are the unit, other uniforms what they are: so that something is drawn. */
static void uniforms(GLuint program)
{
    static const float unit[4][4] = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}};
    GLint count = 0;
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    for (int n = 0; n < count; n++) {
        char name[256];
        GLint size;
        GLenum type;
        glGetActiveUniform(program, n, sizeof name, NULL, &size, &type, name);
        if (type == GL_FLOAT_MAT4)
            glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, unit[0]);
    }
}

/* Every active attribute is read from one array of corners. */
static void arrays(GLuint program, int enable)
{
    GLint count = 0;
    glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &count);
    for (int n = 0; n < count; n++) {
        char name[256];
        GLint size;
        GLenum type;
        glGetActiveAttrib(program, n, sizeof name, NULL, &size, &type, name);
        GLint at = glGetAttribLocation(program, name);
        if (at >= 0 && enable) {
            glEnableVertexAttribArray(at);
            glVertexAttribPointer(at, 4, GL_FLOAT, GL_FALSE, 0, NULL);
        } else if (at >= 0)
            glDisableVertexAttribArray(at);
    }
}

static void frame(GLuint program)
{
    unsigned char pixel[4];
    glUseProgram(program);
    uniforms(program);
    arrays(program, 1);
    glDrawArrays(GL_TRIANGLES, 0, 6);
    glReadPixels(10, 10, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    arrays(program, 0);
}

static GLuint linked(struct stage *vertex, struct stage *fragment, double *compiled)
{
    GLuint program = glCreateProgram();
    GLint good = 0;
    attach(program, GL_VERTEX_SHADER, vertex);
    attach(program, GL_FRAGMENT_SHADER, fragment);
    *compiled = now();
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    return good ? program : 0;
}

static void window(void)
{
    int wanted[] = {GLX_RGBA, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 16, GLX_DOUBLEBUFFER, None};
    static const float corners[] = {-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1,
                                    1, -1, 0, 1, 1, 1, 0, 1, -1, 1, 0, 1};
    Display *display = XOpenDisplay(NULL);
    XVisualInfo *visual = display ? glXChooseVisual(display, DefaultScreen(display), wanted) : NULL;
    GLXContext context = visual ? glXCreateContext(display, visual, NULL, True) : NULL;
    if (!context)
        exit(2);
    XSetWindowAttributes set = {0};
    Window root = RootWindow(display, visual->screen);
    set.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    Window made = XCreateWindow(display, root, 0, 0, 64, 64, 0, visual->depth, InputOutput,
                                visual->visual, CWColormap, &set);
    XMapWindow(display, made);
    if (!glXMakeCurrent(display, made, context))
        exit(3);
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glVertexPointer(4, GL_FLOAT, 0, NULL);
    glColorPointer(4, GL_FLOAT, 0, NULL);
    glTexCoordPointer(4, GL_FLOAT, 0, NULL);
    glNormalPointer(GL_FLOAT, 16, NULL);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDrawArrays(GL_TRIANGLES, 0, 6); /* what every program pays is paid: this is about shaders */
    glFinish();
}

int main(int count, char **arguments)
{
    char name[512], paths[2][4096];
    int frames = count > 2 && !strcmp(arguments[1], "--frames");
    FILE *list = count > 1 ? fopen(arguments[count - 1], "r") : NULL;
    if (!list)
        return 1;
    window();
    static GLuint programs[4096];
    int made = 0;
    while (made < 4096 && fscanf(list, "%511s %4095s %4095s", name, paths[0], paths[1]) == 3) {
        struct stage vertex = stage_of(paths[0]), fragment = stage_of(paths[1]);
        double begin = now(), compiled, joined;
        GLuint program = linked(&vertex, &fragment, &compiled);
        joined = now();
        if (program) {
            frame(program);
            if (frames) {
                programs[made++] = program;
                for (int n = 0; n + 1 < made; n++)
                    frame(programs[n]);
            }
            printf("%s %.3f %.3f %.3f\n", name, compiled - begin, joined - compiled, now() - joined);
        } else
            printf("%s does not link\n", name);
        if (!frames) {
            glUseProgram(0);
            glDeleteProgram(program);
        }
        forget(&vertex);
        forget(&fragment);
        if (glGetError())
            printf("%s raised an error\n", name);
    }
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    double used[2];
    for (int n = 0; n < 2; n++) {
        struct rusage *of = n ? &children : &self;
        used[n] = of->ru_utime.tv_sec + of->ru_stime.tv_sec +
                  1e-6 * (of->ru_utime.tv_usec + of->ru_stime.tv_usec);
    }
    printf("cpu %.3f %.3f\n", used[0], used[1]);
    return 0;
}
