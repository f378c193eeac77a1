/* SPDX-License-Identifier: MIT */
/* Scenes as texts (texts.h): a language of lines, read from top to bottom, that also draws with OpenGL ES 2 on drivers
 * that are no part of this project. Each is drawn into a framebuffer object, of which the
 * middle of the window gets a copy.
 *
 *     vertex ... end, fragment ... end     shader texts; the second links, and takes the program
 *     array NAME N TYPE [norm] ... end     an attribute, or gl_Vertex and its like, in a buffer object
 *     quad                                 arrays pos (4) and uv (2): a strip over the picture
 *     indices u16 ... end
 *     texture UNIT FORMAT W H PATTERN MIN MAG WRAP_S WRAP_T
 *     uniform vec4 NAME X Y Z W
 *     draw MODE FIRST COUNT, elements MODE COUNT
 *     clear color R G B A depth D stencil S        any of the three, one call
 *     anything else                        a GL call without "gl", of `call`; its enums are without "GL_"
 */
#include "scenes.h"
#include "texts.h"
#include <stdio.h>

#define SIDE 64

static char *words[64];
static int n_words;
static const char *rest;        /* of the text */

/* A scene that cannot be read is a defect of the scene: it ends here. */
static void die(const char *what)
{
    fprintf(stderr, "text scene: %s: %s\n", n_words ? words[0] : "", what);
    exit(2);
}

/* ---------------------------------------------------------------- words */

#define N(x) {#x, GL_##x}
static const struct { const char *name; GLenum value; } names[] = {
    N(POINTS), N(TRIANGLES), N(TRIANGLE_STRIP), N(TRIANGLE_FAN), N(QUADS), N(POLYGON),
    N(NEVER), N(LESS), N(EQUAL), N(LEQUAL), N(GREATER), N(NOTEQUAL), N(GEQUAL), N(ALWAYS),
    N(DEPTH_TEST), N(ALPHA_TEST), N(COLOR_LOGIC_OP), N(LIGHTING), N(LIGHT0), N(LIGHT1), N(NORMALIZE), N(FOG),
    N(TEXTURE_2D), N(CLIP_PLANE0), N(CLIP_PLANE1), N(POINT_SPRITE), N(VERTEX_PROGRAM_TWO_SIDE),
    N(FRONT), N(BACK), N(FRONT_AND_BACK), N(NEAREST), N(LINEAR), N(REPEAT), N(CLAMP_TO_EDGE), N(TEXTURE0), N(TEXTURE1),
    N(CLEAR), N(AND), N(AND_REVERSE), N(COPY), N(AND_INVERTED), N(NOOP), N(XOR), N(OR), N(NOR), N(EQUIV), N(INVERT),
    N(OR_REVERSE), N(COPY_INVERTED), N(OR_INVERTED), N(NAND), N(SET),
    N(FLAT), N(MODELVIEW), N(PROJECTION), N(POSITION), N(AMBIENT), N(DIFFUSE), N(SPECULAR), N(SHININESS),
    N(SPOT_CUTOFF), N(SPOT_DIRECTION), N(SPOT_EXPONENT), N(LINEAR_ATTENUATION),
    N(LIGHT_MODEL_TWO_SIDE), N(LIGHT_MODEL_AMBIENT), N(LIGHT_MODEL_COLOR_CONTROL), N(SEPARATE_SPECULAR_COLOR),
    N(TEXTURE_ENV), N(TEXTURE_ENV_MODE), N(TEXTURE_ENV_COLOR), N(MODULATE), N(REPLACE), N(DECAL), N(BLEND), N(ADD),
    N(COMBINE), N(COMBINE_RGB), N(SOURCE2_RGB), N(INTERPOLATE), N(ADD_SIGNED), N(DOT3_RGB), N(CONSTANT), N(RGB_SCALE),
    N(COORD_REPLACE), N(FOG_MODE), N(FOG_DENSITY), N(FOG_START), N(FOG_END), N(FOG_COLOR), N(EXP), N(EXP2),
    N(POINT_DISTANCE_ATTENUATION),
};

static const char *word(int i)
{
    if (i >= n_words)
        die("a word is missing");
    return words[i];
}

