/* SPDX-License-Identifier: MIT */
/* Vectors, lists of names, answers, control points, strings and attribute lists are read and written to their last value, not
 * a byte more: guard_values [GROUP]. Each at the very end of mapped memory (guard.h), at once and in lists. */
#include "guard.h"

static Rig rig;
static Area *area, *other;

typedef void (*Vector)(const void *);
typedef void (*Named)(GLenum, const void *);
typedef void (*NamedTwice)(GLenum, GLenum, const void *);

static void *entry(const char *format, ...)
{
    char name[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    void *found = (void *) glXGetProcAddressARB((const GLubyte *) name);
    if (!found)
        fail("no %s", name);
    doing("%s", name);
    return found;
}

static int bytes_of(const char *type)
{
    const char *last = type + strlen(type) - 1;
    return *last == 'b' ? 1 : *last == 's' || *last == 'h' ? 2 : *last == 'd' ? 8 : 4;
}

/* An input of so many bytes: small numbers that are harmless as any type. */
static void *input(size_t size)
{
    char *at = tail(area, size);
    memset(area->begin, 0, area->end - area->begin);
    if (size % 4 == 0)
        for (size_t i = 0; i < size / 4; i++)
            ((float *) at)[i] = 0.25f * (i % 5);
    return at;
}

/* Makes a call at once, in a list, and both; those that stand between glBegin and glEnd there, too. */
#define EVERY_WAY(vertices, call)                                                       \
    for (int way = 0; way < ((vertices) ? 6 : 3); way++) {                              \
        if (way % 3)                                                                    \
            glNewList(1, way % 3 == 1 ? GL_COMPILE : GL_COMPILE_AND_EXECUTE);           \
        if (way > 2)                                                                    \
            glBegin(GL_POINTS);                                                         \
        call;                                                                           \
        if (way > 2)                                                                    \
            glEnd();                                                                    \
        if (way % 3)                                                                    \
            glEndList();                                                                \
        over(area);                                                                     \
        no_errors();                                                                    \
    }

static void vectors(void)
{
    static const struct { const char *name, *sizes, *types; int vertices; } rows[] = {
        {"Vertex", "234", "s i f d", 1}, {"Color", "34", "b ub s us i ui f d", 1}, {"Normal", "3", "b s i f d", 1},
        {"TexCoord", "1234", "s i f d", 1}, {"RasterPos", "234", "s i f d", 0}, {"WindowPos", "23", "s i f d", 0},
        {"SecondaryColor", "3", "b ub s us i ui f d", 1}, {"EvalCoord", "12", "f d", 1}};
    static const char *const single[] = {"FogCoordfv 4", "FogCoorddv 8", "Indexsv 2", "Indexiv 4", "Indexfv 4", "Indexdv 8", "Indexubv 1",
                                         "EdgeFlagv 1", "LoadMatrixf 64", "LoadMatrixd 128", "MultMatrixf 64", "MultMatrixd 128",
                                         "LoadTransposeMatrixf 64", "LoadTransposeMatrixd 128", "MultTransposeMatrixf 64",
                                         "MultTransposeMatrixd 128", "FogCoordhvNV 2", "Color3hvNV 6", "Color4hvNV 8", "Normal3hvNV 6",
                                         "Vertex2hvNV 4", "Vertex3hvNV 6", "Vertex4hvNV 8", "TexCoord1hvNV 2", "TexCoord3hvNV 6",
                                         "SecondaryColor3hvNV 6"};
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        for (const char *size = rows[r].sizes; *size; size++) {
            char copy[32], *rest, *type = strtok_r(strcpy(copy, rows[r].types), " ", &rest);
            for (; type; type = strtok_r(NULL, " ", &rest)) {
                Vector f = (Vector) entry("gl%s%c%sv", rows[r].name, *size, type);
                void *at = input((*size - '0') * bytes_of(type));
                EVERY_WAY(rows[r].vertices, f(at))
            }
        }
    for (unsigned r = 0; r < sizeof single / sizeof *single; r++) {
        int size = atoi(strchr(single[r], ' ')), name = strcspn(single[r], " ");
        Vector f = (Vector) entry("gl%.*s", name, single[r]);
        void *at = input(size);
        EVERY_WAY(r < 8 || r > 15, f(at))
        glLoadIdentity();
    }
    for (const char *types[] = {"s", "i", "f", "d"}, **type = types; type < types + 4; type++) {
        void (*rect)(const void *, const void *) = (void (*)(const void *, const void *)) entry("glRect%sv", *type);
        void *at = input(2 * bytes_of(*type)), *second = tail(other, 2 * bytes_of(*type));
        EVERY_WAY(0, rect(at, second))
        for (char size = '1'; size < '5'; size++) {
            Named f = (Named) entry("glMultiTexCoord%c%sv", size, *type);
            at = input((size - '0') * bytes_of(*type));
            EVERY_WAY(1, f(GL_TEXTURE1, at))
        }
    }
    static const char *const generic[] = {"1s", "2s", "3s", "4s", "1f", "2f", "3f", "4f", "1d", "2d", "3d", "4d", "4b", "4ub", "4us", "4i",
                                          "4ui", "4Nb", "4Ns", "4Ni", "4Nub", "4Nus", "4Nui", "I1i", "I2i", "I3i", "I4i", "I1ui", "I2ui",
                                          "I3ui", "I4ui", "I4b", "I4s", "I4ub", "I4us"};
    for (unsigned r = 0; r < sizeof generic / sizeof *generic; r++) {
        const char *digit = strpbrk(generic[r], "1234");
        Named f = (Named) entry("glVertexAttrib%sv", generic[r]);
        void *at = input((*digit - '0') * bytes_of(generic[r]));
        EVERY_WAY(1, f(3, at))
    }
    static const char *const packed[] = {"VertexP2", "VertexP3", "VertexP4", "TexCoordP1", "TexCoordP4", "NormalP3", "ColorP3", "ColorP4",
                                         "SecondaryColorP3"};
    for (unsigned r = 0; r < sizeof packed / sizeof *packed; r++) {
        Named f = (Named) entry("gl%suiv", packed[r]);
        void *at = input(4);
        EVERY_WAY(1, f(GL_INT_2_10_10_10_REV, at))
    }
}

/* Parameters, by how many values each has; set in lists too, then asked for. */
static void parameters(void)
{
    static const struct { const char *name; GLenum of, names[13]; int counts[13], get; } rows[] = {
        {"Light", GL_LIGHT1, {GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_POSITION, GL_SPOT_DIRECTION, GL_SPOT_EXPONENT, GL_SPOT_CUTOFF,
                              GL_CONSTANT_ATTENUATION, GL_LINEAR_ATTENUATION, GL_QUADRATIC_ATTENUATION}, {4, 4, 4, 4, 3, 1, 1, 1, 1, 1}, 1},
        {"Material", GL_FRONT, {GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_EMISSION, GL_SHININESS, GL_COLOR_INDEXES}, {4, 4, 4, 4, 1, 3}, 1},
        {"Material", GL_FRONT_AND_BACK, {GL_AMBIENT_AND_DIFFUSE}, {4}, 0},
        {"LightModel", 0, {GL_LIGHT_MODEL_AMBIENT, GL_LIGHT_MODEL_TWO_SIDE, GL_LIGHT_MODEL_LOCAL_VIEWER, GL_LIGHT_MODEL_COLOR_CONTROL},
         {4, 1, 1, 1}, 0},
        {"Fog", 0, {GL_FOG_COLOR, GL_FOG_DENSITY, GL_FOG_START, GL_FOG_END, GL_FOG_INDEX, GL_FOG_MODE}, {4, 1, 1, 1, 1, 1}, 0},
        {"PointParameter", 0, {GL_POINT_SIZE_MIN, GL_POINT_SIZE_MAX, GL_POINT_FADE_THRESHOLD_SIZE, GL_POINT_DISTANCE_ATTENUATION}, {1, 1, 1, 3}, 0},
        {"TexEnv", GL_TEXTURE_ENV, {GL_TEXTURE_ENV_COLOR, GL_TEXTURE_ENV_MODE}, {4, 1}, 1},
        {"TexGen", GL_S, {GL_OBJECT_PLANE, GL_EYE_PLANE, GL_TEXTURE_GEN_MODE}, {4, 4, 1}, 1}};
    static const char *const types = "fi";
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        for (const char *type = types; *type; type++)
            for (int n = 0; n < 13 && rows[r].names[n]; n++) {
                GLenum pname = rows[r].names[n];
                size_t size = 4 * rows[r].counts[n];
                void *set = entry("gl%s%cv", rows[r].name, *type), *at = input(size);
                memset(at, 0, size);
                if (pname == GL_LIGHT_MODEL_COLOR_CONTROL || pname == GL_FOG_MODE || pname == GL_TEXTURE_ENV_MODE || pname == GL_TEXTURE_GEN_MODE) {
                    int mode = pname == GL_FOG_MODE ? GL_EXP : pname == GL_TEXTURE_ENV_MODE ? GL_MODULATE
                             : pname == GL_TEXTURE_GEN_MODE ? GL_EYE_LINEAR : GL_SINGLE_COLOR;
                    *(float *) at = mode;
                    if (*type == 'i')
                        *(int *) at = mode;
                }
                doing("gl%s%cv of 0x%x", rows[r].name, *type, pname);
                EVERY_WAY(0, (rows[r].of ? ((NamedTwice) set)(rows[r].of, pname, at) : ((Named) set)(pname, at)))
                if (!rows[r].get)
                    continue;
                NamedTwice get = (NamedTwice) entry("glGet%s%cv", rows[r].name, *type);
                doing("glGet%s%cv of 0x%x", rows[r].name, *type, pname);
                at = marked(area, size);
                get(rows[r].of, pname, at);
                kept(area, at, area->end);
                over(area);
                no_errors();
            }
    double *plane = input(32);
    doing("glClipPlane");
    EVERY_WAY(0, glClipPlane(GL_CLIP_PLANE2, plane))
    doing("glGetClipPlane");
    glGetClipPlane(GL_CLIP_PLANE2, marked(area, 32));
    kept(area, tail(area, 32), area->end);
}

/* glGet: values of a name, where it is not one (GL 2.1, tables 6.5 to 6.37, and extensions). */
static int values_of(GLenum name)
{
    static const struct { GLenum name; int count; } rows[] = {
        {GL_CURRENT_COLOR, 4}, {GL_CURRENT_NORMAL, 3}, {GL_CURRENT_TEXTURE_COORDS, 4}, {GL_CURRENT_SECONDARY_COLOR, 4},
        {GL_CURRENT_RASTER_COLOR, 4}, {GL_CURRENT_RASTER_SECONDARY_COLOR, 4}, {GL_CURRENT_RASTER_POSITION, 4},
        {GL_CURRENT_RASTER_TEXTURE_COORDS, 4}, {GL_POINT_SIZE_RANGE, 2}, {GL_ALIASED_POINT_SIZE_RANGE, 2}, {GL_LINE_WIDTH_RANGE, 2},
        {GL_ALIASED_LINE_WIDTH_RANGE, 2}, {GL_POLYGON_MODE, 2}, {GL_LIGHT_MODEL_AMBIENT, 4}, {GL_FOG_COLOR, 4}, {GL_DEPTH_RANGE, 2},
        {GL_ACCUM_CLEAR_VALUE, 4}, {GL_VIEWPORT, 4}, {GL_MODELVIEW_MATRIX, 16}, {GL_PROJECTION_MATRIX, 16}, {GL_TEXTURE_MATRIX, 16},
        {GL_COLOR_MATRIX, 16}, {GL_TRANSPOSE_MODELVIEW_MATRIX, 16}, {GL_TRANSPOSE_PROJECTION_MATRIX, 16},
        {GL_TRANSPOSE_TEXTURE_MATRIX, 16}, {GL_TRANSPOSE_COLOR_MATRIX, 16}, {GL_SCISSOR_BOX, 4}, {GL_COLOR_CLEAR_VALUE, 4},
        {GL_COLOR_WRITEMASK, 4}, {GL_MAX_VIEWPORT_DIMS, 2}, {GL_MAP1_GRID_DOMAIN, 2}, {GL_MAP2_GRID_DOMAIN, 4}, {GL_MAP2_GRID_SEGMENTS, 2},
        {GL_BLEND_COLOR, 4}, {GL_POINT_DISTANCE_ATTENUATION, 3}, {GL_VIEWPORT_BOUNDS_RANGE, 2}, {GL_RGBA_SIGNED_COMPONENTS_EXT, 4},
        {GL_DEPTH_BOUNDS_EXT, 2}, {GL_PRIMITIVE_BOUNDING_BOX_ARB, 8}, {GL_CURRENT_MATRIX_ARB, 16}, {GL_TRANSPOSE_CURRENT_MATRIX_ARB, 16}};
    GLint lists = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].name == name)
            return rows[i].count;
    GLenum of = name == GL_COMPRESSED_TEXTURE_FORMATS ? GL_NUM_COMPRESSED_TEXTURE_FORMATS
              : name == GL_PROGRAM_BINARY_FORMATS ? GL_NUM_PROGRAM_BINARY_FORMATS
              : name == GL_SHADER_BINARY_FORMATS ? GL_NUM_SHADER_BINARY_FORMATS : 0;
    if (!of)
        return 1;
    glGetIntegerv(of, &lists);
    while (glGetError())
        ;
    return lists;
}

