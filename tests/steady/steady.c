/* Twelve frames that call what real programs call every frame. PYDRI_STATS says what the last frame cost.
 *
 *     steady GROUP FRAMES     prints by how much memory grew after a quarter of the frames
 *     steady GROUP 600s       as many frames as that time has: a line of memory every ten seconds,
 *                             and 1 if it grew by half a megabyte after a quarter of the time
 *
 * scripts/robust --minutes N runs the second form. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static float positions[12] = {-.5f, -.5f, 0, .5f, -.5f, 0, .5f, .5f, 0, -.5f, .5f, 0};
static unsigned char colors[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 9};
static unsigned short indices[6] = {0, 1, 2, 0, 2, 3};
static float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static GLuint list, buffer, query;

static void queries_of_state(int frame) {
  GLint i[16];
  GLfloat f[16];
  GLdouble d[16];
  GLboolean b[16];
  static const GLenum names[] = {GL_VIEWPORT, GL_MATRIX_MODE, GL_SCISSOR_BOX, GL_DEPTH_FUNC,
    GL_BLEND_SRC, GL_MAX_TEXTURE_SIZE, GL_MAX_LIGHTS, GL_CURRENT_COLOR, GL_POLYGON_MODE,
    GL_SHADE_MODEL, GL_DRAW_BUFFER, GL_LIST_BASE, GL_RENDER_MODE, GL_UNPACK_ALIGNMENT,
    GL_LINE_WIDTH, GL_ACTIVE_TEXTURE, GL_ARRAY_BUFFER_BINDING, GL_VERTEX_ARRAY_BUFFER_BINDING,
    GL_MODELVIEW_STACK_DEPTH, GL_STENCIL_FUNC, GL_STENCIL_REF, GL_COLOR_WRITEMASK, GL_EDGE_FLAG,
    GL_TEXTURE_COORD_ARRAY_SIZE, GL_UNPACK_SWAP_BYTES, GL_CLIENT_ACTIVE_TEXTURE, GL_SAMPLE_BUFFERS,
    GL_LIST_INDEX, GL_PIXEL_UNPACK_BUFFER_BINDING};
  for (unsigned n = 0; n < sizeof names / sizeof *names; n++) glGetIntegerv(names[n], i);
  glGetFloatv(GL_MODELVIEW_MATRIX, f);
  glGetFloatv(GL_PROJECTION_MATRIX, f);
  glGetDoublev(GL_MODELVIEW_MATRIX, d);
  glGetBooleanv(GL_DEPTH_WRITEMASK, b);
  glIsEnabled(GL_LIGHTING);
  glIsEnabled(GL_VERTEX_ARRAY);
  glGetLightfv(GL_LIGHT0, GL_POSITION, f);
  glGetMaterialfv(GL_FRONT, GL_DIFFUSE, f);
  glGetLightiv(GL_LIGHT0, GL_DIFFUSE, i);
  glGetMaterialiv(GL_FRONT, GL_SHININESS, i);
  glGetClipPlane(GL_CLIP_PLANE0, d);
  void *pointer;
  glGetPointerv(GL_VERTEX_ARRAY_POINTER, &pointer);
  glIsList(list); glIsBuffer(buffer);
  if (glGetError()) printf("error in frame %d\n", frame);
}

static void state(int frame) {
  float position[4] = {1, 1, 1, 0}, gray[4] = {.5f, .5f, .5f, 1};
  double plane[4] = {0, 1, 0, 10};
  glViewport(0, 0, 64, 64);
  glScissor(0, 0, 60 + frame % 3, 60);
  glEnable(GL_SCISSOR_TEST);
  glDisable(GL_SCISSOR_TEST);
  glPushAttrib(GL_ALL_ATTRIB_BITS);
  glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
  glEnable(GL_LIGHTING); glEnable(GL_LIGHT0); glEnable(GL_COLOR_MATERIAL);
  glColorMaterial(GL_FRONT_AND_BACK, GL_AMBIENT_AND_DIFFUSE);
  glLightfv(GL_LIGHT0, GL_POSITION, position); glLightf(GL_LIGHT0, GL_SPOT_CUTOFF, 180);
  glLightModelfv(GL_LIGHT_MODEL_AMBIENT, gray); glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, frame & 1);
  glMaterialfv(GL_FRONT, GL_SPECULAR, gray); glMaterialf(GL_FRONT, GL_SHININESS, 3);
  glFogfv(GL_FOG_COLOR, gray); glFogi(GL_FOG_MODE, GL_LINEAR); glFogf(GL_FOG_DENSITY, .1f);
  glHint(GL_FOG_HINT, GL_NICEST); glShadeModel(GL_FLAT); glShadeModel(GL_SMOOTH);
  glDepthFunc(GL_LEQUAL); glDepthMask(1); glDepthRange(0, 1); glClearDepth(1);
  glBlendFunc(GL_ONE, GL_ZERO); glBlendEquation(GL_FUNC_ADD); glBlendColor(0, 0, 0, 0);
  glBlendFuncSeparate(GL_ONE, GL_ZERO, GL_ONE, GL_ZERO);
  glAlphaFunc(GL_GREATER, .1f); glStencilFunc(GL_ALWAYS, frame, ~0u); glStencilMask(~0u);
  glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP); glClearStencil(0); glColorMask(1, 1, 1, 1);
  glCullFace(GL_BACK); glFrontFace(GL_CCW); glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glPolygonOffset(1, 1); glLineWidth(1 + frame % 2); glPointSize(2); glLineStipple(1, 0xffff);
  glLogicOp(GL_COPY); glDrawBuffer(GL_BACK); glReadBuffer(GL_BACK); glIndexMask(~0u);
  glClipPlane(GL_CLIP_PLANE0, plane); glPixelStorei(GL_UNPACK_ALIGNMENT, 1); glPixelZoom(1, 1);
  glPointParameterf(GL_POINT_SIZE_MIN, 1); glSampleCoverage(1, 0);
  static unsigned char pattern[128];
  pattern[frame] = 1; glPolygonStipple(pattern);
  glPixelTransferf(GL_RED_SCALE, 1 + frame); glPixelTransferi(GL_MAP_COLOR, 0);
  glRenderMode(GL_RENDER); glInitNames(); glPushName(1); glLoadName(2); glPopName(); glPassThrough(1);
  glPopClientAttrib();
  glPopAttrib();
}

static void matrices(int frame) {
  glMatrixMode(GL_PROJECTION); glLoadIdentity(); glOrtho(-1, 1, -1, 1, -1, 1);
  glFrustum(-1, 1, -1, 1, 1, 9); glLoadIdentity();
  glMatrixMode(GL_MODELVIEW); glLoadIdentity(); glPushMatrix();
  glRotatef(frame, 0, 0, 1); glRotated(1, 1, 0, 0); glTranslatef(0, 0, 0); glTranslated(0, 0, 0);
  glScalef(1, 1, 1); glScaled(1, 1, 1); glMultMatrixf(matrix); glLoadMatrixf(matrix);
  glPopMatrix();
}

static void drawing(int frame) {
  glBegin(GL_TRIANGLES);
  for (int n = 0; n < 3; n++) {
    glColor3f(1, 0, 0); glNormal3f(0, 0, 1); glTexCoord2f(0, 0); glVertex3fv(positions + 3 * n);
  }
  glEnd();
  glRectf(-.1f, -.1f, .1f, .1f);
  glCallList(list); glCallLists(1, GL_UNSIGNED_INT, &list); glListBase(0);
  glEnableClientState(GL_VERTEX_ARRAY); glVertexPointer(3, GL_FLOAT, 0, positions);
  glEnableClientState(GL_COLOR_ARRAY); glColorPointer(4, GL_UNSIGNED_BYTE, 0, colors);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices);
  glLockArraysEXT(0, 4); glDrawArrays(GL_TRIANGLE_FAN, 0, 4); glUnlockArraysEXT();
  glBindBuffer(GL_ARRAY_BUFFER, buffer); glVertexPointer(3, GL_FLOAT, 0, 0);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  glDisableClientState(GL_COLOR_ARRAY); glDisableClientState(GL_VERTEX_ARRAY);
  glRasterPos2i(0, 0); glWindowPos2i(3, 3);
  (void)frame;
}

/* Lists that are made anew every frame, of everything that is no image. */
static void lists(int frame) {
  float position[4] = {1, 1, frame, 0}, gray[4] = {.5f, .5f, .5f, 1};
  static const float curve[6] = {0, 0, 0, 1, 1, 1};
  GLuint names = glGenLists(2);
  for (int mode = GL_COMPILE; mode <= GL_COMPILE_AND_EXECUTE; mode++) {
    glNewList(names, mode);
    glBegin(GL_QUAD_STRIP);
    for (int n = 0; n < 40; n++) {
      glNormal3f(0, 0, 1); glMaterialfv(GL_FRONT, GL_DIFFUSE, gray);
      glVertex3f(.1f * n, n & 1, .5f); glColor3ub(n, 0, 0);
    }
    glEnd();
    glVertex2f(1, 1);
    glPushMatrix(); glLoadMatrixf(matrix); glMultMatrixf(matrix); glRotatef(frame, 0, 0, 1);
    glPopMatrix();
    glLightfv(GL_LIGHT0, GL_POSITION, position); glFogfv(GL_FOG_COLOR, gray);
    glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, gray);
    glMap1f(GL_MAP1_VERTEX_3, 0, 1, 3, 2, curve);
    glCallList(list); glCallLists(1, GL_UNSIGNED_INT, &list); glListBase(0);
    glVertexPointer(3, GL_FLOAT, 0, positions); glEnableClientState(GL_VERTEX_ARRAY);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices);
    glBegin(GL_POINTS); glArrayElement(1); glEnd();
    glDisableClientState(GL_VERTEX_ARRAY);
    glEndList();
    glCallList(names);
  }
  if (!glIsList(names + 1) || glGetError()) printf("frame %d: lists\n", frame);
  glDeleteLists(names, 2);
}

