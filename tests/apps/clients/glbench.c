/* SPDX-License-Identifier: MIT */
/* glbench: side-by-side micro-benchmark of a libGL, one figure a line.
 * Build: cc -O2 glbench.c -o glbench -lGL -lX11 -lm   Use: glbench [-s SIZE] [-t SECONDS] [TEST...]
 * Each test prints "name value unit"; values are rates (higher is better). A checksum of the last
 * frame goes to stderr so that two drivers' pictures can be told apart, and how many CPUs it used:
 * the rate by these is what other load on the machine disturbs less. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static Display *dpy;
static Window win;
static int S = 512;
static double T = 1.0;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
static double cpu(void) { /* what the process used of the processors */
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
static void reset(void) {
    glUseProgram(0);
    glDisable(GL_TEXTURE_2D);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_LIGHTING);
    glDisable(GL_CULL_FACE);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisableClientState(GL_COLOR_ARRAY);
    glDisableClientState(GL_NORMAL_ARRAY);
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glViewport(0, 0, S, S);
    glColor4f(1, 1, 1, 1);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glFinish();
}
static void quad(float z) {
    glBegin(GL_QUADS);
    glColor4f(1, 0, 0, .5f);
    glTexCoord2f(0, 0);
    glVertex3f(-1, -1, z);
    glColor4f(0, 1, 0, .5f);
    glTexCoord2f(2, 0);
    glVertex3f(1, -1, z);
    glColor4f(0, 0, 1, .5f);
    glTexCoord2f(2, 2);
    glVertex3f(1, 1, z);
    glColor4f(1, 1, 0, .5f);
    glTexCoord2f(0, 2);
    glVertex3f(-1, 1, z);
    glEnd();
}
#define LAYERS 8
static double fillrate(void) { /* Mpixel/s of LAYERS full-window quads a frame, no swap */
    for (int w = 0; w < 2; w++) {
        for (int l = 0; l < LAYERS; l++)
            quad(0);
        glFinish();
    }
    double t = now();
    int n = 0;
    do {
        for (int l = 0; l < LAYERS; l++)
            quad(0.9f - l * 0.1f);
        glFinish();
        n++;
        if (glIsEnabled(GL_DEPTH_TEST))
            glClear(GL_DEPTH_BUFFER_BIT);
    } while (now() - t < T);
    return n * (double)LAYERS * S * S / (now() - t) / 1e6;
}
static GLuint prog(const char *vs, const char *fs) {
    GLuint p = glCreateProgram();
    const char *s[2] = {vs, fs};
    GLenum k[2] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
    for (int i = 0; i < 2; i++) {
        GLuint sh = glCreateShader(k[i]);
        glShaderSource(sh, 1, &s[i], 0);
        glCompileShader(sh);
        GLint ok;
        glGetShaderiv(sh, GL_COMPILE_STATUS, &ok);
        if (!ok) {
            char b[4096];
            glGetShaderInfoLog(sh, 4096, 0, b);
            fprintf(stderr, "compile: %s\n", b);
            return 0;
        }
        glAttachShader(p, sh);
    }
    glLinkProgram(p);
    GLint ok;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok) {
        fprintf(stderr, "link failed\n");
        return 0;
    }
    return p;
}
static void texture(int n) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    unsigned char *p = malloc(n * n * 4);
    for (int i = 0; i < n * n; i++) {
        int x = i % n, y = i / n;
        p[4 * i] = x * 255 / n;
        p[4 * i + 1] = y * 255 / n;
        p[4 * i + 2] = ((x >> 4) ^ (y >> 4)) & 1 ? 255 : 0;
        p[4 * i + 3] = 255;
    }
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, n, n, 0, GL_RGBA, GL_UNSIGNED_BYTE, p);
    free(p);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
}
static int GN;
static float *gv;
static unsigned *gi;
static int gni;
static void grid(int n) {
    GN = n;
    free(gv);
    free(gi);
    gv = malloc(n * n * 9 * 4);
    gi = malloc((n - 1) * (n - 1) * 6 * 4);
    gni = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float *v = gv + 9 * (y * n + x);
            float u = 2.f * x / (n - 1) - 1, w = 2.f * y / (n - 1) - 1;
            v[0] = u * .95f;
            v[1] = w * .95f;
            v[2] = .3f * sinf(5 * u) * cosf(4 * w);
            v[3] = -1.5f * cosf(5 * u);
            v[4] = 1.2f * sinf(4 * w);
            v[5] = 1;
            v[6] = .5f + .5f * u;
            v[7] = .5f + .5f * w;
            v[8] = .5f;
        }
    for (int y = 0; y < n - 1; y++)
        for (int x = 0; x < n - 1; x++) {
            unsigned a = y * n + x;
            unsigned q[6] = {a, a + 1, a + n, a + 1, a + n + 1, a + n};
            memcpy(gi + gni, q, 24);
            gni += 6;
        }
}
static double t_swap(void) {
    reset();
    double t = now();
    int n = 0;
    do {
        glClearColor(n % 7 / 7.f, 0, 0, 0);
        glClear(GL_COLOR_BUFFER_BIT);
        glXSwapBuffers(dpy, win);
        n++;
    } while (now() - t < T);
    return n / (now() - t);
}
static double t_flat(void) {
    reset();
    glShadeModel(GL_FLAT);
    double r = fillrate();
    glShadeModel(GL_SMOOTH);
    return r;
}
static double t_smooth(void) {
    reset();
    return fillrate();
}
static double t_smoothz(void) {
    reset();
    glEnable(GL_DEPTH_TEST);
    return fillrate();
}
static double t_blend(void) {
    reset();
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    return fillrate();
}
static double t_tex(void) {
    reset();
    texture(256);
    double r = fillrate();
    glDisable(GL_TEXTURE_2D);
    return r;
}
static const char *VS = "#version 120\nvarying vec3 n,p;void "
                        "main(){n=gl_Vertex.xyz;p=gl_Vertex.xyz*3.0;gl_Position=gl_Vertex;}";