static void answers(void)
{
    static const struct { const char *type; int size; } kinds[] = {{"Boolean", 1}, {"Integer", 4}, {"Float", 4}, {"Double", 8}, {"Integer64", 8}};
    int known = 0;
    for (unsigned kind = 0; kind < 5; kind++) {
        Named get = (Named) entry("glGet%sv", kinds[kind].type);
        for (GLenum name = 0; name < 0xa000; name++) {
            size_t size = (size_t) kinds[kind].size * values_of(name);
            doing("glGet%sv of 0x%x", kinds[kind].type, name);
            char *at = tail(area, size);
            memset(area->end - 256, 0x5a, 256);
            get(name, at);
            if (glGetError()) {
                while (glGetError())
                    ;
                continue;
            }
            known++;
            kept(area, at, area->end);
        }
    }
    printf("%d values asked for\n", known);
    static const GLenum pointers[] = {GL_VERTEX_ARRAY_POINTER, GL_FEEDBACK_BUFFER_POINTER, GL_SELECTION_BUFFER_POINTER, GL_COLOR_ARRAY_POINTER};
    for (int i = 0; i < 4; i++) {
        doing("glGetPointerv of 0x%x", pointers[i]);
        glGetPointerv(pointers[i], marked(area, sizeof(void *)));
        kept(area, tail(area, sizeof(void *)), area->end);
        no_errors();
    }
    static const char *const types[] = {"fv", "iv", "dv", "Iiv", "Iuiv"};
    for (int t = 0; t < 5; t++)
        for (GLenum name = 0x8622; name < 0x8627; name++) {
            size_t size = (size_t) (name == GL_CURRENT_VERTEX_ATTRIB ? 4 : 1) * (t == 2 ? 8 : 4);
            void (*get)(GLuint, GLenum, void *) = (void (*)(GLuint, GLenum, void *)) entry("glGetVertexAttrib%s", types[t]);
            get(3, name, marked(area, size));
            kept(area, tail(area, size), area->end);
            no_errors();
        }
}

