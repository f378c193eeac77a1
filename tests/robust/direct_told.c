/* SPDX-License-Identifier: MIT */
/* What direct state access says (EXT_direct_state_access), line by line: names that are 0, generated, invented, of another kind or target;
 * units and matrices that there are not; and what is bound and active afterwards. test_names_peer.py compares the lines with the peer's. */
#include "told.h"

static const GLfloat M[16] = {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1};
static const GLdouble D[16] = {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1};
static const GLubyte TEXELS[4 * 4 * 4 * 4] = {10, 20, 30, 40, 50, 60, 70, 80};
static GLubyte block[64];

static int asked(GLenum what)
{
    int value = -1;
    glGetIntegerv(what, &value);
    return value;
}

static void matrix(const char *what, GLenum which)
{
    GLfloat m[16];
    glGetFloatv(which, m);
    printf("%s:", what);
    for (int n = 0; n < 16; n++)
        printf(" %g", m[n]);
    putchar('\n');
}

static void matrices(void)
{
    static const GLenum modes[] = {GL_MODELVIEW, GL_PROJECTION, GL_TEXTURE, GL_TEXTURE0, GL_TEXTURE0 + 3, GL_TEXTURE0 + 7, GL_COLOR, 0, GL_TEXTURE0 - 1};
    for (int active = 0; active < 2; active++)
        for (int n = 0; n < COUNT(modes); n++) {
            GLenum mode = modes[n];
            printf("mode 0x%x\n", mode);
            glActiveTexture(GL_TEXTURE0 + active);
            TELL(glMatrixLoadIdentityEXT(mode));
            TELL(glMatrixLoadfEXT(mode, M));
            TELL(glMatrixPushEXT(mode));
            TELL(glMatrixMultdEXT(mode, D));
            TELL(glMatrixTranslatefEXT(mode, 1, 2, 3));
            TELL(glMatrixScaledEXT(mode, 2, 2, 2));
            TELL(glMatrixOrthoEXT(mode, 0, 2, 0, 4, -1, 1));
            TELL(glMatrixOrthoEXT(mode, 0, 0, 0, 4, -1, 1));
            TELL(glMatrixFrustumEXT(mode, -1, 1, -1, 1, -1, 1));
            matrix("modelview", GL_MODELVIEW_MATRIX);
            matrix("projection", GL_PROJECTION_MATRIX);
            for (int unit = 0; unit < 8; unit += 1) {
                glActiveTexture(GL_TEXTURE0 + unit);
                matrix("texture", GL_TEXTURE_MATRIX);
            }
            glActiveTexture(GL_TEXTURE0 + active);
            TELL(glMatrixPopEXT(mode));
            TELL(glMatrixPopEXT(mode));
            TELL(glMatrixLoadTransposefEXT(mode, M));
            TELL(glMatrixMultTransposedEXT(mode, D));
            matrix("projection", GL_PROJECTION_MATRIX);
            ASK(asked(GL_MATRIX_MODE));
            ASK(asked(GL_ACTIVE_TEXTURE) - GL_TEXTURE0);
        }
    glActiveTexture(GL_TEXTURE0);
}

static void texture_state(GLuint name, GLenum target)
{
    int value[4] = {-1, -1, -1, -1};
    static const GLenum parameters[] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_MIN_FILTER, GL_TEXTURE_BASE_LEVEL, GL_TEXTURE_IMMUTABLE_FORMAT, GL_TEXTURE_TARGET};
    for (int n = 0; n < COUNT(parameters); n++) {
        glGetTextureParameterivEXT(name, target, parameters[n], value);
        told("parameter", value[0]);
    }
    for (int level = -1; level < 1; level++) {
        glGetTextureLevelParameterivEXT(name, target, level, GL_TEXTURE_WIDTH, value);
        told("width", value[0]);
    }
    memset(block, 0, sizeof block);
    glGetTextureImageEXT(name, target, 0, GL_RGBA, GL_UNSIGNED_BYTE, block);
    told("texel", block[12]);
}