static const char *FS = "#version 120\nvarying vec3 n,p;uniform vec3 L;void main(){vec3 "
                        "N=normalize(n+vec3(0.,0.,1.));vec3 H=normalize(L+vec3(0.,0.,1.));float "
                        "d=max(dot(N,L),0.),s=pow(max(dot(N,H),0.),32.);gl_FragColor=vec4(vec3(.1,."
                        "2,.6)*d+vec3(s)+.1*sin(p*4.),1.);}";
static double t_glsl(void) {
    reset();
    GLuint p = prog(VS, FS);
    if (!p)
        return 0;
    glUseProgram(p);
    glUniform3f(glGetUniformLocation(p, "L"), .57f, .57f, .57f);
    double r = fillrate();
    glUseProgram(0);
    return r;
}
static void lights(void) {
    float pos[4] = {.5f, .6f, 1, 0}, w[4] = {1, 1, 1, 1};
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glLightfv(GL_LIGHT0, GL_POSITION, pos);
    glMaterialfv(GL_FRONT_AND_BACK, GL_SPECULAR, w);
    glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, 20);
    glEnable(GL_NORMALIZE);
}
static double mesh(int n, int light, int vbo) {
    reset();
    grid(n);
    glEnable(GL_DEPTH_TEST);
    if (light)
        lights();
    GLuint b[2];
    const char *base = (char *)gv;
    const void *ip = gi;
    if (vbo) {
        glGenBuffers(2, b);
        glBindBuffer(GL_ARRAY_BUFFER, b[0]);
        glBufferData(GL_ARRAY_BUFFER, n * n * 36, gv, GL_STATIC_DRAW);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, b[1]);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, gni * 4, gi, GL_STATIC_DRAW);
        base = 0;
        ip = 0;
    }
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(3, GL_FLOAT, 36, base);
    glEnableClientState(GL_NORMAL_ARRAY);
    glNormalPointer(GL_FLOAT, 36, base + 12);
    glEnableClientState(GL_COLOR_ARRAY);
    glColorPointer(3, GL_FLOAT, 36, base + 24);
    double t = 0;
    int f = 0;
    for (int w = -2;; w++) {
        if (w == 0) {
            t = now();
            f = 0;
        }
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glLoadIdentity();
        glRotatef(w, 0, 0, 1);
        glDrawElements(GL_TRIANGLES, gni, GL_UNSIGNED_INT, ip);
        glFinish();
        f++;
        if (w >= 0 && now() - t > T)
            break;
    }
    double r = f * (gni / 3.) / (now() - t) / 1e6;
    if (vbo)
        glDeleteBuffers(2, b);
    return r;
}
static double t_tris_small(void) { return mesh(400, 0, 1); }
static double t_tris_lit(void) { return mesh(400, 1, 1); }
static double t_tris_mid(void) { return mesh(60, 1, 1); }
static double t_tris_user(void) { return mesh(200, 1, 0); }
static double t_imm(void) {
    reset();
    grid(100);
    glEnable(GL_DEPTH_TEST);
    lights();
    double t = 0;
    int f = 0;
    for (int w = -2;; w++) {
        if (w == 0) {
            t = now();
            f = 0;
        }
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        for (int y = 0; y < GN - 1; y++) {
            glBegin(GL_TRIANGLE_STRIP);
            for (int x = 0; x < GN; x++)
                for (int k = 1; k >= 0; k--) {
                    float *v = gv + 9 * ((y + k) * GN + x);
                    glColor3fv(v + 6);
                    glNormal3fv(v + 3);
                    glVertex3fv(v);
                }
            glEnd();
        }
        glFinish();
        f++;
        if (w >= 0 && now() - t > T)
            break;
    }
    return f * (double)(GN - 1) * GN * 2 / (now() - t) / 1e6;
}
static double t_list(void) {
    reset();
    grid(100);
    glEnable(GL_DEPTH_TEST);
    lights();
    GLuint l = glGenLists(1);
    glNewList(l, GL_COMPILE);
    for (int y = 0; y < GN - 1; y++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (int x = 0; x < GN; x++)
            for (int k = 1; k >= 0; k--) {
                float *v = gv + 9 * ((y + k) * GN + x);
                glColor3fv(v + 6);
                glNormal3fv(v + 3);
                glVertex3fv(v);
            }
        glEnd();
    }
    glEndList();
    double t = 0;
    int f = 0;
    for (int w = -2;; w++) {
        if (w == 0) {
            t = now();
            f = 0;
        }
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glLoadIdentity();
        glRotatef(w, 0, 0, 1);
        glCallList(l);
        glFinish();
        f++;
        if (w >= 0 && now() - t > T)
            break;
    }
    double r = f * (double)(GN - 1) * GN * 2 / (now() - t) / 1e6;
    glDeleteLists(l, 1);
    return r;
}
static void tri3(void) {
    grid(4);
    memcpy(gv + 9, gv + 9 * 3, 12);
    memcpy(gv + 18, gv + 9 * 12, 12);
}
static double draws(int uni) {
    reset();
    tri3();
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glBufferData(GL_ARRAY_BUFFER, 16 * 36, gv, GL_STATIC_DRAW);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(3, GL_FLOAT, 36, 0);
    GLuint p = 0;
    GLint u = 0;
    if (uni) {
        p = prog("#version 120\nuniform vec4 o;void main(){gl_Position=gl_Vertex*.1+o;}",
                 "#version 120\nuniform vec4 o;void main(){gl_FragColor=abs(o);}");
        if (!p)
            return 0;
        glUseProgram(p);
        u = glGetUniformLocation(p, "o");
    }
    double t = 0;
    int n = 0;
    for (int w = -2;; w++) {
        if (w == 0) {
            t = now();
            n = 0;
        }
        for (int i = 0; i < 1000; i++) {
            if (uni)
                glUniform4f(u, (i % 40) / 20.f - 1, (i / 40) / 13.f - 1, 0, 1);
            else {
                glLoadIdentity();
                glTranslatef((i % 40) / 20.f - 1, (i / 40) / 13.f - 1, 0);
                glScalef(.1f, .1f, .1f);
            }
            glDrawArrays(GL_TRIANGLES, 0, 3);
            n++;
        }
        glFinish();
        if (w >= 0 && now() - t > T)
            break;
    }
    double r = n / (now() - t) / 1e3;
    glUseProgram(0);
    glDeleteBuffers(1, &b);
    return r;
}
static double t_draws_ff(void) { return draws(0); }
static double t_draws_glsl(void) { return draws(1); }
static double t_state(void) {
    reset();
    tri3();
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(3, GL_FLOAT, 36, gv);
    glScalef(.05f, .05f, .05f);
    double t = 0;
    int n = 0;
    for (int w = -2;; w++) {
        if (w == 0) {
            t = now();
            n = 0;
        }
        for (int i = 0; i < 500; i++) {
            if (i & 1) {
                glEnable(GL_BLEND);
                glBlendFunc(GL_ONE, GL_ONE);
                glDepthFunc(GL_LEQUAL);
            } else {
                glDisable(GL_BLEND);
                glDepthFunc(GL_LESS);
            }
            glColor3f(i / 500.f, 0, 0);
            glDrawArrays(GL_TRIANGLES, 0, 3);
            n++;
        }
        glFinish();
        if (w >= 0 && now() - t > T)
            break;
    }
    return n / (now() - t) / 1e3;
}
static double t_upload(void) {
    reset();
    glDisable(GL_TEXTURE_2D);
    GLuint tx;
    glGenTextures(1, &tx);
    glBindTexture(GL_TEXTURE_2D, tx);
    char *p = malloc(512 * 512 * 4);
    memset(p, 7, 512 * 512 * 4);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 512, 512, 0, GL_RGBA, GL_UNSIGNED_BYTE, p);
    double t = now();
    int n = 0;
    do {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 512, 512, GL_RGBA, GL_UNSIGNED_BYTE, p);
        n++;
    } while (now() - t < T);
    free(p);
    return n * 1. / (now() - t);
}
static double t_read(void) {
    reset();
    char *p = malloc(S * S * 4);
    double t = now();
    int n = 0;
    do {
        glReadPixels(0, 0, S, S, GL_RGBA, GL_UNSIGNED_BYTE, p);
        n++;
    } while (now() - t < T);
    free(p);
    return n * (double)S * S * 4 / (now() - t) / 1e6;
}
static struct {
    const char *n;
    double (*f)(void);
    const char *u;
} tests[] = {{"swap", t_swap, "frames/s"},
             {"fill_flat", t_flat, "Mpix/s"},
             {"fill_smooth", t_smooth, "Mpix/s"},
             {"fill_smooth_z", t_smoothz, "Mpix/s"},
             {"fill_blend", t_blend, "Mpix/s"},
             {"fill_tex_mip", t_tex, "Mpix/s"},
             {"fill_glsl", t_glsl, "Mpix/s"},
             {"tris_small", t_tris_small, "Mtri/s"},
             {"tris_small_lit", t_tris_lit, "Mtri/s"},
             {"tris_mid_lit", t_tris_mid, "Mtri/s"},
             {"tris_user_lit", t_tris_user, "Mtri/s"},
             {"immediate_lit", t_imm, "Mvert/s"},
             {"list_lit", t_list, "Mvert/s"},
             {"draws_ff", t_draws_ff, "kdraw/s"},
             {"draws_glsl", t_draws_glsl, "kdraw/s"},
             {"state_flip", t_state, "kdraw/s"},
             {"tex_upload", t_upload, "MB/s"},
             {"readpixels", t_read, "MB/s"}};