static void lists(void)
{
    static const struct { GLenum type; int bytes; } types[] = {{GL_BYTE, 1}, {GL_UNSIGNED_BYTE, 1}, {GL_SHORT, 2}, {GL_UNSIGNED_SHORT, 2},
        {GL_INT, 4}, {GL_UNSIGNED_INT, 4}, {GL_FLOAT, 4}, {GL_2_BYTES, 2}, {GL_3_BYTES, 3}, {GL_4_BYTES, 4}};
    for (int t = 0; t < 10; t++)
        for (int count = 0; count < 40; count++) {
            doing("glCallLists of %d names of type 0x%x", count, types[t].type);
            void *at = tail(area, count * types[t].bytes);
            memset(area->begin, 0, area->end - area->begin);
            EVERY_WAY(0, glCallLists(count, types[t].type, at))
        }
    static const char *const kinds[] = {"Buffers", "Queries", "VertexArrays", "BuffersARB", "QueriesARB"};
    for (int kind = 0; kind < 5; kind++)
        for (int count = 0; count < 20; count++) {
            void (*gen)(GLsizei, GLuint *) = (void (*)(GLsizei, GLuint *)) entry("glGen%s", kinds[kind]);
            gen(count, marked(area, 4 * count));
            kept(area, tail(area, 4 * count), area->end);
            GLuint *names = memcpy(tail(other, 4 * count), tail(area, 4 * count), 4 * count);
            void (*delete)(GLsizei, GLuint *) = (void (*)(GLsizei, GLuint *)) entry("glDelete%s", kinds[kind]);
            delete(count, names);
            over(other);
            no_errors();
        }
}