static GLfloat number(int i)
{
    char *end;
    double value = strtod(word(i), &end);
    if (*end)
        die("no number");
    return (GLfloat) value;
}

static GLenum name(int i)
{
    for (int k = 0; k < LENGTH(names); k++)
        if (!strcmp(word(i), names[k].name))
            return names[k].value;
    die("no name");
    return 0;
}

/* The words from the i-th on, names as their values. */
static const GLfloat *vector(int i)
{
    static GLfloat v[LENGTH(words)];
    for (int k = i; k < n_words; k++)
        v[k - i] = strchr("0123456789+-.", words[k][0]) ? number(k) : (GLfloat) name(k);
    return v;
}

/* Where a word is, or 0. */
static int option(const char *wanted)
{
    for (int i = 1; i < n_words; i++)
        if (!strcmp(words[i], wanted))
            return i;
    return 0;
}

static int next_line(char *line, size_t size)
{
    size_t length = strcspn(rest, "\n");
    if (!*rest)
        return 0;
    if (length >= size)
        die("a line is too long");
    memcpy(line, rest, length);
    line[length] = 0;
    rest += length + (rest[length] == '\n');
    return 1;
}

/* The lines of a block. */
static char *block(void)
{
    static char text[4096];
    char line[256];
    size_t n = 0;
    while (next_line(line, sizeof line) && strcmp(line, "end")) {
        if (n + strlen(line) + 2 > sizeof text)
            die("a block is too long");
        n += (size_t) sprintf(text + n, "%s\n", line);
    }
    text[n] = 0;
    return text;
}

static int numbers(float *values, int size)
{
    int n = 0;
    for (char *w = strtok(block(), " \n"); w; w = strtok(NULL, " \n")) {
        if (n == size)
            die("too many numbers");
        values[n++] = (float) atof(w);
    }
    return n;
}

/* ---------------------------------------------------------------- programs, arrays */

static GLuint program, vertex_shader;
static struct { char name[24]; int n, normalized; GLenum type; GLuint buffer; } arrays[8];
static int n_arrays;

static GLuint shader(GLenum stage)
{
    const char *text = block();
    GLint ok;
    GLuint id = glCreateShader(stage);
    glShaderSource(id, 1, &text, NULL);
    glCompileShader(id);
    glGetShaderiv(id, GL_COMPILE_STATUS, &ok);
    if (!ok)
        die("the shader does not compile");
    return id;
}

static void link_program(GLuint fragment_shader)
{
    program = glCreateProgram();
    glAttachShader(program, vertex_shader);
    glAttachShader(program, fragment_shader);
    glLinkProgram(program);
    glUseProgram(program);
}

static GLuint buffer(GLenum target, const void *data, size_t size)
{
    GLuint id;
    glGenBuffers(1, &id);
    glBindBuffer(target, id);
    glBufferData(target, (GLsizeiptr) size, data, GL_STATIC_DRAW);
    return id;
}

static void add_array(const char *title, int n, int bytes, int normalized, const float *values, int count)
{
    int place = n_arrays;
    GLubyte small[256];
    if (n_arrays == LENGTH(arrays) || (bytes && count > LENGTH(small)))
        die("too many");
    for (int i = 0; bytes && i < count; i++)
        small[i] = (GLubyte) values[i];
    for (int i = 0; i < n_arrays; i++)
        if (!strcmp(arrays[i].name, title))
            place = i;
    n_arrays += place == n_arrays;
    snprintf(arrays[place].name, sizeof arrays[place].name, "%s", title);
    arrays[place].n = n;
    arrays[place].normalized = normalized;
    arrays[place].type = bytes ? GL_UNSIGNED_BYTE : GL_FLOAT;
    arrays[place].buffer = buffer(GL_ARRAY_BUFFER, bytes ? (const void *) small : values,
                                  (size_t) count * (bytes ? 1 : sizeof(float)));
}

static void quad(void)
{
    static const float pos[] = {-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 1}, uv[] = {0, 0, 1, 0, 0, 1, 1, 1};
    add_array("pos", 4, 0, 0, pos, LENGTH(pos));
    add_array("uv", 2, 0, 0, uv, LENGTH(uv));
}