/* Everything of one texture, which may not be, or be another's. */
static void texture(const char *kind, GLuint name, GLenum target)
{
    GLfloat border[4] = {.25f, .5f, .75f, 1};
    GLint wrap = GL_CLAMP_TO_EDGE;
    printf("-- %s, target 0x%x\n", kind, target);
    TELL(glTextureParameteriEXT(name, target, GL_TEXTURE_WRAP_S, GL_CLAMP));
    TELL(glTextureParameterivEXT(name, target, GL_TEXTURE_WRAP_T, &wrap));
    TELL(glTextureParameterfEXT(name, target, GL_TEXTURE_MIN_FILTER, GL_LINEAR));
    TELL(glTextureParameterfvEXT(name, target, GL_TEXTURE_BORDER_COLOR, border));
    TELL(glTextureParameteriEXT(name, target, GL_TEXTURE_WRAP_S, 77));
    TELL(glTextureParameteriEXT(name, target, GL_TEXTURE_BASE_LEVEL, -1));
    TELL(glTextureImage1DEXT(name, target, 0, GL_RGBA, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
    TELL(glTextureImage2DEXT(name, target, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
    TELL(glTextureImage3DEXT(name, target, 0, GL_RGBA, 4, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
    TELL(glTextureImage2DEXT(name, target, 99, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
    if (target && target != GL_TEXTURE_2D + 1) /* the peer's error is another one there */
        TELL(glTextureSubImage1DEXT(name, target, 0, 1, 2, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
    TELL(glTextureSubImage2DEXT(name, target, 0, 1, 1, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
    TELL(glTextureSubImage3DEXT(name, target, 0, 1, 1, 1, 2, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
    TELL(glTextureSubImage2DEXT(name, target, 0, 3, 3, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
    TELL(glCopyTextureSubImage1DEXT(name, target, 0, 0, 0, 0, 2));
    TELL(glCopyTextureSubImage2DEXT(name, target, 0, 0, 0, 0, 0, 2, 2));
    TELL(glCopyTextureSubImage3DEXT(name, target, 0, 0, 0, 0, 0, 0, 2, 2));
    TELL(glCompressedTextureImage2DEXT(name, target, 0, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 4, 4, 0, 9, block));
    TELL(glGenerateTextureMipmapEXT(name, target));
    texture_state(name, target);
    TELL(glCopyTextureImage1DEXT(name, target, 0, GL_RGB, 0, 0, 8, 0));
    TELL(glCopyTextureImage2DEXT(name, target, 0, GL_RGB, 0, 0, 8, 8, 0));
    texture_state(name, target);
    TELL(glTextureStorage2DEXT(name, target, 1, GL_RGBA8, 4, 4));
    texture_state(name, target);
    ASK(asked(GL_TEXTURE_BINDING_2D));
    ASK(glIsTexture(name));
}

static void textures(void)
{
    static const GLenum targets[] = {GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_RECTANGLE, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_1D_ARRAY, 0, GL_TEXTURE_2D + 1};
    GLuint fresh[COUNT(targets)], flat, deleted;
    glGenTextures(COUNT(targets), fresh);
    glGenTextures(1, &flat);
    glGenTextures(1, &deleted);
    glBindTexture(GL_TEXTURE_2D, flat);
    glBindTexture(GL_TEXTURE_2D, 0);
    glDeleteTextures(1, &deleted);
    for (int n = 0; n < COUNT(targets); n++) {
        texture("generated", fresh[n], targets[n]);
        if (n) /* the peer's default texture of lines has no image then */
            texture("0", 0, targets[n]);
        texture("invented", 7000 + n, targets[n]);
        texture("of GL_TEXTURE_2D", flat, targets[n]);
    }
    texture("deleted", deleted, GL_TEXTURE_2D);
}

static void units(void)
{
    static const int numbers[] = {0, 3, 7, -1, 400};
    GLfloat plane[4] = {1, 2, 3, 4}, got[4];
    GLint value;
    GLuint name;
    glGenTextures(1, &name);
    for (int n = 0; n < COUNT(numbers); n++) {
        GLenum unit = GL_TEXTURE0 + numbers[n];
        printf("-- unit %d\n", numbers[n]);
        TELL(glBindMultiTextureEXT(unit, GL_TEXTURE_2D, name));
        TELL(glBindMultiTextureEXT(unit, GL_TEXTURE_3D, name));
        TELL(glBindMultiTextureEXT(unit, 0, name));
        TELL(glMultiTexParameteriEXT(unit, GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP));
        TELL(glMultiTexParameteriEXT(unit, 0, GL_TEXTURE_WRAP_S, GL_CLAMP));
        TELL(glMultiTexImage2DEXT(unit, GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
        if (n > 2) /* the peer crashes */
            continue;
        TELL(glMultiTexImage2DEXT(unit, GL_PROXY_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL));
        TELL(glMultiTexSubImage2DEXT(unit, GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, TEXELS));
        TELL(glCopyMultiTexImage2DEXT(unit, GL_TEXTURE_2D, 1, GL_RGBA, 0, 0, 2, 2, 0));
        TELL(glGenerateMultiTexMipmapEXT(unit, GL_TEXTURE_2D));
        value = -1;
        TELL(glGetMultiTexLevelParameterivEXT(unit, GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &value));
        told("width", value);
        value = -1;
        TELL(glGetMultiTexParameterivEXT(unit, GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, &value));
        told("wrap", value);
        TELL(glGetMultiTexImageEXT(unit, GL_TEXTURE_2D, 2, GL_RGBA, GL_UNSIGNED_BYTE, block));
        told("texel", block[0]);
        TELL(glMultiTexEnviEXT(unit, GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_ADD));
        TELL(glMultiTexEnviEXT(unit, GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, 7));
        TELL(glMultiTexEnvfvEXT(unit, GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, plane));
        value = -1;
        TELL(glGetMultiTexEnvivEXT(unit, GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, &value));
        told("mode", value);
        TELL(glMultiTexGenfvEXT(unit, GL_S, GL_OBJECT_PLANE, plane));
        TELL(glMultiTexGeniEXT(unit, GL_T, GL_TEXTURE_GEN_MODE, GL_SPHERE_MAP));
        TELL(glMultiTexGendEXT(unit, GL_T, GL_TEXTURE_GEN_MODE, 5));
        got[0] = -1;
        TELL(glGetMultiTexGenfvEXT(unit, GL_S, GL_OBJECT_PLANE, got));
        told("plane", (long) got[0]);
        TELL(glMultiTexCoordPointerEXT(unit, 2, GL_FLOAT, 0, NULL));
        TELL(glMultiTexCoordPointerEXT(unit, 5, GL_FLOAT, 0, NULL));
        ASK(asked(GL_ACTIVE_TEXTURE) - GL_TEXTURE0);
        ASK(asked(GL_CLIENT_ACTIVE_TEXTURE) - GL_TEXTURE0);
    }
}

static void switches(void)
{
    static const GLenum capabilities[] = {GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_RECTANGLE, GL_TEXTURE_GEN_S,
                                          GL_TEXTURE_GEN_Q, GL_BLEND, GL_LIGHTING, GL_TEXTURE_2D_ARRAY};
    static const GLuint numbers[] = {0, 2, 7, 900};
    for (int n = 0; n < COUNT(capabilities); n++)
        for (int k = 0; k < COUNT(numbers); k++) {
            GLint value = -1;
            printf("-- 0x%x, %u\n", capabilities[n], numbers[k]);
            TELL(glEnableIndexedEXT(capabilities[n], numbers[k]));
            ASK(glIsEnabledIndexedEXT(capabilities[n], numbers[k]));
            glGetIntegerIndexedvEXT(capabilities[n], numbers[k], &value);
            told("value", value);
            TELL(glDisableIndexedEXT(capabilities[n], numbers[k]));
            ASK(glIsEnabledIndexedEXT(capabilities[n], numbers[k]));
        }
    static const GLenum values[] = {GL_TEXTURE_BINDING_2D, GL_TEXTURE_BINDING_3D, GL_TEXTURE_MATRIX, GL_TRANSPOSE_TEXTURE_MATRIX, GL_TEXTURE_COORD_ARRAY,
                                    GL_TEXTURE_ENV_MODE, GL_MODELVIEW_MATRIX, GL_CURRENT_TEXTURE_COORDS};
    for (int n = 0; n < COUNT(values); n++)
        for (int k = 0; k < COUNT(numbers); k++) {
            GLfloat got[16] = {-1};
            GLdouble wide[16] = {-1};
            GLint whole[16] = {-1};
            printf("-- 0x%x, %u\n", values[n], numbers[k]);
            TELL(glGetFloatIndexedvEXT(values[n], numbers[k], got));
            TELL(glGetDoubleIndexedvEXT(values[n], numbers[k], wide));
            if (values[n] != GL_TEXTURE_MATRIX && values[n] != GL_TRANSPOSE_TEXTURE_MATRIX)
                TELL(glGetIntegerIndexedvEXT(values[n], numbers[k], whole));
            if (values[n] != GL_TEXTURE_BINDING_2D)
                printf("%g %g %d\n", got[0], wide[0], whole[0]);
        }
    for (int k = 0; k < 3; k++) {
        TELL(glEnableClientStateIndexedEXT(GL_TEXTURE_COORD_ARRAY, numbers[k]));
        ASK(glIsEnabled(GL_TEXTURE_COORD_ARRAY));
        TELL(glDisableClientStateIndexedEXT(GL_TEXTURE_COORD_ARRAY, numbers[k]));
        TELL(glEnableClientStateiEXT(GL_VERTEX_ARRAY, numbers[k]));
    }
    TELL(glEnableClientStateIndexedEXT(GL_TEXTURE_COORD_ARRAY, 900));
    TELL(glDisableClientStateiEXT(GL_TEXTURE_COORD_ARRAY, 900));
}

static void client(void)
{
    TELL(glPixelStorei(GL_UNPACK_ALIGNMENT, 1));
    TELL(glPixelStorei(GL_PACK_ROW_LENGTH, 17));
    TELL(glEnableClientState(GL_VERTEX_ARRAY));
    TELL(glVertexPointer(2, GL_SHORT, 12, NULL));
    TELL(glClientActiveTexture(GL_TEXTURE3));
    TELL(glPushClientAttribDefaultEXT(GL_CLIENT_ALL_ATTRIB_BITS));
    static const GLenum values[] = {GL_UNPACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_VERTEX_ARRAY, GL_VERTEX_ARRAY_SIZE, GL_VERTEX_ARRAY_TYPE, GL_VERTEX_ARRAY_STRIDE,
                                    GL_COLOR_ARRAY_SIZE, GL_NORMAL_ARRAY_TYPE, GL_CLIENT_ACTIVE_TEXTURE, GL_TEXTURE_COORD_ARRAY_SIZE};
    for (int n = 0; n < COUNT(values); n++)
        ASK(asked(values[n]));
    TELL(glPopClientAttrib());
    for (int n = 0; n < COUNT(values); n++)
        ASK(asked(values[n]));
    TELL(glClientAttribDefaultEXT(GL_CLIENT_PIXEL_STORE_BIT));
    ASK(asked(GL_UNPACK_ALIGNMENT));
    ASK(asked(GL_VERTEX_ARRAY_SIZE));
    TELL(glClientAttribDefaultEXT(GL_CLIENT_VERTEX_ARRAY_BIT));
    ASK(asked(GL_VERTEX_ARRAY_SIZE));
    TELL(glClientAttribDefaultEXT(0x10000));
}

static void buffer(const char *kind, GLuint name)
{
    GLint value = -1;
    void *pointer = NULL;
    unsigned words[4] = {1, 2, 3, 4};
    printf("-- %s\n", kind);
    TELL(glGetNamedBufferParameterivEXT(name, GL_BUFFER_SIZE, &value));
    told("size", value);
    TELL(glNamedBufferDataEXT(name, 16, words, GL_STATIC_DRAW));
    TELL(glNamedBufferDataEXT(name, -1, words, GL_STATIC_DRAW));
    TELL(glNamedBufferSubDataEXT(name, 4, 8, words));
    if (name) /* GL_INVALID_OPERATION, as of the other commands; the peer's is GL_INVALID_VALUE */
        TELL(glClearNamedBufferSubDataEXT(name, GL_R32UI, 0, 4, GL_RED_INTEGER, GL_UNSIGNED_INT, words + 3));
    TELL(glGetNamedBufferSubDataEXT(name, 0, 4, words));
    told("word", words[0]);
    TELL(glUnmapNamedBufferEXT(name));
    TELL(glMapNamedBufferEXT(name, GL_READ_ONLY));
    TELL(glGetNamedBufferPointervEXT(name, GL_BUFFER_MAP_POINTER, &pointer));
    told("mapped", pointer != NULL);
    ASK(glUnmapNamedBufferEXT(name));
    TELL(glMapNamedBufferRangeEXT(name, 0, 99, GL_MAP_READ_BIT));
    TELL(glFlushMappedNamedBufferRangeEXT(name, 0, 4));
    if (name)
        TELL(glNamedCopyBufferSubDataEXT(name, name, 0, 8, 4));
    ASK(glIsBuffer(name));
}

static void arrays(const char *kind, GLuint name, GLuint data)
{
    static const GLenum values[] = {GL_VERTEX_ARRAY, GL_VERTEX_ARRAY_SIZE, GL_VERTEX_ARRAY_STRIDE, GL_VERTEX_ARRAY_BUFFER_BINDING, GL_TEXTURE_COORD_ARRAY_SIZE,
                                    GL_CLIENT_ACTIVE_TEXTURE, GL_DEPTH_BITS, GL_COLOR_ARRAY_TYPE};
    printf("-- %s, buffer %s\n", kind, data ? "there" : "0");
    TELL(glVertexArrayVertexOffsetEXT(name, data, 2, GL_SHORT, 8, 16));
    TELL(glVertexArrayVertexOffsetEXT(name, data, 2, GL_SHORT, 8, -16));
    TELL(glVertexArrayVertexOffsetEXT(name, data, 9, GL_SHORT, 8, 0));
    TELL(glVertexArrayColorOffsetEXT(name, data, 4, GL_FLOAT, 0, 0));
    TELL(glVertexArrayNormalOffsetEXT(name, data, GL_BYTE, 0, 0));
    TELL(glVertexArrayTexCoordOffsetEXT(name, data, 2, GL_FLOAT, 0, 0));
    TELL(glVertexArrayMultiTexCoordOffsetEXT(name, data, GL_TEXTURE2, 3, GL_FLOAT, 0, 0));
    TELL(glVertexArrayVertexAttribOffsetEXT(name, data, 3, 4, GL_FLOAT, 0, 0, 32));
    TELL(glVertexArrayVertexAttribOffsetEXT(name, data, 99, 4, GL_FLOAT, 0, 0, 32));
    TELL(glEnableVertexArrayEXT(name, GL_VERTEX_ARRAY));
    TELL(glEnableVertexArrayEXT(name, GL_TEXTURE2));
    TELL(glEnableVertexArrayEXT(name, GL_TEXTURE0 + 99));
    TELL(glEnableVertexArrayAttribEXT(name, 3));
    TELL(glEnableVertexArrayAttribEXT(name, 99));
    TELL(glVertexArrayBindVertexBufferEXT(name, 5, data, 8, 4));
    TELL(glVertexArrayVertexAttribFormatEXT(name, 5, 2, GL_FLOAT, 0, 0));
    TELL(glVertexArrayVertexAttribBindingEXT(name, 5, 5));
    TELL(glVertexArrayVertexBindingDivisorEXT(name, 5, 2));
    TELL(glVertexArrayVertexAttribDivisorEXT(name, 3, 1));
    for (int n = 0; n < COUNT(values); n++) {
        GLint value = -1;
        glGetVertexArrayIntegervEXT(name, values[n], &value);
        if (values[n] != GL_VERTEX_ARRAY_BUFFER_BINDING)
            told("value", value);
    }
    for (int index = 0; index < 100; index += 3) {
        GLint value = index < 16 ? -1 : 0; /* the peer writes 0 beyond */
        void *pointer = (void *) 7;
        glGetVertexArrayIntegeri_vEXT(name, index, GL_VERTEX_ATTRIB_ARRAY_SIZE, &value);
        told("size", value);
        value = index < 16 ? -1 : 0;
        glGetVertexArrayIntegeri_vEXT(name, index, GL_VERTEX_ATTRIB_ARRAY_DIVISOR, &value);
        told("divisor", value);
        glGetVertexArrayPointeri_vEXT(name, index, GL_VERTEX_ATTRIB_ARRAY_POINTER, &pointer);
        told("pointer", (long) pointer);
        if (index < 8) {
            glGetVertexArrayIntegeri_vEXT(name, index, GL_TEXTURE_COORD_ARRAY_SIZE, &value);
            told("coordinates", value);
        }
    }
    void *pointer = (void *) 7;
    TELL(glGetVertexArrayPointervEXT(name, GL_VERTEX_ARRAY_POINTER, &pointer));
    told("pointer", (long) pointer);
    TELL(glGetVertexArrayPointervEXT(name, GL_BLEND, &pointer));
    TELL(glDisableVertexArrayEXT(name, GL_VERTEX_ARRAY));
    TELL(glDisableVertexArrayAttribEXT(name, 3));
    ASK(asked(GL_VERTEX_ARRAY_BINDING));
    ASK(asked(GL_ARRAY_BUFFER_BINDING));
    ASK(glIsVertexArray(name));
}

static void programs(void)
{
    static const char *text = "uniform vec4 v; uniform float f; uniform mat4 m; uniform sampler2D s; uniform int i;"
                              "void main() { gl_FragColor = m * v * f * float(i) + texture2D(s, vec2(0)); }";
    GLuint shader = glCreateShader(GL_FRAGMENT_SHADER), program = glCreateProgram(), empty = glCreateProgram();
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    GLuint names[] = {program, empty, shader, 0, 4321};
    static const char *kinds[] = {"linked", "empty", "shader", "0", "none"};
    for (int n = 0; n < COUNT(names); n++) {
        GLuint name = names[n];
        GLfloat got[16] = {-1};
        GLint v = glGetUniformLocation(program, "v"), f = glGetUniformLocation(program, "f"), m = glGetUniformLocation(program, "m");
        GLint s = glGetUniformLocation(program, "s"), i = glGetUniformLocation(program, "i");
        printf("-- %s\n", kinds[n]);
        TELL(glProgramUniform1fEXT(name, f, 2.5f));
        TELL(glProgramUniform4fvEXT(name, v, 1, M));
        TELL(glProgramUniform4fEXT(name, f, 1, 2, 3, 4));
        TELL(glProgramUniform1iEXT(name, i, 3));
        TELL(glProgramUniform1iEXT(name, s, 2));
        TELL(glProgramUniform1iEXT(name, s, 2000));
        TELL(glProgramUniform1iEXT(name, -1, 2));
        TELL(glProgramUniform1iEXT(name, 77, 2));
        TELL(glProgramUniformMatrix4fvEXT(name, m, 1, GL_TRUE, M));
        TELL(glProgramUniformMatrix3fvEXT(name, m, 1, GL_FALSE, M));
        TELL(glProgramUniform1fvEXT(name, f, -1, M));
        if (!n) {
            glGetUniformfv(program, m, got);
            printf("%g %g %g\n", got[0], got[3], got[12]);
            glGetUniformfv(program, v, got);
            printf("%g %g\n", got[0], got[3]);
        }
        ASK(asked(GL_CURRENT_PROGRAM));
    }
}

static const char TEXT[] = "!!ARBvp1.0\nMOV result.position, program.local[2];\nEND";
static const char FRAGMENT_TEXT[] = "!!ARBfp1.0\nTEMP a;MUL a, fragment.color, 2;MOV result.color, a;\nEND";

/* An ARB program by name: its text, its local parameters, and what is bound meanwhile. */
static void assembly(const char *kind, GLuint name, GLenum target, const GLuint *names)
{
    static const GLenum counts[] = {GL_PROGRAM_LENGTH_ARB, GL_PROGRAM_FORMAT_ARB, GL_PROGRAM_BINDING_ARB, GL_PROGRAM_INSTRUCTIONS_ARB,
                                    GL_PROGRAM_TEMPORARIES_ARB, GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB, GL_BLEND};
    const char *text = target == GL_VERTEX_PROGRAM_ARB ? TEXT : FRAGMENT_TEXT;
    char string[200] = "";
    GLfloat four[4];
    GLdouble wide[4];
    int value;
    printf("-- %s, target 0x%x\n", kind, target);
    TELL(glNamedProgramStringEXT(name, target, GL_PROGRAM_FORMAT_ASCII_ARB, strlen(text), text));
    TELL(glNamedProgramStringEXT(name, target, 0, strlen(text), text));
    TELL(glNamedProgramStringEXT(name, target, GL_PROGRAM_FORMAT_ASCII_ARB, 20, text));
    ASK(asked(GL_PROGRAM_ERROR_POSITION_ARB));
    puts((const char *) glGetString(GL_PROGRAM_ERROR_STRING_ARB));
    for (int n = 0; n < COUNT(counts); n++) {
        value = -1;
        glGetNamedProgramivEXT(name, target, counts[n], &value);
        told("count", counts[n] == GL_PROGRAM_BINDING_ARB ? value == names[0] : value);
    }
    TELL(glGetNamedProgramStringEXT(name, target, GL_PROGRAM_STRING_ARB, string));
    printf("%d\n", (int) strlen(string));
    TELL(glGetNamedProgramStringEXT(name, target, GL_PROGRAM_LENGTH_ARB, string));
    TELL(glNamedProgramLocalParameter4fEXT(name, target, 2, 1, 2, 3, 4));
    TELL(glNamedProgramLocalParameter4fvEXT(name, target, 3, M + 12));
    TELL(glNamedProgramLocalParameter4dEXT(name, target, 4, 5, 6, 7, 8));
    TELL(glNamedProgramLocalParameter4dvEXT(name, target, 5, D + 12));
    TELL(glNamedProgramLocalParameters4fvEXT(name, target, 6, 3, M));
    TELL(glNamedProgramLocalParameters4fvEXT(name, target, 2046, 3, M));
    TELL(glNamedProgramLocalParameter4fEXT(name, target, 2048, 1, 2, 3, 4));
    for (int n = 1; n < 10; n++) {
        glGetNamedProgramLocalParameterfvEXT(name, target, n, four);
        glGetNamedProgramLocalParameterdvEXT(name, target, n, wide);
        printf("%g %g %g %g, %g %g\n", four[0], four[1], four[2], four[3], wide[0], wide[3]);
    }
    TELL(glGetNamedProgramLocalParameterfvEXT(name, target, 99999, four));
    glNewList(1, GL_COMPILE);
    TELL(glNamedProgramLocalParameter4fEXT(name, target, 20, 9, 8, 7, 6));
    glEndList(); /* the plural is not kept by the peer, as if it were a query */
    for (int n = 0; n < 2; n++) {
        glGetNamedProgramLocalParameterfvEXT(name, target, 20, four);
        printf("%g %g\n", four[0], four[3]);
        TELL(glCallList(1));
    }
    glGetProgramivARB(target, GL_PROGRAM_BINDING_ARB, &value);
    told("bound", value == names[0]);
    ASK(glIsProgramARB(name));
}

static void assemblies(void)
{
    static const GLenum targets[] = {GL_VERTEX_PROGRAM_ARB, GL_FRAGMENT_PROGRAM_ARB};
    GLuint names[4];
    for (int n = 0; n < COUNT(targets); n++) {
        glGenProgramsARB(COUNT(names), names);
        glBindProgramARB(targets[n], names[0]);
        glBindProgramARB(targets[1 - n], names[1]);
        glDeleteProgramsARB(1, names + 2);
        assembly("bound", names[0], targets[n], names);
        assembly("another target's", names[1], targets[n], names);
        assembly("deleted", names[2], targets[n], names);
        assembly("generated", names[3], targets[n], names);
        assembly("invented", 5000 - n, targets[n], names);
        assembly("0", 0, targets[n], names);
    }
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    Rig rig = make_rig(64, 64);
    matrices();
    textures();
    units();
    switches();
    client();
    GLuint names[4], objects[4];
    glGenBuffers(4, names);
    glGenVertexArrays(4, objects);
    glDeleteBuffers(1, names + 2);
    glDeleteVertexArrays(1, objects + 3);
    buffer("generated", names[0]);
    buffer("0", 0);
    buffer("invented", 7777);
    buffer("deleted", names[2]);
    glBindVertexArray(objects[1]);
    glBindVertexArray(0);
    for (int n = 0; n < 2; n++) {
        arrays("generated", objects[n], n ? 0 : names[0]);
        arrays("bound once", objects[1], n ? 0 : names[1]);
        arrays("0", 0, n ? 0 : names[0]);
        arrays("invented", 7777, n ? 0 : names[0]);
        arrays("deleted", objects[3], n ? 0 : names[0]);
    }
    programs();
    assemblies();
    drop_rig(&rig);
    return 0;
}