int main(int c, char **v) {
    int a = 1;
    while (a < c && v[a][0] == '-') {
        if (v[a][1] == 's')
            S = atoi(v[a + 1]);
        if (v[a][1] == 't')
            T = atof(v[a + 1]);
        a += 2;
    }
    dpy = XOpenDisplay(0);
    if (!dpy) {
        fprintf(stderr, "no display\n");
        return 2;
    }
    int at[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 24, None};
    XVisualInfo *vi = glXChooseVisual(dpy, DefaultScreen(dpy), at);
    if (!vi) {
        fprintf(stderr, "no visual\n");
        return 2;
    }
    XSetWindowAttributes wa = {0};
    wa.colormap = XCreateColormap(dpy, RootWindow(dpy, vi->screen), vi->visual, AllocNone);
    wa.event_mask = StructureNotifyMask;
    win = XCreateWindow(dpy, RootWindow(dpy, vi->screen), 0, 0, S, S, 0, vi->depth, InputOutput,
                        vi->visual, CWColormap | CWEventMask, &wa);
    XMapWindow(dpy, win);
    XEvent e;
    do
        XNextEvent(dpy, &e);
    while (e.type != MapNotify);
    double t0 = now();
    GLXContext cx = glXCreateContext(dpy, vi, 0, True);
    if (!cx || !glXMakeCurrent(dpy, win, cx)) {
        fprintf(stderr, "no context\n");
        return 2;
    }
    fprintf(stderr, "renderer %s | version %s | context %.0f ms\n", glGetString(GL_RENDERER),
            glGetString(GL_VERSION), (now() - t0) * 1e3);
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        int on = a >= c;
        for (int k = a; k < c; k++)
            on |= !strcmp(v[k], tests[i].n);
        if (!on)
            continue;
        double begin = now(), begin_cpu = cpu();
        double r = tests[i].f();
        double cpus = (cpu() - begin_cpu) / (now() - begin);
        unsigned h = 0;
        unsigned char *px = calloc(S * S, 4);
        glReadPixels(0, 0, S, S, GL_RGBA, GL_UNSIGNED_BYTE, px);
        for (int k = 0; k < S * S * 4; k++)
            h = h * 31 + px[k];
        free(px);
        printf("%-16s %10.2f %s\n", tests[i].n, r, tests[i].u);
        fflush(stdout);
        fprintf(stderr, "# %s sum %08x err %x cpus %.3f\n", tests[i].n, h, glGetError(), cpus);
    }
    return 0;
}