static void set_indices(const float *values, int count)
{
    GLushort made[256];
    if (count > LENGTH(made))
        die("too many");
    for (int i = 0; i < count; i++)
        made[i] = (GLushort) values[i];
    buffer(GL_ELEMENT_ARRAY_BUFFER, made, (size_t) count * sizeof *made);
}

/* One array, as fixed function's or as an attribute of the program. */
static void bind_array(int i)
{
    const char *title = arrays[i].name;
    int n = arrays[i].n;
    GLenum type = arrays[i].type;
    glBindBuffer(GL_ARRAY_BUFFER, arrays[i].buffer);
    if (!strcmp(title, "gl_Vertex")) {
        glVertexPointer(n, type, 0, NULL);
        glEnableClientState(GL_VERTEX_ARRAY);
    } else if (!strcmp(title, "gl_Normal")) {
        glNormalPointer(type, 0, NULL);
        glEnableClientState(GL_NORMAL_ARRAY);
    } else if (!strcmp(title, "gl_Color")) {
        glColorPointer(n, type, 0, NULL);
        glEnableClientState(GL_COLOR_ARRAY);
    } else if (!strncmp(title, "gl_MultiTexCoord", 16)) {
        glClientActiveTexture(GL_TEXTURE0 + (GLenum) (title[16] - '0'));
        glTexCoordPointer(n, type, 0, NULL);
        glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    } else {
        GLint at = glGetAttribLocation(program, title);
        if (at < 0)
            return;
        glVertexAttribPointer((GLuint) at, n, type, (GLboolean) arrays[i].normalized, 0, NULL);
        glEnableVertexAttribArray((GLuint) at);
    }
}

static void draw(int elements)
{
    for (GLuint i = 0; i < 8; i++)
        glDisableVertexAttribArray(i);
    for (int i = 0; i < n_arrays; i++)
        bind_array(i);
    if (elements)
        glDrawElements(name(1), (GLsizei) number(2), GL_UNSIGNED_SHORT, NULL);
    else
        glDrawArrays(name(1), (GLint) number(2), (GLsizei) number(3));
}

static void clear(void)
{
    GLbitfield mask = 0;
    int i;
    if ((i = option("color"))) {
        glClearColor(number(i + 1), number(i + 2), number(i + 3), number(i + 4));
        mask |= GL_COLOR_BUFFER_BIT;
    }
    if ((i = option("depth"))) {
        glClearDepth(number(i + 1));
        mask |= GL_DEPTH_BUFFER_BIT;
    }
    if ((i = option("stencil"))) {
        glClearStencil((GLint) number(i + 1));
        mask |= GL_STENCIL_BUFFER_BIT;
    }
    glClear(mask);
}

/* ---------------------------------------------------------------- textures */

/* A channel of a texel of a pattern, 0..1. */
static double texel(const char *pattern, int x, int y, int w, int h, int channel)
{
    double u = (double) x / (w - 1), v = (double) y / (h - 1);
    double dx = x - w * 0.5 + 0.5, dy = y - h * 0.5 + 0.5, d = sqrt(dx * dx + dy * dy);
    if (!strcmp(pattern, "rings"))
        return 0.5 + 0.5 * cos(d * (0.6 + 0.3 * channel));
    if (strcmp(pattern, "gradient"))
        die("no pattern");
    return channel == 0 ? u : channel == 1 ? v : channel == 2 ? 1 - u : 0.25 + 0.75 * v;
}

static void texture(void)
{
    GLubyte texels[16 * 16 * 4];
    GLuint id;
    int w = (int) number(3), h = (int) number(4);
    if (strcmp(word(2), "rgba8") || w > 16 || h > 16)
        die("no such texture");
    for (int i = 0; i < w * h * 4; i++)
        texels[i] = (GLubyte) lrint(255 * texel(word(5), i / 4 % w, i / 4 / w, w, h, i % 4));
    glActiveTexture(GL_TEXTURE0 + (GLenum) number(1));
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D, id);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint) name(6));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint) name(7));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, (GLint) name(8));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, (GLint) name(9));
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, w, h, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/* ---------------------------------------------------------------- commands */

