/* SPDX-License-Identifier: MIT */
/* Textures and queries by their names alone (ARB_direct_state_access), line by line: test_names_peer.py compares the lines with the
 * peer's. Each command with a texture of each target, with a name that was only generated, and with no name. */
#include "told.h"

enum { SIZE = 8, WORDS = SIZE * SIZE * 8 };

static const GLenum TARGETS[] = {
    GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_RECTANGLE, GL_TEXTURE_1D_ARRAY, GL_TEXTURE_2D_ARRAY,
    GL_TEXTURE_CUBE_MAP_ARRAY,
};
static GLuint words[WORDS], got[WORDS];

static void sum(const char *what)
{
    unsigned hash = 2166136261u;
    for (int i = 0; i < WORDS; i++)
        hash = (hash ^ got[i]) * 16777619u;
    told(what, hash);
    memset(got, 0xAA, sizeof got);
}

static void level_told(GLuint name, GLint level)
{
    static const GLenum ASKED[] = {GL_TEXTURE_WIDTH, GL_TEXTURE_HEIGHT, GL_TEXTURE_DEPTH, GL_TEXTURE_INTERNAL_FORMAT};
    for (int i = 0; i < COUNT(ASKED); i++) {
        GLint value = -1;
        GLfloat number = -1;
        glGetTextureLevelParameteriv(name, level, ASKED[i], &value);
        told("of a level", value);
        glGetTextureLevelParameterfv(name, level, ASKED[i], &number);
        told("of a level", number);
    }
}

static void storage(GLuint name, int dims)
{
    switch (dims) {
    case 1: TELL(glTextureStorage1D(name, 3, GL_RGBA8, SIZE)); break;
    case 2: TELL(glTextureStorage2D(name, 1, GL_RGBA8, SIZE, SIZE)); break;
    default: TELL(glTextureStorage3D(name, 2, GL_RGBA8, SIZE, SIZE, 6));
    }
}

static void parts(GLuint name)
{
    GLenum form = GL_RGBA, type = GL_UNSIGNED_BYTE;
    TELL(glTextureSubImage1D(name, 0, 1, 5, form, type, words + 3));
    TELL(glTextureSubImage2D(name, 0, 1, 2, 5, 4, form, type, words + 5));
    TELL(glTextureSubImage3D(name, 0, 1, 2, 1, 5, 4, 3, form, type, words + 7));
    glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, 6);
    glPixelStorei(GL_UNPACK_SKIP_IMAGES, 1);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 1);
    TELL(glTextureSubImage3D(name, 0, 0, 0, 4, 8, 3, 2, form, type, words + 9));
    glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, 0);
    glPixelStorei(GL_UNPACK_SKIP_IMAGES, 0);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
    TELL(glTextureSubImage3D(name, 0, 0, 0, 5, 8, 3, 2, form, type, words));
    TELL(glTextureSubImage2D(name, 9, 0, 0, 1, 1, form, type, words));
    TELL(glCopyTextureSubImage1D(name, 0, 0, 0, 0, 4));
    TELL(glCopyTextureSubImage2D(name, 0, 1, 1, 0, 0, 4, 4));
    for (int z = 0; z < 8; z += 6) { /* nothing, with the faults that something would have */
        TELL(glTextureSubImage3D(name, 0, 0, 0, z, 4, 4, 0, form, type, words));
        TELL(glTextureSubImage3D(name, 0, 0, 0, z, -1, 4, 0, form, type, words));
        TELL(glTextureSubImage3D(name, 41, 0, 0, z, 4, 4, 0, form, type, words));
        TELL(glTextureSubImage3D(name, 0, 0, 0, z, 4, 4, 0, GL_DEPTH_COMPONENT, type, words));
    }
    TELL(glCopyTextureSubImage3D(name, 0, 1, 1, 2, 0, 0, 4, 4));
    TELL(glGetTextureImage(name, 0, form, type, sizeof got, got));
    sum("texels");
    TELL(glGetTextureImage(name, 0, form, type, 100, got));
    TELL(glGetTextureImage(name, 7, form, type, sizeof got, got));
    TELL(glGenerateTextureMipmap(name));
    TELL(glGetTextureImage(name, 1, form, type, sizeof got, got));
}

static void parameters(GLuint name)
{
    GLint values[4] = {GL_CLAMP_TO_EDGE, 0, 0, 0};
    GLfloat numbers[4] = {0.25f, 0.5f, 0.75f, 1};
    GLuint bits[4] = {1, 2, 3, 4};
    TELL(glTextureParameteri(name, GL_TEXTURE_MIN_FILTER, GL_NEAREST));
    TELL(glTextureParameteriv(name, GL_TEXTURE_WRAP_S, values));
    TELL(glTextureParameterf(name, GL_TEXTURE_MAX_LOD, 3.5f));
    TELL(glTextureParameterfv(name, GL_TEXTURE_BORDER_COLOR, numbers));
    TELL(glTextureParameteri(name, GL_TEXTURE_WRAP_T, GL_RGBA));
    memset(values, 0, sizeof values);
    TELL(glGetTextureParameteriv(name, GL_TEXTURE_WRAP_S, values));
    told("wrap", values[0]);
    TELL(glGetTextureParameterfv(name, GL_TEXTURE_BORDER_COLOR, numbers));
    told("border", 100 * numbers[1]);
    TELL(glTextureParameterIuiv(name, GL_TEXTURE_BORDER_COLOR, bits));
    TELL(glGetTextureParameterIuiv(name, GL_TEXTURE_BORDER_COLOR, bits));
    told("bits", bits[2]);
    TELL(glTextureParameterIiv(name, GL_TEXTURE_BORDER_COLOR, (GLint *) bits));
    TELL(glGetTextureParameterIiv(name, GL_TEXTURE_BORDER_COLOR, (GLint *) bits));
    TELL(glGetTextureParameteriv(name, GL_TEXTURE_TARGET, values));
    told("target", values[0]);
}

