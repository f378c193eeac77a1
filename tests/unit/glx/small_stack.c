/* SPDX-License-Identifier: MIT
 *
 * A thread with little stack draws what needs much memory of a kernel: long arrays with indices
 * that are not known, many lookups, in vertex and in fragment shaders, smooth polygons, depth in
 * rows. The main thread draws the same before, so what has to be compiled is there. The stack lies
 * above memory of the program's, with a guard page between. Output: a line for each scene.
 */
#include "window.h"
#include <pthread.h>
#include <sys/mman.h>

static GLXContext context;
static Window window;
static GLuint programs[4];
static unsigned char pixels[2][5][SIZE * SIZE * 4];
static int stack_bytes;

static const char *plain_vertex = "void main() { gl_Position = gl_Vertex; gl_TexCoord[0] = gl_Vertex; }";

/* an array of n vectors, each of which is written and read with its own index */
static char *with_array(int n, const char *start, const char *result)
{
    static char text[1000];
    snprintf(text, sizeof text,
             "#version 120\n#extension GL_EXT_gpu_shader4 : require\nuniform int step; void main() { vec4 kept[%d]; vec4 p = %s; int at = int(p.x * 7.0 + 20.0);\n"
             "for (int n = 0; n < 40; n++) kept[(at + n * step) %% %d] = p * (float(n) + 0.5);\n"
             "vec4 sum = vec4(0.0); for (int n = 0; n < 40; n++) sum += kept[(at * n) %% %d]; %s }",
             n, start, n, n, result);
    return text;
}

/* n lookups, each in control flow, so that all are done at once */
static char *with_lookups(int n, const char *function, const char *place, const char *result)
{
    static char text[40000];
    int used = sprintf(text, "uniform sampler2D t[8]; void main() { vec4 p = %s; vec4 sum = vec4(0.0);\n", place);
    for (int i = 0; i < n; i++)
        used += sprintf(text + used, "if (p.x > %f) sum += %s(t[%d], p.xy * %f%s);\n", i * 0.01 - 1.0, function,
                        i % 8, 1.0 + i * 0.1, function[9] ? ", 0.0" : "");
    sprintf(text + used, "%s }", result);
    return text;
}

static GLuint link_program(const char *vertex, const char *fragment)
{
    const char *sources[] = {vertex, fragment};
    GLuint program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        if (!sources[i]) continue;
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &sources[i], 0);
        glCompileShader(shader);
        char log[1000];
        glGetShaderInfoLog(shader, sizeof log, 0, log);
        fputs(log, stdout);
        glAttachShader(program, shader);
    }
    glLinkProgram(program);
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "step"), 3);
    for (int i = 0; i < 8; i++) {
        char name[] = "t[0]";
        name[2] += i;
        glUniform1i(glGetUniformLocation(program, name), i);
    }
    return program;
}

static void make_things(void)
{
    static unsigned char texels[32 * 32 * 4];
    GLuint textures[8];
    glGenTextures(8, textures);
    for (int i = 0; i < 8; i++) {
        for (unsigned n = 0; n < sizeof texels; n++) texels[n] = (n * 37 + i * 11) >> 2;
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D, textures[i]);
        glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, 1);
        glTexParameterf(GL_TEXTURE_2D, 0x84FE, i % 2 ? 8.0f : 1.0f); /* anisotropy */
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    programs[0] = link_program(plain_vertex, with_array(900, "gl_TexCoord[0]", "gl_FragColor = fract(sum);"));
    programs[1] = link_program(
        with_array(900, "gl_Vertex", "gl_Position = gl_Vertex; gl_FrontColor = fract(sum);"), 0);
    programs[2] = link_program(plain_vertex, with_lookups(60, "texture2D", "gl_TexCoord[0]",
                                                          "gl_FragColor = fract(sum * 0.3);"));
    programs[3] = link_program(with_lookups(40, "texture2DLod", "gl_Vertex",
                                            "gl_Position = gl_Vertex; gl_FrontColor = fract(sum);"), 0);
    glUseProgram(0);
}

static void draw_all(unsigned char (*out)[SIZE * SIZE * 4])
{
    for (int scene = 0; scene < 5; scene++) {
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glUseProgram(scene < 4 ? programs[scene] : 0);
        if (scene == 4) {
            glEnable(GL_POLYGON_SMOOTH);
            glEnable(GL_BLEND);
        }
        for (int n = 0; n < 40; n++) {
            float x = -1.0f + n % 8 * 0.25f, y = -1.0f + n / 8 * 0.4f;
            glBegin(GL_TRIANGLES);
            glColor3f(1, n * 0.02f, 0);
            glVertex3f(x, y, 0.01f * n);
            glVertex3f(x + 0.9f, y + 0.1f, 0);
            glVertex3f(x + 0.2f, y + 0.8f, 0.5f);
            glEnd();
        }
        glDisable(GL_POLYGON_SMOOTH);
        glDisable(GL_BLEND);
        glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, out[scene]);
    }
}

static void *draw_there(void *unused)
{
    (void)unused;
    if (!glXMakeCurrent(dpy, window, context)) return "refused";
    draw_all(pixels[1]);
    int error = glGetError();
    glXMakeCurrent(dpy, 0, 0);
    return error ? "error" : "drawn";
}

static const char *on_a_small_stack(void)
{
    enum { PAGE = 4096, BELOW = 8 << 20 };
    pthread_attr_t attributes;
    pthread_t thread;
    void *word = "";
    char *memory = mmap(0, BELOW + PAGE + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + BELOW, PAGE, PROT_NONE);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, memory + BELOW + PAGE, stack_bytes);
    if (pthread_create(&thread, &attributes, draw_there, 0)) return "no thread";
    pthread_join(thread, &word);
    for (int n = 0; n < BELOW; n++)
        if (memory[n]) return "written below its stack";
    return word;
}

int main(int argc, char **argv)
{
    static const char *names[] = {"array", "vertex array", "lookups", "vertex lookups", "smooth"};
    const int wanted[] = {GLX_DOUBLEBUFFER, 1, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 24, None};
    stack_bytes = argc > 1 ? atoi(argv[1]) << 10 : 64 << 10;
    XInitThreads();
    dpy = XOpenDisplay(0);
    GLXFBConfig config = first_config(wanted, "depth");
    window = make_window(config);
    context = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, 0, True);
    glXMakeCurrent(dpy, window, context);
    glEnable(GL_DEPTH_TEST);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    make_things();
    for (int n = 0; n < 3; n++) draw_all(pixels[0]); /* so often that all code is the best there is */
    glXMakeCurrent(dpy, 0, 0);
    puts(on_a_small_stack());
    for (int scene = 0; scene < 5; scene++) {
        int lit = 0;
        for (int n = 0; n < SIZE * SIZE; n++) lit += pixels[0][scene][4 * n] != 0;
        printf("%s: %s %s\n", names[scene], lit > SIZE * SIZE / 4 ? "drawn" : "black",
               memcmp(pixels[0][scene], pixels[1][scene], sizeof pixels[0][scene]) ? "differs" : "same");
    }
    return 0;
}