/* What lies under the mouse. */
static void selection(int frame) {
  GLuint records[64];
  glSelectBuffer(64, records); glRenderMode(GL_SELECT);
  glInitNames(); glPushName(7);
  glRectf(-.5f, -.5f, .5f, .5f);
  glLoadName(8); glBegin(GL_LINES); glVertex3f(2, 0, 0); glVertex3f(3, 0, 0); glEnd();
  glLoadName(9); glCallList(list);
  glPushName(10); glRasterPos2f(0, 0); glPopName();
  int hits = glRenderMode(GL_RENDER);
  if (hits != 3 || records[3] != 7 || records[7] != 9) printf("frame %d: %d hits\n", frame, hits);
}

static void occlusion(int frame) {
  GLuint samples = 0;
  GLint there = 0;
  glBeginQuery(GL_SAMPLES_PASSED, query);
  glRectf(-.5f, -.5f, .5f, .5f);
  glEndQuery(GL_SAMPLES_PASSED);
  glGetQueryObjectiv(query, GL_QUERY_RESULT_AVAILABLE, &there);
  glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
  if (samples != 32 * 32) printf("frame %d: %u samples\n", frame, samples);
}

/* Buffers, vertex array objects, queries and lists that live for one frame. */
enum { MANY = 200 };
static void names(int frame) {
  GLuint buffers[MANY], arrays[MANY], queries[MANY], invented = 5000000 + frame, samples;
  static GLuint first[4];
  glGenBuffers(MANY, buffers); glGenVertexArrays(MANY, arrays); glGenQueries(MANY, queries);
  GLuint lists = glGenLists(MANY);
  for (int n = 0; n < MANY; n++) {
    glBindVertexArray(arrays[n]);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[n]);
    glBufferData(GL_ARRAY_BUFFER, sizeof positions, positions, GL_STREAM_DRAW);
    glVertexPointer(3, GL_FLOAT, 0, 0); glEnableClientState(GL_VERTEX_ARRAY);
    glBeginQuery(GL_SAMPLES_PASSED, queries[n]);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEndQuery(GL_SAMPLES_PASSED);
    glNewList(lists + n, GL_COMPILE); glRectf(0, 0, .2f, .2f); glEndList();
    glCallList(lists + n);
    if (!glIsBuffer(buffers[n]) || !glIsVertexArray(arrays[n]) || !glIsQuery(queries[n]) ||
        !glIsList(lists + n)) printf("frame %d: no object %d\n", frame, n);
  }
  glGetQueryObjectuiv(queries[3], GL_QUERY_RESULT, &samples);
  if (!samples) printf("frame %d: no samples\n", frame);
  glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
  glDeleteBuffers(MANY / 2, buffers);
  glPopClientAttrib();
  glBindBuffer(GL_COPY_READ_BUFFER, invented);
  glDeleteBuffers(1, &invented);
  glDeleteVertexArrays(MANY, arrays); glDeleteQueries(MANY, queries);
  glDeleteBuffers(MANY / 2, buffers + MANY / 2); glDeleteLists(lists, MANY);
  if (glIsBuffer(invented) || glIsList(lists) || glIsQuery(queries[0]) || glGetError())
    printf("frame %d: still there, or an error\n", frame);
  GLuint now[4] = {buffers[0], arrays[0], queries[0], lists};
  if (frame == 0) memcpy(first, now, sizeof now);
  if (memcmp(first, now, sizeof now)) printf("frame %d: other names\n", frame);
}

