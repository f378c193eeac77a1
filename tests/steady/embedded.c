/* Twelve frames of OpenGL ES 1.1 (by GLX_EXT_create_context_es_profile): its numbers, arrays, points
 * and rectangles. PYDRI_STATS says what the last frame cost; what is wrong with the answers is printed. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <GL/glxext.h>
#include <stdio.h>
#include <stdlib.h>

#define ONE 65536
typedef GLint fixed;
#define DECLARED(name, ...) extern void name(__VA_ARGS__)
DECLARED(glAlphaFuncx, GLenum, fixed); DECLARED(glClearColorx, fixed, fixed, fixed, fixed);
DECLARED(glClearDepthx, fixed); DECLARED(glClipPlanex, GLenum, const fixed *);
DECLARED(glClipPlanef, GLenum, const float *); DECLARED(glColor4x, fixed, fixed, fixed, fixed);
DECLARED(glDepthRangex, fixed, fixed); DECLARED(glFogx, GLenum, fixed);
DECLARED(glFogxv, GLenum, const fixed *); DECLARED(glFrustumx, fixed, fixed, fixed, fixed, fixed, fixed);
DECLARED(glOrthof, float, float, float, float, float, float); DECLARED(glGetFixedv, GLenum, fixed *);
DECLARED(glGetLightxv, GLenum, GLenum, fixed *); DECLARED(glGetMaterialxv, GLenum, GLenum, fixed *);
DECLARED(glGetTexEnvxv, GLenum, GLenum, fixed *); DECLARED(glGetTexParameterxv, GLenum, GLenum, fixed *);
DECLARED(glGetClipPlanex, GLenum, fixed *); DECLARED(glLightModelxv, GLenum, const fixed *);
DECLARED(glLightx, GLenum, GLenum, fixed); DECLARED(glLightxv, GLenum, GLenum, const fixed *);
DECLARED(glLineWidthx, fixed); DECLARED(glLoadMatrixx, const fixed *); DECLARED(glMultMatrixx, const fixed *);
DECLARED(glMaterialxv, GLenum, GLenum, const fixed *); DECLARED(glNormal3x, fixed, fixed, fixed);
DECLARED(glMultiTexCoord4x, GLenum, fixed, fixed, fixed, fixed);
DECLARED(glPointParameterxv, GLenum, const fixed *); DECLARED(glPointSizex, fixed);
DECLARED(glPolygonOffsetx, fixed, fixed); DECLARED(glRotatex, fixed, fixed, fixed, fixed);
DECLARED(glSampleCoveragex, fixed, GLboolean); DECLARED(glScalex, fixed, fixed, fixed);
DECLARED(glTexEnvx, GLenum, GLenum, fixed); DECLARED(glTexEnvxv, GLenum, GLenum, const fixed *);
DECLARED(glTexParameterx, GLenum, GLenum, fixed); DECLARED(glTranslatex, fixed, fixed, fixed);
DECLARED(glPointSizePointerOES, GLenum, GLsizei, const void *); DECLARED(glDrawTexxvOES, const fixed *);
DECLARED(glDrawTexiOES, GLint, GLint, GLint, GLint, GLint); DECLARED(glTexGenxOES, GLenum, GLenum, fixed);
DECLARED(glBlendEquationOES, GLenum);
extern GLbitfield glQueryMatrixxOES(fixed *, GLint *);

static const fixed corners[8] = {-ONE, -ONE, ONE, -ONE, -ONE, ONE, ONE, ONE};
static const signed char near_corners[12] = {-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0};
static const fixed gray[4] = {ONE / 2, ONE / 2, ONE / 2, ONE}, place[4] = {0, 0, ONE, 0};
static const fixed identity[16] = {ONE, 0, 0, 0, 0, ONE, 0, 0, 0, 0, ONE, 0, 0, 0, 0, ONE};
static const fixed sizes[4] = {ONE, 2 * ONE, 3 * ONE, 4 * ONE}, box[5] = {0, 0, 0, 8 * ONE, 8 * ONE};

static void state(int frame) {
  static const float plane[4] = {0, 1, 0, 10};
  glAlphaFuncx(GL_GREATER, frame); glClearColorx(0, 0, 0, ONE); glClearDepthx(ONE);
  glDepthRangex(0, ONE); glLineWidthx(ONE); glPointSizex(ONE + frame); glPolygonOffsetx(ONE, 0);
  glSampleCoveragex(ONE, 0); glClipPlanex(GL_CLIP_PLANE0, gray); glClipPlanef(GL_CLIP_PLANE1, plane);
  glFogx(GL_FOG_MODE, GL_LINEAR); glFogx(GL_FOG_END, frame * ONE); glFogxv(GL_FOG_COLOR, gray);
  glLightModelxv(GL_LIGHT_MODEL_AMBIENT, gray); glLightxv(GL_LIGHT0, GL_POSITION, place);
  glLightx(GL_LIGHT0, GL_SPOT_EXPONENT, frame * ONE); glMaterialxv(GL_FRONT_AND_BACK, GL_DIFFUSE, gray);
  glPointParameterxv(GL_POINT_DISTANCE_ATTENUATION, identity);
  glTexEnvx(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
  glTexEnvxv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, gray);
  glTexParameterx(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexGenxOES(0x8D60, GL_TEXTURE_GEN_MODE, GL_NORMAL_MAP);
  glBlendEquationOES(GL_FUNC_SUBTRACT); glBlendEquationOES(GL_FUNC_ADD);
  glNormal3x(0, 0, ONE); glMultiTexCoord4x(GL_TEXTURE1, 0, 0, 0, ONE);
}

static void answers(int frame) {
  fixed got[16];
  GLint exponents[16];
  glGetFixedv(GL_POINT_SIZE, got);
  if (got[0] != ONE + frame) printf("frame %d: a point of %d\n", frame, got[0]);
  glGetLightxv(GL_LIGHT0, GL_SPOT_EXPONENT, got);
  if (got[0] != frame * ONE) printf("frame %d: an exponent of %d\n", frame, got[0]);
  glGetMaterialxv(GL_FRONT, GL_DIFFUSE, got);
  glGetTexEnvxv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, got);
  glGetTexParameterxv(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, got);
  glGetClipPlanex(GL_CLIP_PLANE0, got);
  if (glQueryMatrixxOES(got, exponents) || got[0] != ONE / 2 || exponents[0] != 1)
    printf("frame %d: a matrix of %d * 2^%d\n", frame, got[0], exponents[0]);
}

/* Toolkits that know desktops call what OpenGL ES has not, in each frame. */
static void refused(int frame) {
  glOrtho(0, 1, 0, 1, -1, 1);
  GLenum first = glGetError();
  glPolygonMode(GL_FRONT, GL_FILL);
  if (first != GL_INVALID_OPERATION || glGetError() != GL_INVALID_OPERATION)
    printf("frame %d: what is not there is no error\n", frame);
}

