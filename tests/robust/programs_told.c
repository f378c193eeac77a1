/* SPDX-License-Identifier: MIT */
/* What a driver says of shaders and programs, line by line: test_names_peer.py compares the lines with the peer's. Names and their
 * errors, deletion of what is in use, uniforms of all types and their errors, queries, attributes, the old names of
 * ARB_shader_objects. */
#include "told.h"

static const char *VERTEX =
    "#version 120\n"
    "struct S { vec3 a; float b[3]; };\n"
    "uniform vec4 v[4]; uniform ivec3 i; uniform bvec2 b; uniform mat2x3 m[2]; uniform S s[2]; uniform float f; uniform vec4 unused;\n"
    "attribute vec4 a; attribute mat3 c; varying vec4 color;\n"
    "void main() { gl_Position = gl_ModelViewMatrix * gl_Vertex + v[2] + vec4(i, 1.0) + (b.x ? a : vec4(c[1], 1.0));\n"
    "color = vec4(m[1][0], 1.0) + s[1].b[1] * f; }\n";
static const char *FRAGMENT =
    "#version 120\n"
    "uniform sampler2D t; uniform samplerCube k; varying vec4 color; uniform float f;\n"
    "void main() { gl_FragColor = color * f + texture2D(t, color.xy) + textureCube(k, color.xyz); }\n";

static GLuint shader(GLenum kind, const char *text)
{
    GLuint name = glCreateShader(kind);
    glShaderSource(name, 1, &text, NULL);
    glCompileShader(name);
    return name;
}

static void shader_numbers(const char *when, GLuint name)
{
    static const GLenum ENUMS[] = {GL_SHADER_TYPE, GL_DELETE_STATUS, GL_COMPILE_STATUS, GL_INFO_LOG_LENGTH, GL_SHADER_SOURCE_LENGTH,
                                   GL_LINK_STATUS};
    GLint value;
    told(when, glIsShader(name));
    for (unsigned n = 0; n < sizeof ENUMS / sizeof *ENUMS; n++) {
        value = -7;
        glGetShaderiv(name, ENUMS[n], &value);
        told("shader number", value);
    }
}

static void program_numbers(const char *when, GLuint name)
{
    static const GLenum ENUMS[] = {GL_DELETE_STATUS, GL_LINK_STATUS, GL_VALIDATE_STATUS, GL_INFO_LOG_LENGTH, GL_ATTACHED_SHADERS,
                                   GL_ACTIVE_ATTRIBUTES, GL_ACTIVE_ATTRIBUTE_MAX_LENGTH, GL_ACTIVE_UNIFORMS,
                                   GL_ACTIVE_UNIFORM_MAX_LENGTH, GL_SHADER_TYPE};
    GLint value;
    told(when, glIsProgram(name));
    for (unsigned n = 0; n < sizeof ENUMS / sizeof *ENUMS; n++) {
        value = -7;
        glGetProgramiv(name, ENUMS[n], &value);
        told("program number", value);
    }
}

