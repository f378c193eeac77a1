/* SPDX-License-Identifier: MIT */
/* Draws named scenes and keeps their pictures: `scenes --list`, `scenes NAME|all [DIR]`, `scenes some DIR NAME ...`.
 *
 * Each scene gets a window and a context of its own (RGBA8, depth 24, stencil 8, double buffered), is read back
 * with glReadPixels, written to DIR/NAME.pam (top row first, RGBA) and swapped. Depth and stencil of the scene go to
 * DIR/NAME.words: WIDTH x HEIGHT words of 32 bits, top row first, depth in the upper 24, stencil in the lower 8.
 * A line is printed for each scene:
 *     NAME WIDTH HEIGHT HASH GLERROR WINDOW
 * HASH is FNV-1a of pixels and words; GLERROR what glGetError left; WINDOW the number of pixels that the X window
 * shows differently after the swap (- where it was not looked at: SCENES_WINDOW=1 asks for it).
 *
 * `scenes watch ROUNDS [SECONDS [N]]` draws all of them (or each Nth), round after round, so often and at least so long. Each
 * picture must have the hash of the first round; a line is printed for each round: its number and the KiB that the process keeps between scenes.
 */
#include "scenes.h"
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>


int W, H;

static const SceneList *lists[] = {
    &gears_list, &primitive_list, &line_list, &polygon_list, &clip_list, &light_list, &fog_list,
    &accum_list, &fragment_list, &array_list, &dlist_list, &state_list, &further_list,
    &smooth_list, &area_list, &cut_list, &buffer_list, &evaluate_list, &pixel_list, &sample_list, &srgb_list,
    &texture_list, &sprite_list, &framebuffer_list, &assembly_list, &shader4_list, &gather_list, &block_list, &texel_list, &transform_list,
    &multisample_list,
    &text_list, &random_list,
};

static Display *display;
static Window window;
static Colormap colormap;

void present(void)
{
    glXSwapBuffers(display, window);
}

/* exit status where this GLX offers no such samples, accumulation or sRGB */
#define NO_CONFIG 77

static GLXFBConfig choose_config(int samples, int accum, int srgb)
{
    const int wanted[] = {
        GLX_RENDER_TYPE, GLX_RGBA_BIT, GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT, GLX_DOUBLEBUFFER, True,
        GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8, GLX_ALPHA_SIZE, 8,
        GLX_DEPTH_SIZE, 24, GLX_STENCIL_SIZE, 8, GLX_SAMPLE_BUFFERS, samples > 0, GLX_SAMPLES, samples,
        GLX_ACCUM_RED_SIZE, accum, GLX_ACCUM_GREEN_SIZE, accum, GLX_ACCUM_BLUE_SIZE, accum,
        GLX_ACCUM_ALPHA_SIZE, accum, srgb ? GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB : None, True, None,
    };
    int count = 0;
    GLXFBConfig *found = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    if (!found || !count) {
        fprintf(stderr, "no RGBA8 depth 24 stencil 8 config\n");
        exit(NO_CONFIG);
    }
    GLXFBConfig config = found[0];
    XFree(found);
    return config;
}

static Window make_window(XVisualInfo *visual, int width, int height)
{
    Window root = RootWindow(display, visual->screen);
    colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    XSetWindowAttributes set = {
        .colormap = colormap,
        .override_redirect = True, .event_mask = StructureNotifyMask,
    };
    Window made = XCreateWindow(display, root, 0, 0, width, height, 0, visual->depth, InputOutput,
                                visual->visual, CWColormap | CWOverrideRedirect | CWEventMask, &set);
    XMapRaised(display, made);
    XEvent event;
    do
        XNextEvent(display, &event);
    while (event.type != MapNotify);
    return made;
}

static uint8_t *read_color(void)
{
    uint8_t *rgba = malloc((size_t) W * H * 4);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, W, H, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    return rgba;
}

static void grey(uint8_t *rgba, unsigned value)
{
    rgba[0] = rgba[1] = rgba[2] = value;
    rgba[3] = 255;
}

static uint32_t *read_words(void)
{
    uint32_t *words = malloc((size_t) W * H * 4);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, W, H, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, words);
    return words;
}

/* The upper bits of depth, or stencil, as greys. */
static uint8_t *show_words(const uint32_t *words, enum source source)
{
    uint8_t *rgba = malloc((size_t) W * H * 4);
    for (int i = 0; i < W * H; i++)
        grey(rgba + 4 * i, source == DEPTH ? words[i] >> 24 : words[i] & 255);
    return rgba;
}

static uint8_t *read_window(int swap)
{
    uint8_t *rgba = malloc((size_t) W * H * 4);
    if (swap)
        glXSwapBuffers(display, window);
    glFinish();
    glXWaitGL();
    XImage *image = XGetImage(display, window, 0, 0, W, H, AllPlanes, ZPixmap);
    for (int y = 0; image && y < H; y++)
        for (int x = 0; x < W; x++) {
            uint8_t *p = rgba + ((size_t) (H - 1 - y) * W + x) * 4;
            unsigned long pixel = XGetPixel(image, x, y);
            p[0] = pixel >> 16, p[1] = pixel >> 8, p[2] = pixel, p[3] = 255;
        }
    if (image)
        XDestroyImage(image);
    return rgba;
}

static uint8_t *read_picture(enum source source, const uint32_t *words)
{
    if (source == WINDOW || source == SHOWN)
        return read_window(source == WINDOW);
    return source == COLOR ? read_color() : show_words(words, source);
}

static uint64_t hash(uint64_t h, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * 1099511628211ull;
    return h;
}

