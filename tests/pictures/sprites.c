/* SPDX-License-Identifier: MIT */
/* Point sprites: squares of the points' very size, in which texture coordinates count from an edge. Texels are large, so
 * that colours do not hang on the last bit of a coordinate. */
#include "scenes.h"

/* A 4x4 texture without symmetries, whose texels lie apart from black. */
static void arrow(GLenum target, int depth)
{
    GLubyte texels[4 * 16][4];
    GLuint name;
    for (int i = 0; i < 16 * depth; i++) {
        int x = i & 3, y = i >> 2 & 3, z = i >> 4;
        texels[i][0] = 60 + 60 * x;
        texels[i][1] = 60 + 60 * y;
        texels[i][2] = (x + 2 * y + z) % 3 * 100;
        texels[i][3] = 255;
    }
    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    if (target == GL_TEXTURE_3D)
        glTexImage3D(target, 0, GL_RGBA8, 4, 4, depth, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    else
        glTexImage2D(target, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glEnable(target);
}

static void start(void)
{
    clear_all(0.2f, 0.25f, 0.3f, 1);
    pixels();
    arrow(GL_TEXTURE_2D, 1);
    glEnable(GL_POINT_SPRITE);
    glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, GL_TRUE);
    glColor4f(1, 1, 1, 1);
}

/* Points of growing sizes in rows, off the pixels' grid, some of them across an edge of the window. */
static void rows(float smallest, float step)
{
    for (int i = 0; i < 16; i++) {
        float x = 5.3f + i % 4 * 61.7f, y = 9.4f + i / 4 * 47.9f;
        glPointSize(smallest + step * i);
        glBegin(GL_POINTS);
        glTexCoord2f(0.9f, 0.1f);
        glVertex2f(x, y);
        glEnd();
    }
}

static void origins(int origin)
{
    start();
    glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, origin);
    rows(1.2f, 3.7f);
}

static void squares(int replaces)
{
    start();
    glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, replaces);
    glEnable(GL_POINT_SMOOTH); /* has no effect */
    rows(2.6f, 2.45f);
}

static void attenuated(int smooth)
{
    static const float law[] = {0.5f, 0, 0.3f};
    start();
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    perspective(50, 1, 20);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, law);
    glPointParameterf(GL_POINT_SIZE_MIN, 3);
    glPointParameterf(GL_POINT_SIZE_MAX, 40);
    glPointSize(60);
    if (smooth)
        glEnable(GL_POINT_SMOOTH);
    glBegin(GL_POINTS);
    for (int i = 0; i < 24; i++) {
        hue(i / 24.0f);
        glVertex3f(between(-2, 2), between(-1.5f, 1.5f), -2 - i * 0.35f);
    }
    glEnd();
}

/* What vertices, matrices and generation say of replaced coordinates does not count; of others it does. */
static void units(int replaced)
{
    static const float plane[] = {0.01f, 0.02f, 0, 0};
    start();
    for (int i = 0; i < 2; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        arrow(GL_TEXTURE_2D, 1);
        glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, replaced == i);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, i ? GL_ADD : GL_MODULATE);
        glTexGenfv(GL_S, GL_OBJECT_PLANE, plane);
        glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, GL_OBJECT_LINEAR);
        glEnable(GL_TEXTURE_GEN_S);
        glMatrixMode(GL_TEXTURE);
        glLoadIdentity();
        glTranslatef(0.3f, 0.4f, 0);
        glScalef(2, 0.5f, 1);
    }
    glActiveTexture(GL_TEXTURE0);
    rows(9.3f, 2.7f);
}

static void volume(int arg)
{
    (void) arg;
    start();
    glDisable(GL_TEXTURE_2D);
    arrow(GL_TEXTURE_3D, 4);
    rows(9.3f, 2.7f);
}

enum corners { ALL_CORNERS, SOME_FILLED, BY_HAND };

/* Corners of polygons are points, too; filled ones have their own coordinates. By hand: the same from points, and
 * polygons while sprites are off. */
static void corners(int how)
{
    start();
    glPointSize(23.5f);
    if (how != BY_HAND)
        glPolygonMode(how == SOME_FILLED ? GL_FRONT : GL_FRONT_AND_BACK, GL_POINT);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 6; i++) {
        float x = 45.3f + i % 3 * 70, y = 55.6f + i / 3 * 80, turn = i & 1 ? -1 : 1;
        if (how == BY_HAND)
            (i & 1 ? glDisable : glEnable)(GL_POINT_SPRITE);
        glBegin(how == BY_HAND && !(i & 1) ? GL_POINTS : GL_TRIANGLES);
        glTexCoord2f(0.1f, 0.2f);
        glVertex3f(x - 25, y - 20, 0.2f * i);
        glTexCoord2f(0.9f, 0.2f);
        glVertex3f(x + 20 * turn, y - 15 * turn, 0.3f);
        glTexCoord2f(0.4f, 0.9f);
        glVertex3f(x - 3 * turn, y + 27 * turn, -0.1f * i);
        glEnd();
    }
}

/* Several hundred small ones, blended, as of a fountain. */
static void many(int arg)
{
    (void) arg;
    start();
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE);
    for (int size = 4; size < 16; size += 4) {
        glPointSize(size + 0.5f);
        glBegin(GL_POINTS);
        for (int i = 0; i < 120; i++) {
            glColor4f(noise(), noise(), noise(), 0.5f);
            glVertex2f(between(-3, W + 3.0f), between(-3, H + 3.0f));
        }
        glEnd();
    }
}

#define SCENE(name, function, argument) {"sprite_" name, function, argument, 240, 180}
static const Scene scenes[] = {
    SCENE("upper", origins, GL_UPPER_LEFT), SCENE("lower", origins, GL_LOWER_LEFT), SCENE("squares", squares, GL_FALSE),
    SCENE("smooth", squares, GL_TRUE), SCENE("attenuated", attenuated, 0), SCENE("attenuated_smooth", attenuated, 1),
    SCENE("first_unit", units, 0), SCENE("second_unit", units, 1), SCENE("volume", volume, 0),
    SCENE("corners", corners, ALL_CORNERS), SCENE("corners_filled", corners, SOME_FILLED),
    SCENE("corners_by_hand", corners, BY_HAND), SCENE("many", many, 0),
    {"sprite_samples", origins, GL_LOWER_LEFT, 240, 180, .samples = 4},
};

const SceneList sprite_list = {scenes, LENGTH(scenes)};