static void names(void)
{
    GLuint s = glCreateShader(GL_VERTEX_SHADER), p = glCreateProgram();
    GLchar text[16];
    GLint length = -5;
    GLuint list[4];
    told("shader and program", (long) (s * 100 + p));
    ASK(glCreateShader(GL_TEXTURE_2D));
    ASK(glIsShader(p));
    ASK(glIsProgram(s));
    ASK(glIsShader(0));
    ASK(glIsProgram(99));
    shader_numbers("fresh", s);
    program_numbers("fresh", p);
    shader_numbers("a program", p);
    program_numbers("a shader", s);
    shader_numbers("nothing", 77);
    program_numbers("nothing", 77);
    TELL(glCompileShader(s));
    TELL(glCompileShader(p));
    TELL(glCompileShader(99));
    TELL(glShaderSource(99, 1, &VERTEX, NULL));
    TELL(glShaderSource(p, 1, &VERTEX, NULL));
    TELL(glShaderSource(s, 1, NULL, NULL));
    TELL(glAttachShader(p, s));
    TELL(glAttachShader(p, s));
    TELL(glAttachShader(p, 99));
    TELL(glAttachShader(99, s));
    TELL(glAttachShader(s, s));
    TELL(glAttachShader(p, p));
    TELL(glDetachShader(p, 99));
    TELL(glDetachShader(p, p));
    TELL(glDetachShader(s, s));
    glGetAttachedShaders(p, 4, &length, list);
    told("attached", length);
    TELL(glGetAttachedShaders(p, -1, &length, list));
    TELL(glGetAttachedShaders(99, 1, &length, list));
    TELL(glLinkProgram(p));
    program_numbers("linked with what was not compiled", p);
    TELL(glLinkProgram(s));
    TELL(glLinkProgram(99));
    TELL(glUseProgram(p));
    TELL(glUseProgram(s));
    TELL(glUseProgram(99));
    TELL(glGetShaderInfoLog(s, -1, &length, text));
    TELL(glGetShaderInfoLog(99, 4, &length, text));
    TELL(glGetProgramInfoLog(99, 4, &length, text));
    TELL(glGetProgramInfoLog(p, -1, &length, text));
    glGetProgramInfoLog(p, 6, &length, text);
    told(text, length);
    TELL(glGetShaderSource(s, -1, &length, text));
    TELL(glDeleteShader(s));
    shader_numbers("deleted while attached", s);
    TELL(glDeleteShader(s));
    TELL(glDetachShader(p, s));
    ASK(glIsShader(s));
    TELL(glDeleteShader(0));
    TELL(glDeleteShader(99));
    TELL(glDeleteShader(p));
    TELL(glDeleteProgram(99));
    TELL(glDeleteProgram(p));
    ASK(glIsProgram(p));
    TELL(glValidateProgram(99));
    TELL(glBindAttribLocation(99, 1, "a"));
}