/* Two thousand states that differ in blending, depth test and colour mask. */
static void states(int frame) {
  static const GLenum factors[] = {GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR,
    GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_DST_COLOR,
    GL_ONE_MINUS_DST_COLOR};
  glEnable(GL_BLEND); glEnable(GL_DEPTH_TEST);
  for (int n = 0; n < 2000; n++) {
    glBlendFunc(factors[n % 10], factors[n / 10 % 10]);
    glDepthFunc(GL_LESS + n / 100 % 4);
    glColorMask(1, n / 400 & 1, n / 800 & 1, n / 1600 & 1);
    glRectf(-.1f, -.1f, .1f, .1f);
  }
  glDisable(GL_BLEND); glDisable(GL_DEPTH_TEST); glColorMask(1, 1, 1, 1);
}

/* Textures: bindings, parameters, environments, uploads, copies, mipmaps, names of one frame. */
static GLubyte texels[64 * 64 * 4];
static void textures(int frame) {
  static GLuint kept[4], sampler;
  static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_1D};
  GLuint some[MANY];
  GLfloat f[4], color[4] = {.1f, .2f, .3f, .4f};
  GLint i[4];
  memset(texels, 16 * frame, sizeof texels);
  if (frame == 0) {
    glGenTextures(4, kept);
    glGenSamplers(1, &sampler);
    glBindTexture(GL_TEXTURE_2D, kept[0]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
  }
  for (int unit = 0; unit < 3; unit++) {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(targets[unit], kept[unit]);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, unit ? GL_ADD : GL_REPLACE);
    glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, color);
    glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, GL_OBJECT_LINEAR);
    glEnable(GL_TEXTURE_GEN_S); glDisable(GL_TEXTURE_GEN_S);
    glBindTexture(targets[unit], unit ? 0 : kept[0]);
  }
  glActiveTexture(GL_TEXTURE0);
  glEnable(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, frame & 1 ? GL_LINEAR : GL_NEAREST);
  glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, color);
  glRectf(-.5f, -.5f, .5f, .5f);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 8, 8, 32, 16, GL_RGBA, GL_UNSIGNED_BYTE, texels);
  glRectf(-.4f, -.5f, .5f, .5f);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 64, 64, GL_BGRA, GL_UNSIGNED_BYTE, texels);
  glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 8, 16, 16);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glGenerateMipmap(GL_TEXTURE_2D);
  glRectf(-.1f, -.1f, .1f, .1f);
  glBindSampler(0, sampler);
  glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, frame & 1 ? GL_NEAREST : GL_LINEAR);
  glRectf(-.1f, -.1f, .1f, .1f);
  glBindSampler(0, 0);
  glGetTexImage(GL_TEXTURE_2D, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
  glGenTextures(MANY, some);
  for (int n = 0; n < MANY; n++) {
    glBindTexture(GL_TEXTURE_2D, some[n]);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 16, 16, 0, GL_RGB, GL_UNSIGNED_BYTE, texels);
    glRectf(-.1f, -.1f, .1f, .1f);
    if (!glIsTexture(some[n])) printf("frame %d: no texture %d\n", frame, n);
  }
  glDeleteTextures(MANY, some);
  glGetTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, f);
  glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, i);
  glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, i);
  for (int n = 0; n < 2; n++) { /* whether there would be room */
    glTexImage2D(GL_PROXY_TEXTURE_2D, 0, GL_RGBA8, 32 << frame % 4, n ? 1 << 20 : 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, 0);
    glGetTexLevelParameteriv(GL_PROXY_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, i);
    if (i[0] != (n ? 0 : 32 << frame % 4)) printf("frame %d: a proxy of %d\n", frame, i[0]);
  }
  glGetTexEnviv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, i);
  glGetTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, f);
  glGetTexGenfv(GL_S, GL_OBJECT_PLANE, f);
  glDisable(GL_TEXTURE_2D);
  if (glGetError()) printf("error in frame %d\n", frame);
}

