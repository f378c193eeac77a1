/* SPDX-License-Identifier: MIT */
/* Which primitives distances to cull by leave (ARB_cull_distance), a line each: test_names_peer.py compares the lines with the peer's.
 * Every mode, six vertices inside or outside of two distances, of which one is clipped by as well: whether something is drawn,
 * selected, fed back. */
#include "told.h"

static const char *VERTEX =
    "#version 130\n"
    "#extension GL_ARB_cull_distance : require\n"
    "out float gl_CullDistance[2]; uniform int outside[2]; uniform bool clips;\n"
    "void main() { gl_Position = gl_Vertex;\n"
    "for (int k = 0; k < 2; k++) gl_CullDistance[k] = (outside[k] >> gl_VertexID & 1) != 0 ? -1.0 : 1.0;\n"
    "gl_ClipDistance[3] = clips ? gl_CullDistance[0] + 0.5 : 1.0; }\n";
static const float PLACES[6][2] = {{-0.75f, -0.75f}, {-0.75f, 0.75f}, {0.0f, -0.5f}, {0.0f, 0.5f}, {0.75f, -0.75f}, {0.75f, 0.75f}};
static const GLenum MODES[] = {GL_POINTS, GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP, GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN,
                               GL_QUADS, GL_QUAD_STRIP, GL_POLYGON};
static const int OUTSIDE[][2] = {{0, 0}, {63, 0}, {0, 63}, {7, 0}, {7, 56}, {0, 51}, {12, 3}, {31, 0}, {62, 1}, {42, 21}, {3, 48}, {15, 32}};

static void show(GLenum mode, int number, int clips)
{
    GLuint query, samples, names[64];
    GLfloat values[256];
    glGenQueries(1, &query);
    glBeginQuery(GL_SAMPLES_PASSED, query);
    glDrawArrays(mode, 0, 6);
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
    glDeleteQueries(1, &query);
    glSelectBuffer(64, names);
    glRenderMode(GL_SELECT);
    glInitNames();
    glPushName(5);
    glDrawArrays(mode, 0, 6);
    int hits = glRenderMode(GL_RENDER);
    glFeedbackBuffer(256, GL_2D, values);
    glRenderMode(GL_FEEDBACK);
    glDrawArrays(mode, 0, 6);
    int fed = glRenderMode(GL_RENDER);
    printf("mode %x, outside %d %d, clips %d: %d %d %d\n", mode, OUTSIDE[number][0], OUTSIDE[number][1], clips, samples != 0, hits,
           fed != 0);
}

int main(void)
{
    Rig rig = make_rig(64, 64);
    GLuint shader = glCreateShader(GL_VERTEX_SHADER), program = glCreateProgram();
    glShaderSource(shader, 1, &VERTEX, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glUseProgram(program);
    told("program", program);
    glEnable(GL_CLIP_DISTANCE0 + 3);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, PLACES);
    for (int clips = 0; clips < 2; clips++)
        for (int fill = 0; fill < 2; fill++) {
            glPolygonMode(GL_FRONT_AND_BACK, fill ? GL_FILL : GL_LINE);
            glUniform1i(glGetUniformLocation(program, "clips"), clips);
            for (int number = 0; number < COUNT(OUTSIDE); number++) {
                glUniform1iv(glGetUniformLocation(program, "outside"), 2, OUTSIDE[number]);
                for (int n = 0; n < COUNT(MODES); n++)
                    show(MODES[n], number, clips);
            }
        }
    told("end", 0);
    drop_rig(&rig);
    return 0;
}