static void rows(GLuint p)
{
    GLint count, size;
    GLenum type;
    GLchar name[80];
    for (int uniforms = 0; uniforms < 2; uniforms++) {
        glGetProgramiv(p, uniforms ? GL_ACTIVE_UNIFORMS : GL_ACTIVE_ATTRIBUTES, &count);
        told("active", count);
        /* the order is each driver's: told in the order of names */
        static const char *NAMES[] = {"a", "b", "c", "f", "gl_ModelViewMatrix", "gl_Vertex", "i", "k", "m[0]", "s[0].a", "s[0].b[0]",
                                      "s[1].a", "s[1].b[0]", "t", "v[0]", "unused"};
        for (unsigned k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
            for (int n = 0; n < count; n++) {
                GLint length;
                if (uniforms)
                    glGetActiveUniform(p, n, 80, &length, &size, &type, name);
                else
                    glGetActiveAttrib(p, n, 80, &length, &size, &type, name);
                if (!strcmp(name, NAMES[k]))
                    printf("%s %d 0x%x %d\n", name, size, type, length);
            }
    }
    TELL(glGetActiveUniform(p, 99, 80, NULL, &size, &type, name));
    TELL(glGetActiveUniform(p, 0, -1, NULL, &size, &type, name));
    TELL(glGetActiveUniform(99, 0, 80, NULL, &size, &type, name));
    TELL(glGetActiveAttrib(p, 99, 80, NULL, &size, &type, name));
    TELL(glGetActiveAttrib(p, 0, -1, NULL, &size, &type, name));
}

static void value(GLuint p, const char *name)
{
    GLfloat f[16] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
    GLint i[16] = {-1, -1, -1, -1, -1, -1, -1, -1, -1}, at = glGetUniformLocation(p, name);
    printf("%s %s:", name, at < 0 ? "nowhere" : "somewhere");
    glGetUniformfv(p, at, f);
    glGetUniformiv(p, at, i);
    for (int n = 0; n < 7; n++)
        printf(" %g %d", f[n], i[n]);
    told("", 0);
}

static void all_values(GLuint p)
{
    static const char *NAMES[] = {"v", "v[0]", "v[1]", "v[2]", "v[3]", "v[00]", "v[-1]", "v[ 1]", "i", "i[0]", "b", "m", "m[1]", "s[1].b",
                                  "s[1].b[1]", "s[1].b[2]", "s", "s[1]", "s[1].a", "f", "unused", "gl_ModelViewMatrix", "t", "k", ""};
    for (unsigned n = 0; n < sizeof NAMES / sizeof *NAMES; n++)
        value(p, NAMES[n]);
}

static void uniforms(void)
{
    static const GLfloat FLOATS[] = {1.25f, -2.5f, 3.5f, 0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
    static const GLint INTS[] = {1, 0, -3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    GLuint p = glCreateProgram(), v = shader(GL_VERTEX_SHADER, VERTEX), f = shader(GL_FRAGMENT_SHADER, FRAGMENT);
    shader_numbers("vertex", v);
    glAttachShader(p, v);
    glAttachShader(p, f);
    TELL(glBindAttribLocation(p, 5, "a"));
    TELL(glBindAttribLocation(p, 16, "a"));
    TELL(glBindAttribLocation(p, 1, "gl_Vertex"));
    TELL(glUniform1f(0, 1.0f));
    ASK(glGetUniformLocation(p, "f"));
    ASK(glGetAttribLocation(p, "a"));
    TELL(glLinkProgram(p));
    program_numbers("linked", p);
    rows(p);
    ASK(glGetAttribLocation(p, "a"));
    ASK(glGetAttribLocation(p, "c"));
    ASK(glGetAttribLocation(p, "gl_Vertex"));
    ASK(glGetAttribLocation(p, "nothing"));
    ASK(glGetAttribLocation(99, "a"));
    ASK(glGetUniformLocation(99, "f"));
    ASK(glGetUniformLocation(v, "f"));
    all_values(p);
    TELL(glUseProgram(p));
    GLint current;
    glGetIntegerv(GL_CURRENT_PROGRAM, &current);
    told("current", current == (GLint) p);
#define AT(name) glGetUniformLocation(p, name)
    TELL(glUniform4f(AT("v[1]"), 1, 2, 3, 4));
    TELL(glUniform4fv(AT("v[2]"), 5, FLOATS));
    TELL(glUniform4fv(AT("v"), -1, FLOATS));
    TELL(glUniform4fv(AT("v"), 0, FLOATS));
    TELL(glUniform3f(AT("v"), 1, 2, 3));
    TELL(glUniform4i(AT("v"), 1, 2, 3, 4));
    TELL(glUniform3i(AT("i"), 1, -2, 3));
    TELL(glUniform3f(AT("i"), 1, -2, 3));
    TELL(glUniform3iv(AT("i"), 2, INTS));
    TELL(glUniform2f(AT("b"), -0.0f, 0.25f));
    all_values(p);
    TELL(glUniform2i(AT("b"), 7, 0));
    TELL(glUniform1f(AT("f"), 2.5f));
    TELL(glUniform1fv(AT("f"), 2, FLOATS));
    TELL(glUniform1i(AT("f"), 2));
    TELL(glUniformMatrix2x3fv(AT("m"), 2, GL_FALSE, FLOATS));
    value(p, "m[1]");
    TELL(glUniformMatrix2x3fv(AT("m"), 1, GL_TRUE, FLOATS));
    TELL(glUniformMatrix3x2fv(AT("m"), 1, GL_FALSE, FLOATS));
    TELL(glUniformMatrix2fv(AT("m"), 1, GL_FALSE, FLOATS));
    TELL(glUniformMatrix2x3fv(AT("m"), -1, GL_FALSE, FLOATS));
    TELL(glUniformMatrix2x3fv(AT("f"), 1, GL_FALSE, FLOATS));
    TELL(glUniform2fv(AT("m"), 3, FLOATS));
    TELL(glUniform1fv(AT("s[1].b[1]"), 3, FLOATS));
    TELL(glUniform1i(AT("t"), 3));
    TELL(glUniform1i(AT("k"), 3));
    TELL(glUniform1f(AT("t"), 3));
    TELL(glUniform2i(AT("t"), 3, 4));
    TELL(glUniform1i(AT("t"), -1));
    TELL(glUniform1i(AT("t"), 100000));
    TELL(glUniform1i(-1, 3));
    TELL(glUniform1i(-2, 3));
    TELL(glUniform1i(1000, 3));
    TELL(glUniform1iv(-1, -3, INTS));
    all_values(p);
    TELL(glValidateProgram(p));
    program_numbers("samplers of two types on a unit", p);
    glBegin(GL_POINTS);
    glVertex2f(0, 0);
    glEnd();
    TELL(glDrawArrays(GL_POINTS, 0, 0));
    TELL(glUniform1i(AT("k"), 4));
    TELL(glValidateProgram(p));
    program_numbers("no more", p);
    TELL(glLinkProgram(p));
    all_values(p);
    glDeleteProgram(p);
    program_numbers("deleted while in use", p);
    shader_numbers("its shader", v);
    glDeleteShader(v);
    shader_numbers("deleted, too", v);
    TELL(glUseProgram(p));
    TELL(glUseProgram(0));
    ASK(glIsProgram(p));
    ASK(glIsShader(v));
    ASK(glIsShader(f));
    TELL(glUniform1f(0, 1.0f));
}

static void failures(void)
{
    static const char *BAD = "void main() { gl_Position = nothing; }";
    GLuint p = glCreateProgram(), v = shader(GL_VERTEX_SHADER, VERTEX), f = shader(GL_FRAGMENT_SHADER, FRAGMENT);
    GLuint bad = shader(GL_VERTEX_SHADER, BAD);
    shader_numbers("bad", bad);
    glAttachShader(p, v);
    glAttachShader(p, f);
    glLinkProgram(p);
    glUseProgram(p);
    glUniform1f(glGetUniformLocation(p, "f"), 0.5f);
    glAttachShader(p, bad);
    TELL(glLinkProgram(p));
    program_numbers("a link that failed in use", p);
    TELL(glUniform1f(0, 0.5f));
    ASK(glGetUniformLocation(p, "f"));
    TELL(glUseProgram(p));
    glDetachShader(p, bad);
    TELL(glLinkProgram(p));
    value(p, "f");
    TELL(glUseProgram(0));
    glDeleteProgram(p);
    glDeleteShader(v);
    glDeleteShader(f);
    glDeleteShader(bad);
    ASK(glIsProgram(p));
    ASK(glIsShader(bad));
    GLuint empty = glCreateProgram();
    TELL(glLinkProgram(empty));
    program_numbers("of nothing", empty);
    TELL(glUseProgram(empty));
    TELL(glUseProgram(0));
    glDeleteProgram(empty);
}

/* What is asked by name again: of another link, of one that failed, of more names than a driver would keep, of a program that may
 * have the name of one that was deleted. */
static void asked_again(void)
{
    static const char *BAD = "void main() { gl_Position = nothing; }";
    char name[200];
    GLuint p = glCreateProgram(), v = shader(GL_VERTEX_SHADER, VERTEX), f = shader(GL_FRAGMENT_SHADER, FRAGMENT);
    GLuint bad = shader(GL_VERTEX_SHADER, BAD);
    glAttachShader(p, v);
    glAttachShader(p, f);
    for (int n = 1; n < 12; n++) {
        glBindAttribLocation(p, n % 6 + 6, "a");
        if (n == 7)
            glAttachShader(p, bad);
        TELL(glLinkProgram(p));
        for (int again = 0; again < 2; again++) {
            ASK(glGetAttribLocation(p, "a"));
            ASK(glGetUniformLocation(p, "f") >= 0);
            ASK(glGetUniformLocation(p, "a"));
            ASK(glGetUniformLocation(p, "v[2]") - glGetUniformLocation(p, "v"));
        }
        if (n == 7)
            glDetachShader(p, bad);
    }
    int first = glGetUniformLocation(p, "f"), wrong = 0;
    for (int n = 0; n < 3000; n++) {
        snprintf(name, sizeof name, "%0*d", n % 150 + 1, n);
        wrong += glGetUniformLocation(p, name) != -1 || glGetUniformLocation(p, "f") != first || glGetAttribLocation(p, "a") != 11;
    }
    told("wrong", wrong);
    glDeleteProgram(p);
    ASK(glGetAttribLocation(p, "a"));
    GLuint other = glCreateProgram();
    ASK(glGetAttribLocation(other, "a"));
    glAttachShader(other, v);
    glBindAttribLocation(other, 3, "a");
    TELL(glLinkProgram(other));
    ASK(glGetAttribLocation(other, "a"));
    glDeleteProgram(other);
    glDeleteShader(v);
    glDeleteShader(f);
    glDeleteShader(bad);
}

static void old_names(void)
{
    GLhandleARB p = glCreateProgramObjectARB(), v = glCreateShaderObjectARB(GL_VERTEX_SHADER_ARB);
    GLint value = -3, count;
    GLfloat number = -3;
    GLchar text[32];
    GLhandleARB list[3];
    glShaderSourceARB(v, 1, &VERTEX, NULL);
    glCompileShaderARB(v);
    glAttachObjectARB(p, v);
    glLinkProgramARB(p);
    static const GLenum ENUMS[] = {GL_OBJECT_TYPE_ARB, GL_OBJECT_SUBTYPE_ARB, GL_OBJECT_DELETE_STATUS_ARB, GL_OBJECT_COMPILE_STATUS_ARB,
                                   GL_OBJECT_LINK_STATUS_ARB, GL_OBJECT_INFO_LOG_LENGTH_ARB, GL_OBJECT_ATTACHED_OBJECTS_ARB,
                                   GL_OBJECT_SHADER_SOURCE_LENGTH_ARB};
    for (unsigned n = 0; n < sizeof ENUMS / sizeof *ENUMS; n++) {
        TELL(glGetObjectParameterivARB(p, ENUMS[n], &value));
        told("program", value);
        TELL(glGetObjectParameterfvARB(v, ENUMS[n], &number));
        told("shader", (long) number);
    }
    TELL(glGetObjectParameterivARB(99, GL_OBJECT_TYPE_ARB, &value));
    TELL(glUseProgramObjectARB(p));
    told("handle", glGetHandleARB(GL_PROGRAM_OBJECT_ARB) == p);
    ASK(glGetHandleARB(GL_VERTEX_SHADER));
    TELL(glGetInfoLogARB(p, 32, &count, text));
    TELL(glGetInfoLogARB(99, 32, &count, text));
    glGetAttachedObjectsARB(p, 3, &count, list);
    told("attached", count);
    TELL(glUniform1fARB(glGetUniformLocationARB(p, "f"), 0.5f));
    TELL(glDeleteObjectARB(v));
    TELL(glDeleteObjectARB(p));
    TELL(glDeleteObjectARB(99));
    TELL(glUseProgramObjectARB(0));
    ASK(glIsProgram(p));
    ASK(glIsShader(v));
}

/* ARB_ES2_compatibility: what OpenGL ES 2.0 has and OpenGL 2.1 has not. */
static void precisions(GLenum stage)
{
    /* The peer says of the lower precisions that they are halves and 16 bits, which it does not compute with. */
    static const GLenum LOWER[] = {GL_LOW_FLOAT, GL_MEDIUM_FLOAT, GL_LOW_INT, GL_MEDIUM_INT};
    static const GLenum KINDS[] = {GL_HIGH_FLOAT, GL_HIGH_INT, GL_FLOAT};
    for (int n = 0; n < COUNT(LOWER); n++) {
        GLint range[2] = {-7, -7}, precision = -7;
        glGetShaderPrecisionFormat(stage, LOWER[n], range, &precision);
        told("precision", range[0] >= 15 && range[1] >= 14 && (precision >= 10 || n > 1));
    }
    for (int n = 0; n < COUNT(KINDS); n++) {
        GLint range[2] = {-7, -7}, precision = -7;
        glGetShaderPrecisionFormat(stage, KINDS[n], range, &precision);
        told("precision", precision * 10000L + range[0] * 100L + range[1]);
    }
}

static void depths(void)
{
    GLdouble range[2];
    glDepthRangef(0.25f, 7.0f);
    glGetDoublev(GL_DEPTH_RANGE, range);
    told("near", (long) (range[0] * 1e6));
    told("far", (long) (range[1] * 1e6));
    glClearDepthf(0.1f);
    glGetDoublev(GL_DEPTH_CLEAR_VALUE, range);
    told("cleared", (long) (range[0] * 1e9));
    glNewList(1, GL_COMPILE);
    glDepthRangef(0.5f, 0.75f);
    glClearDepthf(-3.0f);
    glEndList();
    glCallList(1);
    glGetDoublev(GL_DEPTH_RANGE, range);
    told("near", (long) (range[0] * 1e6));
    glGetDoublev(GL_DEPTH_CLEAR_VALUE, range);
    told("cleared", (long) (range[0] * 1e9));
}

static void compiles(GLenum kind, const char *text)
{
    GLuint s = shader(kind, text);
    GLint compiled = -1;
    glGetShaderiv(s, GL_COMPILE_STATUS, &compiled);
    told(text, compiled);
    glDeleteShader(s);
}

static void of_es(void)
{
    static const GLenum LIMITS[] = {GL_MAX_VERTEX_UNIFORM_VECTORS, GL_MAX_FRAGMENT_UNIFORM_VECTORS, GL_MAX_VARYING_VECTORS,
                                    GL_SHADER_COMPILER};
    GLuint s = glCreateShader(GL_VERTEX_SHADER), none = 99;
    GLint value;
    precisions(GL_VERTEX_SHADER);
    precisions(GL_FRAGMENT_SHADER);
    precisions(GL_GEOMETRY_SHADER);
    depths();
    TELL(glReleaseShaderCompiler());
    TELL(glShaderBinary(1, &s, 77, "x", 1));
    TELL(glShaderBinary(1, &none, 77, "x", 1));
    TELL(glShaderBinary(-1, &s, 77, "x", 1));
    TELL(glShaderBinary(1, &s, 77, "x", -1));
    for (int n = 0; n < COUNT(LIMITS); n++) {
        value = -7;
        glGetIntegerv(LIMITS[n], &value);
        told("limit", value);
    }
    compiles(GL_VERTEX_SHADER, "#version 100\nattribute vec4 a; void main() { gl_Position = a; }");
    compiles(GL_VERTEX_SHADER, "#version 100\nvoid main() { gl_Position = gl_Vertex; }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nvoid main() { gl_FragColor = vec4(1.0); }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nvarying vec4 v; void main() { gl_FragColor = v; }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nvarying mediump vec4 v; void main() { gl_FragColor = v; }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nprecision highp float; varying vec4 v; void main() { vec4 u = v; gl_FragColor = u; }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nvoid main() { float f = 1.0; gl_FragColor = vec4(f); }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nstruct S { float f; }; void main() { gl_FragColor = vec4(1.0); }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nfloat f(mediump float x) { return x; } void main() { gl_FragColor = vec4(1.0); }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nmediump float f(float x) { return x; } void main() { gl_FragColor = vec4(1.0); }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nvoid main() { { precision lowp float; float f; } float g; }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nuniform sampler2D t; uniform int i; uniform bool b; uniform samplerCube c; void main() { }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nuniform mediump bool b; void main() { }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nprecision lowp bool; void main() { }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nprecision lowp vec2; void main() { }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nprecision mediump float; void main() { gl_FragColor = vec4(1); int i = 1.0; }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nprecision mediump float; void main() { gl_FragColor = vec4(1.0) * 2; }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nprecision mediump float; float sin(float x) { return x; } void main() { }");
    compiles(GL_FRAGMENT_SHADER, "#version 100\nprecision mediump float; uniform sampler2D t; "
                                 "void main() { gl_FragColor = texture2DLod(t, vec2(0.0), 0.0); }");
    compiles(GL_VERTEX_SHADER, "#version 100\nuniform sampler2D t; void main() { gl_Position = texture2DLod(t, vec2(0.0), 0.0); }");
    compiles(GL_FRAGMENT_SHADER, "#version 120\nmediump vec4 v; void main() { gl_FragColor = vec4(1.0); }");
    compiles(GL_FRAGMENT_SHADER, "#version 120\nprecision mediump float; void main() { gl_FragColor = vec4(1.0); }");
}

/* ARB_texture_cube_map_array in GLSL 1.20: a texel each for two cubes, looked up in all the ways that there are. */
static void cube_texture(GLenum internal, GLenum format)
{
    GLubyte texels[12][4] = {{0}};
    for (int n = 0; n < 12; n++)
        for (int c = 0; c < 4; c++)
            texels[n][c] = (GLubyte) (20 * n + 3 * c + 5);
    glTexImage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 0, internal, 1, 1, 12, 0, format, format == GL_RGBA ? GL_UNSIGNED_BYTE : GL_UNSIGNED_INT, texels);
    glTexParameteri(GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static void cube_lookup(const char *sampler, const char *value)
{
    static const GLfloat PLACES[][4] = {{1, 0.1f, 0.2f, 0}, {-1, 0.3f, 0, 1}, {0, 1, 0.2f, 0.6f}, {0, 0.5f, -1, 0.4f}, {0, -1, 0, 7}};
    char text[512];
    snprintf(text, sizeof text, "#version 120\n#extension GL_ARB_texture_cube_map_array : enable\nuniform %s t; uniform vec4 p;"
                                "void main() { gl_FragColor = vec4(%s); }", sampler, value);
    GLuint p = glCreateProgram(), s = shader(GL_FRAGMENT_SHADER, text);
    glAttachShader(p, s);
    glLinkProgram(p);
    glUseProgram(p);
    for (int n = 0; n < COUNT(PLACES); n++) {
        GLubyte pixel[4];
        glUniform4fv(glGetUniformLocation(p, "p"), 1, PLACES[n]);
        glRectf(-1, -1, 1, 1);
        glReadPixels(3, 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        told(value, pixel[0] * 1000000L + pixel[1] * 1000L + pixel[2]);
    }
    glUseProgram(0);
    glDeleteShader(s);
    glDeleteProgram(p);
}

static void cube_arrays(void)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_CUBE_MAP_ARRAY, name);
    cube_texture(GL_RGBA8, GL_RGBA);
    cube_lookup("samplerCubeArray", "texture(t, p)");
    cube_lookup("samplerCubeArray", "texture(t, p, 1.0)");
    cube_lookup("samplerCubeArray", "textureLod(t, p, 0.0)");
    cube_lookup("samplerCubeArray", "textureGrad(t, p, vec3(0.0), vec3(0.1))");
    cube_lookup("samplerCubeArray", "vec3(textureSize(t, 0)) / 4.0, 1.0");
    cube_lookup("samplerCubeArray", "texture(t)");
    cube_texture(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT);
    glTexParameteri(GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    cube_lookup("samplerCubeArrayShadow", "texture(t, p, 0.2)");
    cube_lookup("samplerCubeArrayShadow", "texture(t, p, 0.6)");
    cube_lookup("samplerCubeArrayShadow", "vec3(textureSize(t, 0)) / 4.0, 1.0");
    glDeleteTextures(1, &name);
}

int main(void)
{
    Rig rig = make_rig(64, 64);
    names();
    uniforms();
    failures();
    asked_again();
    old_names();
    of_es();
    cube_arrays();
    drop_rig(&rig);
    return 0;
}