/* A hundred textures of all targets, sizes and formats and a hundred buffers: made, filled, drawn
 * with, changed, read and deleted within the frame. */
static void objects(int frame) {
  static const GLenum internal[] = {GL_RGBA8, GL_RGB8, GL_RGB565, GL_LUMINANCE8, GL_RGBA16F,
    GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, GL_DEPTH_COMPONENT24};
  static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_RECTANGLE,
    GL_TEXTURE_1D, GL_TEXTURE_CUBE_MAP};
  GLuint made[100], filled[100];
  memset(texels, 5 * frame, sizeof texels);
  glGenTextures(100, made); glGenBuffers(100, filled);
  glEnableClientState(GL_VERTEX_ARRAY); glEnableClientState(GL_TEXTURE_COORD_ARRAY);
  for (int n = 0; n < 100; n++) {
    GLenum target = targets[n % 5], kind = internal[n % 7 < 5 || n % 5 == 0 ? n % 7 : 0];
    GLenum format = kind == GL_DEPTH_COMPONENT24 ? GL_DEPTH_COMPONENT : GL_RGBA;
    int size = 4 << n % 5;
    glBindTexture(target, made[n]);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, n & 1 ? GL_LINEAR : GL_NEAREST);
    if (target == GL_TEXTURE_3D)
      glTexImage3D(target, 0, kind, size, 4, 4, 0, format, GL_UNSIGNED_BYTE, texels);
    else if (target == GL_TEXTURE_1D)
      glTexImage1D(target, 0, kind, size, 0, format, GL_UNSIGNED_BYTE, texels);
    else
      for (int face = 0; face < (target == GL_TEXTURE_CUBE_MAP ? 6 : 1); face++)
        glTexImage2D(target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : target,
                     0, kind, size, size, 0, format, GL_UNSIGNED_BYTE, texels);
    if (target == GL_TEXTURE_2D && format == GL_RGBA) {
      glTexSubImage2D(target, 0, 1 & (kind == GL_RGBA8), 0, 1 + 3 * (kind != GL_RGBA8), 4, format,
                      GL_UNSIGNED_BYTE, texels);
      glGenerateMipmap(target);
      if (kind == GL_RGBA8) glClearTexSubImage(made[n], 0, 0, 0, 0, 2, 2, 1, format, GL_UNSIGNED_BYTE,
                                               texels);
    }
    glBindBuffer(GL_ARRAY_BUFFER, filled[n]);
    glBufferData(GL_ARRAY_BUFFER, sizeof positions + 64 * n, 0, GL_STREAM_DRAW);
    glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof positions, positions);
    glVertexPointer(3, GL_FLOAT, 0, 0); glTexCoordPointer(3, GL_FLOAT, 0, 0);
    glEnable(target);
    glDrawArrays(GL_TRIANGLE_FAN, 0, 4);
    glDisable(target);
    if (n % 10 == 3)
      glGetTexImage(GL_TEXTURE_1D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
  }
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  glDisableClientState(GL_VERTEX_ARRAY); glDisableClientState(GL_TEXTURE_COORD_ARRAY);
  glDeleteTextures(100, made); glDeleteBuffers(100, filled);
  GLenum error = glGetError();
  if (error) printf("error %x in frame %d\n", error, frame);
}

