/* SPDX-License-Identifier: MIT */
/* What the bench programs of shaders draw: a texture's image, and a grid of triangles in buffer
 * objects, whose vertices are position, normal and a weight from 0 to 15. */

enum { SIZE = 256, LAYERS = 4, GRID = 300, DRAWS = 500 };
enum { MESH_FLOATS = 7, CORNERS = (GRID - 1) * (GRID - 1) * 6 };

/* Smooth waves with a checker over them, RGBA. */
static const unsigned char *image(void)
{
    static unsigned char texels[SIZE * SIZE * 4];
    for (int i = 0; i < SIZE * SIZE; i++) {
        int x = i % SIZE, y = i / SIZE;
        texels[4 * i] = 128 + 127 * sin(x * 0.05);
        texels[4 * i + 1] = 128 + 127 * cos(y * 0.07);
        texels[4 * i + 2] = ((x >> 4) ^ (y >> 4)) & 1 ? 255 : 30;
        texels[4 * i + 3] = 255 - (x + y) / 3;
    }
    return texels;
}

/* Make the grid and leave its two buffers bound. */
static void bind_mesh(void)
{
    unsigned *corners = malloc(CORNERS * sizeof *corners), *corner = corners;
    float *mesh = malloc(GRID * GRID * MESH_FLOATS * sizeof *mesh), *vertex = mesh;
    GLuint buffers[2];
    for (int y = 0; y < GRID; y++)
        for (int x = 0; x < GRID; x++, vertex += MESH_FLOATS) {
            float u = 2.0f * x / (GRID - 1) - 1, v = 2.0f * y / (GRID - 1) - 1;
            float values[MESH_FLOATS] = {u * 0.9f, v * 0.9f, 0.1f * sinf(5 * u) * cosf(4 * v),
                                         0.3f * u, 0.3f * v, 1,
                                         (x + y) % 16};
            memcpy(vertex, values, sizeof values);
            if (x && y) {
                unsigned here = y * GRID + x;
                unsigned two[6] = {here - GRID - 1, here - GRID, here, here, here - 1,
                                   here - GRID - 1};
                memcpy(corner, two, sizeof two);
                corner += 6;
            }
        }
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, GRID * GRID * MESH_FLOATS * sizeof *mesh, mesh, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, CORNERS * sizeof *corners, corners, GL_STATIC_DRAW);
    free(mesh);
    free(corners);
}

static void draw_mesh(const Line *line)
{
    (void)line;
    glDrawElements(GL_TRIANGLES, CORNERS, GL_UNSIGNED_INT, NULL);
}