static void drawing(int frame) {
  GLubyte got[4];
  glMatrixMode(GL_PROJECTION); glLoadIdentity(); glFrustumx(-ONE, ONE, -ONE, ONE, ONE, 9 * ONE);
  glLoadIdentity(); glOrthof(-1, 1, -1, 1, -1, 1);
  glMatrixMode(GL_MODELVIEW); glLoadMatrixx(identity);
  glRotatex(90 * ONE, 0, 0, ONE); glTranslatex(0, 0, 0); glScalex(ONE, ONE, ONE); glMultMatrixx(identity);
  glEnableClientState(GL_VERTEX_ARRAY);
  glColor4x(ONE * (frame % 2), ONE, 0, ONE);
  glVertexPointer(2, GL_FIXED, 0, corners); glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glReadPixels(30, 30, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
  if (got[0] != 255 * (frame % 2) || got[1] != 255) printf("frame %d: %d %d\n", frame, got[0], got[1]);
  glVertexPointer(3, GL_BYTE, 0, near_corners); glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glEnableClientState(0x8B9C); glPointSizePointerOES(GL_FIXED, 0, sizes);
  glDrawArrays(GL_POINTS, 0, 4);
  glDisableClientState(0x8B9C); glDisableClientState(GL_VERTEX_ARRAY);
  glEnable(GL_TEXTURE_2D); glDrawTexxvOES(box); glDrawTexiOES(3, 3, 0, 40 + frame, 40);
  glDisable(GL_TEXTURE_2D);
  glReadPixels(30, 30, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
  if (got[0] != 10 || got[2] != 30) printf("frame %d: a texel of %d %d\n", frame, got[0], got[2]);
  glLoadMatrixx(identity);
}

int main(void) {
  int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 1, None}, count;
  int attribs[] = {GLX_CONTEXT_MAJOR_VERSION_ARB, 1, GLX_CONTEXT_MINOR_VERSION_ARB, 1,
                   GLX_CONTEXT_PROFILE_MASK_ARB, GLX_CONTEXT_ES_PROFILE_BIT_EXT, None};
  Display *dpy = XOpenDisplay(0);
  XVisualInfo *info = glXChooseVisual(dpy, DefaultScreen(dpy), wanted);
  GLXFBConfig *configs = glXGetFBConfigs(dpy, DefaultScreen(dpy), &count);
  int visual = 0, chosen = 0;
  for (chosen = 0; chosen < count && visual != (int)info->visualid; chosen++)
    glXGetFBConfigAttrib(dpy, configs[chosen], GLX_VISUAL_ID, &visual);
  XSetWindowAttributes more = {0};
  Window root = RootWindow(dpy, info->screen);
  more.colormap = XCreateColormap(dpy, root, info->visual, AllocNone);
  Window window = XCreateWindow(dpy, root, 0, 0, 64, 64, 0, info->depth, InputOutput, info->visual,
                                CWColormap, &more);
  XMapWindow(dpy, window);
  PFNGLXCREATECONTEXTATTRIBSARBPROC create = (PFNGLXCREATECONTEXTATTRIBSARBPROC)
      glXGetProcAddress((const GLubyte *)"glXCreateContextAttribsARB");
  glXMakeCurrent(dpy, window, create(dpy, configs[chosen - 1], 0, True, attribs));
  GLubyte texel[4] = {10, 20, 30, 255};
  GLint crop[4] = {0, 0, 1, 1};
  GLuint name;
  glGenTextures(1, &name); glBindTexture(GL_TEXTURE_2D, name);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
  glTexParameteriv(GL_TEXTURE_2D, 0x8B9D, crop);
  for (int frame = 0; frame < 12; frame++) {
    state(frame);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    drawing(frame);
    answers(frame);
    refused(frame);
    if (glGetError()) printf("error in frame %d\n", frame);
    glXSwapBuffers(dpy, window);
  }
  return 0;
}