/* A GL call with these arguments; 0: it is none of these. */
static int call(void)
{
#define E(i) name(i)
#define F(i) number(i)
#define I(i) (GLint) number(i)
#define V(i) vector(i)
#define C(fn, ...) if (!strcmp(words[0], #fn)) { gl##fn(__VA_ARGS__); return 1; }
    C(Enable, E(1)) C(Disable, E(1)) C(Viewport, I(1), I(2), I(3), I(4)) C(ActiveTexture, E(1))
    C(PointSize, F(1)) C(AlphaFunc, E(1), F(2)) C(LogicOp, E(1)) C(ShadeModel, E(1)) C(MatrixMode, E(1))
    C(Translatef, F(1), F(2), F(3)) C(Rotatef, F(1), F(2), F(3), F(4))
    C(Frustum, F(1), F(2), F(3), F(4), F(5), F(6)) C(Lightfv, E(1), E(2), V(3)) C(LightModelfv, E(1), V(2))
    C(Materialfv, E(1), E(2), V(3)) C(Fogfv, E(1), V(2)) C(TexEnvfv, E(1), E(2), V(3))
    C(PointParameterfv, E(1), V(2)) C(Color4f, F(1), F(2), F(3), F(4))
#undef C
    if (!strcmp(words[0], "ClipPlane")) {
        GLdouble plane[] = {number(2), number(3), number(4), number(5)};
        glClipPlane(name(1), plane);
        return 1;
    }
    return 0;
}

static void command(void)
{
    static float values[256];
    const char *w = words[0];
    if (!strcmp(w, "vertex"))
        vertex_shader = shader(GL_VERTEX_SHADER);
    else if (!strcmp(w, "fragment"))
        link_program(shader(GL_FRAGMENT_SHADER));
    else if (!strcmp(w, "array")) {
        int count = numbers(values, LENGTH(values));
        add_array(word(1), (int) number(2), !strcmp(word(3), "ubyte"), option("norm") > 0, values, count);
    } else if (!strcmp(w, "indices"))
        set_indices(values, numbers(values, LENGTH(values)));
    else if (!strcmp(w, "quad"))
        quad();
    else if (!strcmp(w, "texture"))
        texture();
    else if (!strcmp(w, "uniform"))
        glUniform4fv(glGetUniformLocation(program, word(2)), 1, vector(3));
    else if (!strcmp(w, "clear"))
        clear();
    else if (!strcmp(w, "draw") || !strcmp(w, "elements"))
        draw(w[0] == 'e');
    else if (!call())
        die("no command");
}

static void target(void)
{
    GLuint id, colour;
    glGenTextures(1, &colour);
    glBindTexture(GL_TEXTURE_2D, colour);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &id);
    glBindFramebuffer(GL_FRAMEBUFFER, id);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
    glGenRenderbuffers(1, &id);
    glBindRenderbuffer(GL_RENDERBUFFER, id);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIDE, SIDE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, id);
    glBindTexture(GL_TEXTURE_2D, 0);
    glViewport(0, 0, SIDE, SIDE);
}

static const char *const texts[] = {
    text_alpha_test, text_clip_planes, text_derivatives, text_flat_shading, text_fog, text_glsl_120,
    text_lighting, text_logic_op, text_point_sprites, text_texture_environments, text_two_sided_colour,
};

static void play(int which)
{
    char line[256];
    program = vertex_shader = 0;
    n_arrays = 0;
    target();
    for (rest = texts[which]; next_line(line, sizeof line);) {
        line[strcspn(line, "#")] = 0;
        n_words = 0;
        for (char *w = strtok(line, " "); w && n_words < LENGTH(words); w = strtok(NULL, " "))
            words[n_words++] = w;
        if (n_words)
            command();
    }
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    clear_all(0.5f, 0.5f, 0.5f, 1);
    glBlitFramebuffer(0, 0, SIDE, SIDE, 8, 8, SIDE + 8, SIDE + 8,
                      GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

#define T(name, number) {"text_" #name, play, number, SIDE + 16, SIDE + 16, COLOR, 0, 0, 0}
static const Scene scenes[] = {
    T(alpha_test, 0), T(clip_planes, 1), T(derivatives, 2), T(flat_shading, 3), T(fog, 4), T(glsl_120, 5),
    T(lighting, 6), T(logic_op, 7), T(point_sprites, 8), T(texture_environments, 9), T(two_sided_colour, 10),
};
const SceneList text_list = {scenes, LENGTH(scenes)};