/* KiB of memory that are there. */
static long resident(void) {
  long pages = 0, all = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
  if (file) fclose(file);
  return pages * 4;
}

/* Whole numbers, layers that are cleared at once, framebuffers by name, and one without attachments; all live a frame. */
static void further_targets(int frame) {
  static const GLint numbers[] = {1, -2, 3, 4};
  static const GLenum gone[] = {GL_COLOR_ATTACHMENT0};
  static GLuint empty;
  GLuint fbos[2], images[2], passed = 0;
  GLint words[4] = {0};
  if (frame == 0) {
    glGenFramebuffers(1, &empty);
    glBindFramebuffer(GL_FRAMEBUFFER, empty);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, 16);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, 16);
  }
  glGenFramebuffers(2, fbos); glGenTextures(2, images);
  glBindTexture(GL_TEXTURE_2D_ARRAY, images[0]);
  glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA16I, 16, 16, 3, 0, GL_RGBA_INTEGER, GL_INT, NULL);
  glBindTexture(GL_TEXTURE_2D, images[1]);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32I, 16, 16, 0, GL_RGBA_INTEGER, GL_INT, NULL);
  glBindFramebuffer(GL_FRAMEBUFFER, fbos[1]);
  glNamedFramebufferTexture(fbos[1], GL_COLOR_ATTACHMENT0, images[1], 0);
  glBindFramebuffer(GL_FRAMEBUFFER, fbos[0]);
  glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, images[0], 0);
  glClearColorIiEXT(frame, 2, 3, 4); glClear(GL_COLOR_BUFFER_BIT);
  glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, images[0], 0, 2);
  glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, GL_INT, words);
  if (words[0] != frame || words[3] != 4) printf("frame %d: layer 2 is %d\n", frame, words[0]);
  glClearNamedFramebufferiv(fbos[0], GL_COLOR, 0, numbers);
  glBlitNamedFramebuffer(fbos[0], fbos[1], 0, 0, 16, 16, 0, 0, 16, 16, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, fbos[1]);
  glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, 4, 4);
  glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, GL_INT, words);
  if (words[1] != -2) printf("frame %d: %d blitted\n", frame, words[1]);
  glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, gone);
  glBindFramebuffer(GL_FRAMEBUFFER, empty);
  glBeginQuery(GL_SAMPLES_PASSED, query);
  glRectf(-1, -1, 1, 1);
  glEndQuery(GL_SAMPLES_PASSED);
  glGetQueryObjectuiv(query, GL_QUERY_RESULT, &passed);
  if (!passed) printf("frame %d: nothing passed\n", frame);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glDeleteFramebuffers(2, fbos); glDeleteTextures(2, images);
}

