/* SPDX-License-Identifier: MIT */
/* What the parts of the program egl share; egl.c has the bodies. */
#ifndef EGL_PARTS_H
#define EGL_PARTS_H
#define _GNU_SOURCE
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xcb/xcb.h>

extern int failures; /* of CHECK and the like */
extern int x_errors; /* of the X server */
extern Display *x;
extern EGLDisplay dpy;
extern EGLConfig config; /* of windows */

#define HERE __FILE__, __LINE__
#define CHECK(condition) check(!!(condition), #condition, HERE)
#define IS(call, value) is((long)(call), (long)(value), #call, HERE)
/* The call fails (0 or null) with this error, and the error is then forgotten. */
#define FAILS(call, code) (is((long)(call), 0, #call, HERE), is(eglGetError(), code, #call, HERE), \
                           is(eglGetError(), EGL_SUCCESS, "eglGetError again", HERE))
#define WORKS(call) (check(!!(call), #call, HERE), is(eglGetError(), EGL_SUCCESS, #call, HERE))

void check(int held, const char *what, const char *file, int line);
void is(long have, long want, const char *what, const char *file, int line);
EGLConfig choose(int kind);
int get(EGLConfig c, EGLint attribute);
void open_x11(void);
Window window(EGLConfig c, int width, int height);
EGLSurface pbuffer(EGLConfig c, int width, int height);
unsigned long pixel(Drawable d, int px, int py);
void fill(float r, float g, float b);
unsigned long read_pixel(int px, int py);
EGLint query(EGLSurface s, EGLint attribute);

void part_displays(void);
void part_references(void);
void part_devices(void);
void part_es(void);
void part_configs(void);
void part_surfaces(void);
void part_surfaceless(void);
void part_contexts(void);
void part_current(void);
void part_frames(void);
void part_steady(void);
void part_xcb(void);
void part_switch(void);
void part_toolkit(void);
void part_start(void);
void part_storm(void);
void part_fork(void);
void part_closed(void);
void part_syncs(void);
void part_debug(void);
void part_images(void);
#endif
