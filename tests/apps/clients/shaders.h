/* SPDX-License-Identifier: MIT */
/* How the bench programs of GLSL make programs. */

static GLuint compiled(GLenum stage, const char *head, const char *text)
{
    const char *parts[] = {head, text};
    GLuint name = glCreateShader(stage);
    glShaderSource(name, 2, parts, NULL);
    glCompileShader(name);
    return name;
}

/* Link a program; 0, and its log, where that fails. */
static int linked(GLuint name)
{
    GLint done;
    glLinkProgram(name);
    glGetProgramiv(name, GL_LINK_STATUS, &done);
    if (!done) {
        char log[2000];
        glGetProgramInfoLog(name, sizeof log, NULL, log);
        fprintf(stderr, "%s\n", log);
    }
    return done;
}