/* Framebuffer objects: drawn to, sampled, blitted, read; states of targets one by one; some that live a frame. */
static void targets(int frame) {
  static GLuint fbos[2], images[4], depth;
  static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  static const GLfloat grey[] = {.5f, .5f, .5f, .5f};
  GLuint some[MANY], boxes[MANY];
  GLint i[4];
  if (frame == 0) {
    glGenTextures(4, images);
    glGenFramebuffers(2, fbos);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, 64, 64);
    for (int n = 0; n < 4; n++) {
      glBindTexture(GL_TEXTURE_2D, images[n]);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexImage2D(GL_TEXTURE_2D, 0, n & 1 ? GL_RGBA16F : GL_RGBA8, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      glBindFramebuffer(GL_FRAMEBUFFER, fbos[n / 2]);
      glFramebufferTexture2D(GL_FRAMEBUFFER, both[n & 1], GL_TEXTURE_2D, images[n], 0);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
    }
  }
  for (int n = 0; n < 2; n++) {
    glBindFramebuffer(GL_FRAMEBUFFER, fbos[n]);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) printf("frame %d: not complete\n", frame);
    glDrawBuffers(2, both);
    glClearColor(2, 1, .5f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glClearBufferfv(GL_COLOR, 1, grey);
    glEnablei(GL_BLEND, 1); glBlendFunci(1, GL_ONE, GL_ONE); glBlendEquationi(1, GL_FUNC_ADD);
    glColorMaski(0, 1, 0, 1, 1);
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, images[2 - 2 * n]);
    glRectf(-.5f, -.5f, .5f, .5f);
    glDisable(GL_TEXTURE_2D); glDisable(GL_BLEND); glColorMask(1, 1, 1, 1); glBlendFunc(GL_ONE, GL_ZERO);
    glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_TRUE); glRectf(-.1f, -.1f, .1f, .1f);
    glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_FIXED_ONLY);
    glDrawBuffer(GL_COLOR_ATTACHMENT1);
    glRectf(-.2f, -.2f, .1f, .1f);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glReadPixels(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, texels);
  }
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, 64, 64, 0, 0, 64, 64, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBlitFramebuffer(0, 0, 64, 64, 8, 8, 32, 32, GL_COLOR_BUFFER_BIT, GL_LINEAR);
  glGenFramebuffers(MANY, some);
  glGenRenderbuffers(MANY, boxes);
  for (int n = 0; n < MANY; n++) {
    glBindRenderbuffer(GL_RENDERBUFFER, boxes[n]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 32, 32);
    glBindFramebuffer(GL_FRAMEBUFFER, some[n]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, boxes[n]);
    glClear(GL_COLOR_BUFFER_BIT);
    glRectf(-.1f, -.1f, .1f, .1f);
    if (!glIsFramebuffer(some[n]) || !glIsRenderbuffer(boxes[n])) printf("frame %d: no object %d\n", frame, n);
  }
  glDeleteRenderbuffers(MANY, boxes);
  glDeleteFramebuffers(MANY, some);
  further_targets(frame);
  glGetIntegerv(GL_FRAMEBUFFER_BINDING, i);
  if (i[0]) printf("frame %d: %d is bound\n", frame, i[0]);
  if (glGetError()) printf("error in frame %d\n", frame);
}

/* ARB programs: bound, switched on and off, with other parameters for each quad; what comes out is
 * read back. The colour of quad n is environment parameter n mod 4 plus the local one, halved. */