/* Rows of 32 bits a pixel, the top one first; a PAM has a head, words have none. */
static void write_rows(const char *dir, const char *name, const char *ending, const void *rows)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", dir, name, ending);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(2);
    }
    if (!strcmp(ending, "pam"))
        fprintf(file, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", W, H);
    for (int y = H - 1; y >= 0; y--)
        fwrite((const uint8_t *) rows + (size_t) y * W * 4, 4, W, file);
    fclose(file);
}

/* Pixels of the X window that are not those of the picture (32 bits a pixel, as every X server has today). */
static int window_differences(const uint8_t *rgba)
{
    int differences = 0;
    glFinish();
    glXWaitGL();
    XImage *image = XGetImage(display, window, 0, 0, W, H, AllPlanes, ZPixmap);
    if (!image)
        return W * H;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const uint8_t *p = rgba + ((size_t) (H - 1 - y) * W + x) * 4;
            unsigned long pixel = XGetPixel(image, x, y) & 0xffffff;
            differences += pixel != ((unsigned long) p[0] << 16 | p[1] << 8 | p[2]);
        }
    XDestroyImage(image);
    return differences;
}

static int quiet;

static uint64_t run(const Scene *scene, const char *dir)
{
    const char *every = getenv("SCENES_SAMPLES");
    int samples = scene->samples || scene->accum || !every ? scene->samples : atoi(every);
    /* AVOIDS(read_of_samples): Mesa reads back the first sample, the window shows the mean of all (GL 2.1, 3.2.1) */
    enum source source = samples && scene->source == COLOR ? WINDOW : scene->source;
    GLXFBConfig config = choose_config(samples, scene->accum, scene->srgb);
    XVisualInfo *visual = glXGetVisualFromFBConfig(display, config);
    W = scene->width;
    H = scene->height;
    window = make_window(visual, W, H);
    GLXContext context = glXCreateNewContext(display, config, GLX_RGBA_TYPE, NULL, True);
    if (!context || !glXMakeCurrent(display, window, context)) {
        fprintf(stderr, "no context\n");
        exit(2);
    }
    reset_noise();
    scene->draw(scene->arg);
    uint8_t *rgba = source == WINDOW ? read_color() : NULL;
    uint32_t *words = read_words();
    uint8_t *picture = read_picture(source, words);
    unsigned error = glGetError();
    if (dir) {
        write_rows(dir, scene->name, "pam", picture);
        write_rows(dir, scene->name, "words", words);
    }
    if (!rgba) {
        GLint read = GL_BACK;
        glGetIntegerv(GL_READ_BUFFER, &read);
        if (read == GL_BACK) /* else the picture is that of the front buffer, which the window shows already */
            glXSwapBuffers(display, window);
        rgba = picture;
    }
    uint64_t seen = hash(hash(14695981039346656037ull, picture, (size_t) W * H * 4), words, (size_t) W * H * 4);
    free(words);
    if (!quiet) {
        printf("%s %d %d %016llx 0x%x ", scene->name, W, H, (unsigned long long) seen, error);
        if (getenv("SCENES_WINDOW") && (source == COLOR || source == WINDOW))
            printf("%d\n", window_differences(rgba));
        else
            printf("-\n");
        fflush(stdout);
    }
    if (picture != rgba)
        free(picture);
    free(rgba);
    glXMakeCurrent(display, None, NULL);
    glXDestroyContext(display, context);
    XDestroyWindow(display, window);
    XFreeColormap(display, colormap);
    XFree(visual);
    return seen;
}

static long kept(void) /* KiB */
{
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    malloc_trim(0);
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2)
        exit(2);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) >> 10);
}

static int watch(int rounds, int seconds, int nth)
{
    static uint64_t first[4096];
    time_t end = time(NULL) + seconds;
    quiet = 1;
    for (int round = 0; round < rounds || time(NULL) < end; round++) {
        int number = 0;
        for (int i = 0; i < LENGTH(lists); i++)
            for (int j = 0; j < lists[i]->count; j++, number++) {
                const Scene *scene = &lists[i]->scenes[j];
                if (number % nth)
                    continue;
                uint64_t seen = run(scene, NULL);
                if (round && seen != first[number]) {
                    printf("%s differs in round %d\n", scene->name, round);
                    return 1;
                }
                first[number] = seen;
                XEvent event;
                while (XPending(display))
                    XNextEvent(display, &event);
            }
        printf("%d %ld\n", round, kept());
        fflush(stdout);
    }
    return 0;
}

/* Whether a scene is among the names behind `some DIR`. */
static int named(const char *scene, char **names)
{
    for (; *names; names++)
        if (!strcmp(*names, scene))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--list", *dir = argc > 2 && argv[2][0] ? argv[2] : NULL;
    int list = !strcmp(name, "--list"), all = !strcmp(name, "all"), drawn = 0;
    char **some = argc > 3 && !strcmp(name, "some") ? argv + 3 : NULL;
    if (!list && !(display = XOpenDisplay(NULL))) {
        fprintf(stderr, "no X display\n");
        return 2;
    }
    if (!strcmp(name, "watch"))
        return watch(argc > 2 ? atoi(argv[2]) : 3, argc > 3 ? atoi(argv[3]) : 0, argc > 4 ? atoi(argv[4]) : 1);
    for (int i = 0; i < LENGTH(lists); i++)
        for (int j = 0; j < lists[i]->count; j++) {
            const Scene *scene = &lists[i]->scenes[j];
            if (list)
                printf("%s %d %d\n", scene->name, scene->width, scene->height);
            int wanted = all || (some ? named(scene->name, some) : !strcmp(name, scene->name));
            if (list || !wanted)
                continue;
            run(scene, dir);
            drawn++;
        }
    return list || drawn ? 0 : 3;
}
