/* SPDX-License-Identifier: MIT */
/* What the files of scenes share: the table's row, small drawing helpers, the size of the window. */
#ifndef SCENES_H
#define SCENES_H

#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

/* What the picture of a scene is made of: read back, or what the X window holds, after a swap or without one. */
enum source { COLOR, DEPTH, STENCIL, WINDOW, SHOWN };

/* One scene: draw(arg) is called with a fresh context, current on a window of the given size. */
typedef struct {
    const char *name;
    void (*draw)(int arg);
    int arg;
    int width, height;
    enum source source;
    int samples;            /* a pixel; 0: one, or as many as SCENES_SAMPLES says */
    int accum;              /* bits of a channel of the accumulation buffer; then one sample a pixel */
    int srgb;               /* 1: a window that GL_FRAMEBUFFER_SRGB does something to */
} Scene;

typedef struct {
    const Scene *scenes;
    int count;
} SceneList;

extern const SceneList gears_list, primitive_list, line_list, clip_list, light_list, fog_list,
    accum_list, fragment_list, array_list, dlist_list, state_list, polygon_list, further_list,
    smooth_list, area_list, cut_list, buffer_list, evaluate_list, pixel_list, sample_list, srgb_list,
    texture_list, sprite_list, framebuffer_list,
    assembly_list, shader4_list, gather_list, block_list, texel_list, transform_list, multisample_list, text_list, random_list;
/* The same bits with every C library, whose own differ by version and by processor: what a scene asks for
 * must be one and the same everywhere, as its picture is (digests.tsv). */
double sine(double x), cosine(double x);       /* helpers.c */
#define sin(x) sine(x)
#define cos(x) cosine(x)
#define tan(x) (sine(x) / cosine(x))
#define sinf(x) ((float) sine(x))
#define cosf(x) ((float) cosine(x))
#define tanf(x) ((float) tan(x))
#pragma GCC poison hypot hypotf pow powf exp expf exp2 exp2f log logf log2 log2f cbrt asin asinf acos acosf atan atanf atan2 atan2f sinh cosh tanh

extern int W, H;            /* of the current scene's window */
void present(void);         /* swap in the middle of a scene */

typedef struct { float x, y, z; } Vec3;

/* helpers.c */
float noise(void);                             /* 0..1, the same sequence in every scene */
void reset_noise(void);                        /* the sequence from its start (each scene begins there) */
float between(float low, float high);
void hue(float turn);                          /* glColor3f of a saturated colour, turn 0..1 */
void pixels(void);                             /* coordinates are pixels, origin bottom left */
void unit_square(void);                        /* coordinates -1..1, no depth surprises */
void perspective(float degrees, float near, float far);
void clear_all(float r, float g, float b, float a);
void cell(int i, int columns, int rows);       /* viewport and scissor: one cell of a grid */
void whole(void);                              /* the whole window again */
void gradient_square(float size, float alpha); /* four corner colours and alphas */
void sphere(int slices, int stacks);           /* unit sphere, with normals, quad strips */
void torus(float inner, float outer, int sides, int rings);
void wide_lines(void);                         /* twelve, each wider than the one below, in pixels */
void bar(float x0, float y0, float x1, float y1, float z);
GLuint compiled(const char *vertex, const char *fragment); /* a program, not linked; null: fixed function */

#endif