static void blocks(GLenum target)
{
    GLuint name;
    GLenum form = GL_COMPRESSED_RGBA_S3TC_DXT1_EXT;
    memset(got, 0xAA, sizeof got);
    int deep = target == GL_TEXTURE_2D_ARRAY;
    glCreateTextures(target, 1, &name);
    if (deep)
        TELL(glTextureStorage3D(name, 1, form, SIZE, SIZE, 6));
    else
        TELL(glTextureStorage2D(name, 1, form, SIZE, SIZE));
    static const GLubyte zeros[6 * 32];
    glBindTexture(target, name); /* what was never written is anything */
    for (int face = 0; face < (target == GL_TEXTURE_CUBE_MAP ? 6 : 1); face++)
        if (deep)
            glCompressedTexSubImage3D(target, 0, 0, 0, 0, SIZE, SIZE, 6, form, sizeof zeros, zeros);
        else
            glCompressedTexSubImage2D(target == GL_TEXTURE_2D ? target : GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, 0, 0, SIZE, SIZE,
                                      form, 32, zeros);
    TELL(glCompressedTextureSubImage2D(name, 0, 4, 0, 4, 8, form, 16, words));
    /* whole faces: the peer steps over as much of the program's memory for parts of them */
    TELL(glCompressedTextureSubImage3D(name, 0, 0, 0, 1, 8, 8, 3, form, 96, words + 9));
    TELL(glCompressedTextureSubImage3D(name, 0, 0, 0, 1, 8, 8, 0, form, 0, words)); /* nothing */
    TELL(glCompressedTextureSubImage3D(name, 0, 0, 0, 1, 8, 8, 0, form, 96, words));
    TELL(glCompressedTextureSubImage3D(name, 0, 0, 0, 1, 8, 8, 3, form, 40, words + 9));
    TELL(glCompressedTextureSubImage3D(name, 0, 0, 0, 1, 8, 8, 3, form, 97, words + 9));
    TELL(glGetCompressedTextureImage(name, 0, sizeof got, got));
    sum("blocks");
    TELL(glGetCompressedTextureImage(name, 0, 16, got));
    TELL(glGetCompressedTextureImage(name, 3, sizeof got, got));
    glDeleteTextures(1, &name);
}

static void queries(void)
{
    static const GLenum KINDS[] = {GL_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED, GL_TIME_ELAPSED, GL_TIMESTAMP, GL_RGBA};
    GLuint names[2] = {0}, buffer;
    GLint result[4] = {9, 9, 9, 9};
    glCreateBuffers(1, &buffer);
    glNamedBufferData(buffer, 16, result, GL_STATIC_DRAW);
    for (int i = 0; i < COUNT(KINDS); i++) {
        glCreateQueries(KINDS[i], 2, names);
        told("created", glIsQuery(names[1]));
        TELL(glCreateQueries(KINDS[i], -1, names));
        if (i == 4)
            break;
        TELL(glBeginQuery(GL_SAMPLES_PASSED, names[0]));
        glEndQuery(GL_SAMPLES_PASSED);
        glFinish();
        glGetError();
        TELL(glGetQueryBufferObjectiv(names[0], buffer, GL_QUERY_RESULT_AVAILABLE, 4));
        TELL(glGetQueryBufferObjectuiv(names[0], buffer, GL_QUERY_RESULT, -4));
        TELL(glGetQueryBufferObjecti64v(names[0], buffer, GL_QUERY_RESULT, 12));
        TELL(glGetQueryBufferObjectui64v(names[0], 4321, GL_QUERY_RESULT, 0));
        glGetNamedBufferSubData(buffer, 0, 16, result);
        told("available", result[1]);
        glDeleteQueries(2, names);
    }
}

int main(void)
{
    Rig rig = make_rig(16, 16);
    glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int i = 0; i < WORDS; i++)
        words[i] = i * 2654435761u;
    for (int i = 0; i < COUNT(TARGETS); i++)
        for (int dims = 1; dims <= 3; dims++) {
            GLuint names[2] = {0};
            printf("%x, %d\n", TARGETS[i], dims);
            TELL(glCreateTextures(TARGETS[i], 2, names));
            told("there", glIsTexture(names[1]));
            storage(names[0], dims);
            GLint levels = 0;
            glGetTextureParameteriv(names[0], GL_TEXTURE_IMMUTABLE_LEVELS, &levels);
            told("levels", levels);
            level_told(names[0], 0);
            if (levels)
                parts(names[0]);
            parameters(names[0]);
            glDeleteTextures(2, names);
        }
    GLuint generated;
    glGenTextures(1, &generated);
    parameters(generated);
    parameters(0);
    level_told(generated, 0);
    storage(generated, 2);
    TELL(glTextureSubImage2D(generated, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, words));
    TELL(glCreateTextures(GL_RGBA, 1, &generated));
    TELL(glCreateTextures(GL_TEXTURE_2D, -1, &generated));
    blocks(GL_TEXTURE_2D);
    blocks(GL_TEXTURE_2D_ARRAY);
    blocks(GL_TEXTURE_CUBE_MAP);
    queries();
    drop_rig(&rig);
    return 0;
}