static void buffers(void)
{
    GLuint names[2];
    glGenBuffers(2, names);
    for (int size = 1; size < 300; size += size < 80 ? 1 : 37) {
        doing("buffer data of %d bytes", size);
        glBindBuffer(GL_ARRAY_BUFFER, names[size & 1]);
        glBufferData(GL_ARRAY_BUFFER, size, input(size), GL_STATIC_DRAW);
        over(area);
        glBufferSubData(GL_ARRAY_BUFFER, size / 3, size - size / 3, input(size - size / 3));
        over(area);
        glBufferSubData(GL_ARRAY_BUFFER, 0, size / 2 + 1, area->begin);
        glGetBufferSubData(GL_ARRAY_BUFFER, 0, size, marked(area, size));
        kept(area, tail(area, size), area->end);
        glGetBufferSubData(GL_ARRAY_BUFFER, size / 2, size - size / 2, area->begin);
        glBufferStorage(GL_COPY_READ_BUFFER, 0, NULL, 0);
        while (glGetError())
            ;
    }
    static const struct { GLenum inner, format, type; int bytes; } clears[] = {
        {GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1}, {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2}, {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
        {GL_R16F, GL_RED, GL_HALF_FLOAT, 2}, {GL_R32F, GL_RED, GL_FLOAT, 4}, {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16}, {GL_RGBA8, GL_BGRA, GL_BYTE, 4}};
    for (int c = 0; c < 7; c++) {
        doing("glClearBufferData of 0x%x", clears[c].inner);
        glBufferData(GL_ARRAY_BUFFER, 64, NULL, GL_STATIC_DRAW);
        glClearBufferData(GL_ARRAY_BUFFER, clears[c].inner, clears[c].format, clears[c].type, input(clears[c].bytes));
        over(area);
        no_errors();
    }
    glDeleteBuffers(2, names);
    for (int size = 1; size < 260; size = size < 34 ? size + 1 : size * 2)
        for (GLenum map = GL_PIXEL_MAP_I_TO_I; map <= GL_PIXEL_MAP_A_TO_A; map++) {
            GLsizei n = map < GL_PIXEL_MAP_R_TO_R ? 1 << size % 9 : size;
            doing("pixel map 0x%x of %d values", map, n);
            glPixelMapfv(map, n, input(4 * n));
            over(area);
            glPixelMapusv(map, n, input(2 * n));
            over(area);
            glPixelMapuiv(map, n, input(4 * n));
            over(area);
            glGetPixelMapusv(map, marked(area, 2 * n));
            kept(area, tail(area, 2 * n), area->end);
            glGetPixelMapfv(map, marked(area, 4 * n));
            kept(area, tail(area, 4 * n), area->end);
            glGetPixelMapuiv(map, marked(area, 4 * n));
            kept(area, tail(area, 4 * n), area->end);
            glNewList(1, GL_COMPILE);
            glPixelMapfv(map, n, input(4 * n));
            glPixelMapusv(map, n, input(2 * n));
            glEndList();
            over(area);
            no_errors();
        }
}

/* Control points: the last one ends where the memory ends, with strides that leave room and without. */
static void evaluators(void)
{
    static const struct { GLenum one, two; int values; } maps[] = {
        {GL_MAP1_VERTEX_3, GL_MAP2_VERTEX_3, 3}, {GL_MAP1_VERTEX_4, GL_MAP2_VERTEX_4, 4}, {GL_MAP1_INDEX, GL_MAP2_INDEX, 1},
        {GL_MAP1_COLOR_4, GL_MAP2_COLOR_4, 4}, {GL_MAP1_NORMAL, GL_MAP2_NORMAL, 3}, {GL_MAP1_TEXTURE_COORD_1, GL_MAP2_TEXTURE_COORD_1, 1},
        {GL_MAP1_TEXTURE_COORD_2, GL_MAP2_TEXTURE_COORD_2, 2}, {GL_MAP1_TEXTURE_COORD_3, GL_MAP2_TEXTURE_COORD_3, 3},
        {GL_MAP1_TEXTURE_COORD_4, GL_MAP2_TEXTURE_COORD_4, 4}};
    for (int m = 0; m < 9; m++)
        for (int u = 1; u < 6; u++)
            for (int more = 0; more < 3; more++) {
                int k = maps[m].values, stride = k + more, last = (u - 1) * stride + k;
                doing("glMap1 0x%x of order %d, stride %d", maps[m].one, u, stride);
                EVERY_WAY(0, glMap1f(maps[m].one, 0, 1, stride, u, input(4 * last)))
                EVERY_WAY(0, glMap1d(maps[m].one, 0, 1, stride, u, input(8 * last)))
                glGetMapfv(maps[m].one, GL_COEFF, marked(area, 4 * k * u));
                kept(area, tail(area, 4 * k * u), area->end);
                for (int v = 1; v < 5; v++) {
                    int across = stride * u + more, end = (v - 1) * across + last;
                    doing("glMap2 0x%x of order %dx%d, strides %d, %d", maps[m].two, u, v, stride, across);
                    EVERY_WAY(0, glMap2f(maps[m].two, 0, 1, stride, u, 0, 1, across, v, input(4 * end)))
                    EVERY_WAY(0, glMap2d(maps[m].two, 0, 1, stride, u, 0, 1, across, v, input(8 * end)))
                    glGetMapdv(maps[m].two, GL_COEFF, marked(area, 8 * k * u * v));
                    kept(area, tail(area, 8 * k * u * v), area->end);
                    glGetMapiv(maps[m].two, GL_ORDER, marked(area, 8));
                    kept(area, tail(area, 8), area->end);
                    glGetMapiv(maps[m].two, GL_DOMAIN, marked(area, 16));
                    kept(area, tail(area, 16), area->end);
                    no_errors();
                }
            }
}

/* Feedback and selection with buffers of any size: what fits is written, what does not is not. */
static void hits(void)
{
    static const GLenum types[] = {GL_2D, GL_3D, GL_3D_COLOR, GL_3D_COLOR_TEXTURE, GL_4D_COLOR_TEXTURE};
    for (int size = 0; size < 120; size++)
        for (int type = 0; type < 6; type++) {
            void *at = marked(area, 4 * size);
            doing("%d words of %s 0x%x", size, type ? "feedback" : "hits", type ? types[type - 1] : 0);
            if (type)
                glFeedbackBuffer(size, types[type - 1], at);
            else
                glSelectBuffer(size, at);
            glRenderMode(type ? GL_FEEDBACK : GL_SELECT);
            glInitNames();
            glPushName(7);
            square(-0.5f, -0.5f, 0.5f, 0.5f, 0.1f);
            glLoadName(8);
            glPassThrough(3);
            square(-0.9f, -0.5f, 1.5f, 0.5f, 0.1f); /* clipped */
            for (int i = 0; i < 20; i++)
                glPushName(i);
            glRasterPos2f(0, 0);
            glBitmap(0, 0, 0, 0, 1, 1, NULL);
            glBegin(GL_LINES);
            glVertex2f(-3, 0);
            glVertex2f(3, 0.5f);
            glEnd();
            glRenderMode(GL_RENDER);
            kept(area, at, area->end);
            over(area);
            no_errors();
        }
}

static void strings(void)
{
    char *at = tail(area, 6);
    memcpy(at, "glFoo", 6);
    doing("glXGetProcAddressARB");
    glXGetProcAddressARB((const GLubyte *) at);
    over(area);
    memcpy(at, "labels", 6);
    doing("strings of debug messages, six bytes");
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glEnable(GL_DEBUG_OUTPUT);
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 5, 6, at);
    glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_OTHER, 7, GL_DEBUG_SEVERITY_HIGH, 6, at);
    glObjectLabel(GL_BUFFER, buffer, 6, at);
    glPopDebugGroup();
    over(area);
    for (int size = 1; size < 12; size++) {
        doing("an answer of %d bytes", size);
        glGetObjectLabel(GL_BUFFER, buffer, size, NULL, marked(area, size));
        kept(area, tail(area, size), area->end);
    }
    for (int count = 1; count < 9; count++) {
        doing("%d debug control names", count);
        glDebugMessageControl(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_OTHER, GL_DONT_CARE, count, memset(tail(area, 4 * count), 1, 4 * count), GL_FALSE);
        over(area);
        doing("%d debug messages", count);
        int size = 3 * count;
        glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_OTHER, 7000, GL_DEBUG_SEVERITY_HIGH, -1, "twelve bytes");
        glGetDebugMessageLog(count, size, NULL, NULL, NULL, NULL, NULL, marked(area, size));
        kept(area, tail(area, size), area->end);
        glGetDebugMessageLog(count, 0, NULL, NULL, marked(area, 4 * count), NULL, NULL, NULL);
        kept(area, tail(area, 4 * count), area->end);
    }
    glDeleteBuffers(1, &buffer);
    no_errors();
}