static void assembly(int frame) {
  static GLuint names[2];
  static const char *texts[] = {
    "!!ARBvp1.0\nPARAM p[] = {program.env[0..3], state.matrix.mvp};\nADDRESS A;\n"
    "ARL A.x, program.local[1].x;\nADD result.color, p[A.x], program.local[0];\n"
    "DP4 result.position.x, p[4], vertex.position;\nDP4 result.position.y, p[5], vertex.position;\n"
    "DP4 result.position.z, p[6], vertex.position;\nDP4 result.position.w, p[7], vertex.position;\n"
    "END",
    "!!ARBfp1.0\nMUL result.color, fragment.color, program.env[7];\nEND"};
  static const GLenum target[] = {GL_VERTEX_PROGRAM_ARB, GL_FRAGMENT_PROGRAM_ARB};
  GLubyte got[4];
  if (frame == 0) {
    glGenProgramsARB(2, names);
    for (int n = 0; n < 2; n++) {
      glBindProgramARB(target[n], names[n]);
      glProgramStringARB(target[n], GL_PROGRAM_FORMAT_ASCII_ARB, strlen(texts[n]), texts[n]);
      glBindProgramARB(target[n], 0);
    }
  }
  for (int n = 0; n < 2; n++) { glBindProgramARB(target[n], names[n]); glEnable(target[n]); }
  glProgramEnvParameter4fARB(target[1], 7, .5f, .5f, .5f, 1);
  for (int n = 0; n < 4; n++) {
    float env[4] = {n == 1, n == 2, n == 3, 1};
    glProgramEnvParameter4fvARB(target[0], n, env);
  }
  for (int n = 0; n < 8; n++) {
    glProgramLocalParameter4fARB(target[0], 0, n > 3 ? .5f : 0, 0, 0, 0);
    glProgramLocalParameter4dARB(target[0], 1, n & 3, 0, 0, 0);
    glPushMatrix();
    glTranslatef(n * .1f, 0, 0);
    glRectf(-1, -1, 1, 1);
    glPopMatrix();
    glReadPixels(40, 30, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
    for (int c = 0; c < 3; c++) {
      int want = ((n & 3) == c + 1 ? 128 : 0) + (c == 0 && n > 3 ? 64 : 0);
      if (abs(got[c] - (want > 128 ? 128 : want)) > 1)
        printf("frame %d, quad %d: %d of %d\n", frame, n, got[c], c);
    }
  }
  glBindProgramARB(target[1], 0); glBindProgramARB(target[1], names[1]);
  for (int n = 0; n < 2; n++) { glDisable(target[n]); glBindProgramARB(target[n], 0); }
  if (glGetError()) printf("error in frame %d\n", frame);
}

static GLuint linked(const char *vertex, const char *fragment) {
  GLuint program = glCreateProgram();
  for (int n = 0; n < 2; n++) {
    GLuint shader = glCreateShader(n ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
    glShaderSource(shader, 1, n ? &fragment : &vertex, 0);
    glCompileShader(shader); glAttachShader(program, shader);
  }
  glLinkProgram(program);
  return program;
}

/* Uniform blocks: one that changes each frame, in every way that buffers are written; a range each draw, and other
 * points and blocks; what comes out is read back. Quad n is as bright as its row says, times what the frame says. */
static void blocks(int frame) {
  static const char *texts[] = {
    "#version 120\n#extension GL_ARB_uniform_buffer_object : require\n"
    "layout(std140) uniform Row { vec4 color; float shift; }; varying vec4 c;"
    "void main() { c = color; gl_Position = gl_Vertex + vec4(shift, 0.0, 0.0, 0.0); }",
    "#version 120\n#extension GL_ARB_uniform_buffer_object : require\n"
    "layout(std140) uniform Frame { vec4 scale[64]; }; varying vec4 c;"
    "void main() { gl_FragColor = c * scale[int(mod(gl_FragCoord.x, 64.0))]; }"};
  static GLuint program, rows, changing;
  GLuint of_row, of_frame;
  static struct { float color[4], shift, rest[59]; } row[8];
  static float scale[256];
  GLubyte got[4];
  GLint i;
  if (frame == 0) {
    program = linked(texts[0], texts[1]);
    glGenBuffers(1, &rows); glGenBuffers(1, &changing);
    for (int n = 0; n < 8; n++) row[n].color[n % 3] = .25f + n / 16.f, row[n].shift = n / 16.f;
    glBindBuffer(GL_UNIFORM_BUFFER, rows);
    glBufferData(GL_UNIFORM_BUFFER, sizeof row, row, GL_STATIC_DRAW);
  }
  glUseProgram(program);
  of_row = glGetUniformBlockIndex(program, "Row"), of_frame = glGetUniformBlockIndex(program, "Frame");
  if (of_row == of_frame || glGetUniformLocation(program, "color") != -1 || glGetAttribLocation(program, "gl_Vertex") != -1)
    printf("frame %d: of names\n", frame);
  glUniformBlockBinding(program, of_row, 2);
  glUniformBlockBinding(program, of_frame, 3 + frame % 2);
  for (int n = 0; n < 256; n++) scale[n] = .5f + frame % 3 / 4.f;
  glBindBuffer(GL_UNIFORM_BUFFER, changing);
  if (frame % 3 == 0) glBufferData(GL_UNIFORM_BUFFER, sizeof scale, scale, GL_STREAM_DRAW);
  else if (frame % 3 == 1) glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof scale, scale);
  else {
    memcpy(glMapBufferRange(GL_UNIFORM_BUFFER, 0, sizeof scale, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT),
           scale, sizeof scale);
    glUnmapBuffer(GL_UNIFORM_BUFFER);
  }
  glBindBufferBase(GL_UNIFORM_BUFFER, 3 + frame % 2, changing);
  for (int n = 0; n < 8; n++) {
    glBindBufferRange(GL_UNIFORM_BUFFER, 2, rows, n * sizeof *row, 32);
    glRectf(-1, -1, 1, 1);
    if (n < 6) continue;
    glReadPixels(40, 30, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
    int want = 255 * (.25f + n / 16.f) * scale[0] + .5f;
    if (abs(got[n % 3] - want) > 1 || got[(n + 1) % 3])
      printf("frame %d, quad %d: %d, not %d\n", frame, n, got[n % 3], want);
  }
  glBufferSubData(GL_UNIFORM_BUFFER, 0, 16, row[0].color);
  if (frame == 0) glGetIntegerv(GL_UNIFORM_BUFFER_BINDING, &i); else i = rows;
  if (i != (int)rows) printf("frame %d: %d is bound\n", frame, i);
  glBindBufferBase(GL_UNIFORM_BUFFER, 3 + frame % 2, 0);
  glUseProgram(0);
  if (glGetError()) printf("error in frame %d\n", frame);
}

static struct { const char *name; void (*run)(int); } groups[] = {
  {"queries", queries_of_state}, {"state", state}, {"matrices", matrices}, {"drawing", drawing},
  {"lists", lists}, {"selection", selection}, {"occlusion", occlusion},
  {"names", names}, {"states", states}, {"textures", textures}, {"objects", objects},
  {"targets", targets}, {"assembly", assembly}, {"blocks", blocks}};

int main(int argc, char **argv) {
  int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 1, GLX_STENCIL_SIZE, 1, None};
  Display *dpy = XOpenDisplay(0);
  XVisualInfo *info = glXChooseVisual(dpy, DefaultScreen(dpy), wanted);
  XSetWindowAttributes more = {0};
  Window root = RootWindow(dpy, info->screen);
  more.colormap = XCreateColormap(dpy, root, info->visual, AllocNone);
  Window window = XCreateWindow(dpy, root, 0, 0, 64, 64, 0, info->depth, InputOutput, info->visual,
                                CWColormap, &more);
  XMapWindow(dpy, window);
  glXMakeCurrent(dpy, window, glXCreateContext(dpy, info, 0, True));
  list = glGenLists(1);
  glNewList(list, GL_COMPILE); glRectf(0, 0, .2f, .2f); glEndList();
  glGenBuffers(1, &buffer); glGenQueries(1, &query);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, sizeof positions, positions, GL_STATIC_DRAW);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  long before = 0, next = 10, length = argc >= 3 && strchr(argv[2], 's') ? atoi(argv[2]) : 0;
  struct timespec begun, now;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  int frames = argc < 3 ? 12 : atoi(argv[2]); /* given: memory must not grow after a quarter */
  if (length) frames = 2147483647;
  for (int frame = 0; frame < frames; frame++) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (length && now.tv_sec - begun.tv_sec >= next) {
      if (!before && next >= length / 4) before = resident();
      printf("%ld s %d frames %ld KiB\n", (long)(now.tv_sec - begun.tv_sec), frame, resident());
      fflush(stdout);
      next += 10;
      if (next > length) break;
    }
    if (!length && frame == frames / 4) before = resident();
    glClearColor(0, 0, 0, 0); glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (unsigned n = 0; n < sizeof groups / sizeof *groups; n++)
      if (argc < 2 || !strcmp(argv[1], groups[n].name)) groups[n].run(frame);
    glFlush(); glFinish();
    glXSwapBuffers(dpy, window);
  }
  if (argc >= 3 && !length) printf("%ld KiB\n", resident() - before);
  return length && resident() - before >= 512;
}