static void attributes(void)
{
    static const int visual[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 16, None}, size[] = {GLX_PBUFFER_WIDTH, 9, GLX_PBUFFER_HEIGHT, 5, None},
                     config[] = {GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT | GLX_WINDOW_BIT, GLX_DOUBLEBUFFER, GLX_DONT_CARE, None}, none[] = {None};
    static const int context[] = {GLX_CONTEXT_MAJOR_VERSION_ARB, 1, GLX_CONTEXT_MINOR_VERSION_ARB, 4, None};
    PFNGLXCREATECONTEXTATTRIBSARBPROC create = (PFNGLXCREATECONTEXTATTRIBSARBPROC) entry("glXCreateContextAttribsARB");
    Display *d = rig.display;
    int count = 0;
    doing("glXChooseVisual");
    XFree(glXChooseVisual(d, 0, memcpy(tail(area, sizeof visual), visual, sizeof visual)));
    over(area);
    doing("glXChooseFBConfig");
    GLXFBConfig *found = glXChooseFBConfig(d, 0, memcpy(tail(area, sizeof config), config, sizeof config), &count);
    if (!found || !count)
        fail("no config");
    over(area);
    doing("glXCreatePbuffer");
    glXDestroyPbuffer(d, glXCreatePbuffer(d, found[0], memcpy(tail(area, sizeof size), size, sizeof size)));
    over(area);
    doing("glXCreateContextAttribsARB");
    glXDestroyContext(d, create(d, found[0], NULL, True, memcpy(tail(area, sizeof context), context, sizeof context)));
    over(area);
    doing("glXCreateWindow with an empty list");
    int fitting = 0, id = 0;
    while (fitting < count && (glXGetFBConfigAttrib(d, found[fitting], GLX_VISUAL_ID, &id), (VisualID) id != rig.visual->visualid))
        fitting++;
    if (fitting == count)
        fail("no config of the window's visual");
    GLXWindow window = glXCreateWindow(d, found[fitting], make_window(&rig, 8, 8), memcpy(tail(area, sizeof none), none, sizeof none));
    over(area);
    glXDestroyWindow(d, window);
    doing("answers of GLX");
    unsigned *answer = marked(area, 4);
    glXQueryDrawable(d, rig.window, GLX_WIDTH, answer);
    kept(area, answer, area->end);
    glXGetFBConfigAttrib(d, found[0], GLX_RED_SIZE, marked(area, 4));
    kept(area, answer, area->end);
    glXGetSelectedEvent(d, rig.window, marked(area, 8));
    kept(area, tail(area, 8), area->end);
    XFree(found);
}

int main(int count, char **arguments)
{
    static const struct { const char *name; void (*run)(void); } groups[] = {
        {"vectors", vectors}, {"parameters", parameters}, {"answers", answers}, {"lists", lists}, {"buffers", buffers},
        {"evaluators", evaluators}, {"hits", hits}, {"strings", strings}, {"attributes", attributes}};
    area = make_area(2), other = make_area(1);
    rig = make_rig(64, 64);
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        if (count < 2 || !strcmp(arguments[1], groups[i].name))
            groups[i].run();
    doing("the end");
    drop_rig(&rig);
    return result();
}
