/* SPDX-License-Identifier: MIT */
/* swapcount.so - generic frame counter / frame grabber for unmodified GL clients.
 *
 * LD_PRELOAD it in front of an unmodified GL client.  It interposes
 *   glXSwapBuffers, glXSwapBuffersMscOML, eglSwapBuffers(+WithDamage),
 *   glXGetProcAddress(ARB), eglGetProcAddress, dlsym (for clients that dlopen),
 * so it works for linked, dlopen'ed, GLX and EGL clients, whatever libGL is below.
 *
 * Environment:
 *   SWAPCOUNT_OUT=file    one line is appended about every 0.5 s:
 *                           pid  api  seconds_since_first_swap  frames  process_cpu_seconds
 *                         plus one "#gl" line (version strings, profile, viewport, framebuffer)
 *   SWAPCOUNT_EXIT=n      _exit(0) after n frames
 *   SWAPCOUNT_SNAP=n:f    glReadPixels the back buffer before swap number n (1-based)
 *                         into binary PPM f   (several separated by ',')
 *   SWAPCOUNT_SIZE=WxH    size to read back (else the viewport's extent)
 * With dettime.so preloaded as well, "frame n" is the same picture on every libGL.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef void (*fp)(void);
static void *(*real_dlsym)(void *, const char *);
static void init_dlsym(void) {
    if (!real_dlsym) {
        real_dlsym = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        if (!real_dlsym)
            real_dlsym = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    }
}

/* ---- real monotonic clock through the raw syscall (never virtual) ---- */
static double rnow(void) {
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static double cpunow(void) {
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* ---- optional: dettime.so, preloaded too, advances its virtual clock at every swap ---- */
extern void dettime_swap(void) __attribute__((weak));

/* ---- counting ---- */
static long frames;
static double t_first, t_last;
static __thread int depth __attribute__((tls_model("initial-exec")));
static void *gl(const char *n) {
    init_dlsym();
    void *p = real_dlsym(RTLD_DEFAULT, n);
    if (!p) {
        void *h = dlopen("libGL.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (!h)
            h = dlopen("libOpenGL.so.0", RTLD_LAZY | RTLD_NOLOAD);
        if (!h)
            h = dlopen("libGLESv2.so.2", RTLD_LAZY | RTLD_NOLOAD);
        if (h)
            p = real_dlsym(h, n);
    }
    return p;
}
static void out(const char *s) {
    const char *f = getenv("SWAPCOUNT_OUT");
    if (!f)
        return;
    int fd = open(f, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0)
        return;
    if (write(fd, s, strlen(s))) {
    }
    close(fd);
}
static void glinfo(void) {
    const unsigned char *(*gs)(unsigned) = gl("glGetString");
    void (*gi)(unsigned, int *) = gl("glGetIntegerv");
    unsigned (*ge)(void) = gl("glGetError");
    char b[1024];
    if (!gs || !gi || !ge)
        return;
    int vp[4] = {0}, prof = 0, flags = 0, fbo = 0, smp = 0, dep = 0, st = 0;
    const char *v = (const char *)gs(0x1F02), *r = (const char *)gs(0x1F01);
    gi(0x0BA2, vp);
    int maj = v ? atoi(v) : 0, min = v && strchr(v, '.') ? atoi(strchr(v, '.') + 1) : 0;
    if (maj * 10 + min >= 32 && v && !strstr(v, "ES")) {
        gi(0x9126, &prof);
        gi(0x821E, &flags);
    }
    if (maj >= 2) {
        gi(0x8CA6, &fbo);
    }
    gi(0x80A9, &smp);
    if (!(prof & 1)) {
        gi(0x0D56, &dep);
        gi(0x0D57, &st);
    }
    snprintf(b, sizeof b,
             "#gl pid=%ld version=[%s] renderer=[%s] viewport=%dx%d profile=%s flags=0x%x fbo=%d "
             "samples=%d depth=%d stencil=%d\n",
             (long)syscall(SYS_getpid), v ? v : "?", r ? r : "?", vp[2], vp[3],
             prof == 1   ? "core"
             : prof == 2 ? "compat"
                         : "-",
             flags, fbo, smp, dep, st);
    out(b);
}
static void snap(long n) {
    const char *e = getenv("SWAPCOUNT_SNAP");
    if (!e)
        return;
    char buf[2048];
    snprintf(buf, sizeof buf, "%s", e);
    for (char *sv, *p = strtok_r(buf, ",", &sv); p; p = strtok_r(0, ",", &sv)) {
        char *c = strchr(p, ':');
        if (!c || atol(p) != n)
            continue;
        void (*gi)(unsigned, int *) = gl("glGetIntegerv");
        void (*rp)(int, int, int, int, unsigned, unsigned, void *) = gl("glReadPixels");
        void (*ps)(unsigned, int) = gl("glPixelStorei");
        void (*bf)(unsigned, unsigned) = gl("glBindFramebuffer");
        void (*bb)(unsigned, unsigned) = gl("glBindBuffer");
        if (!gi || !rp || !ps)
            return;
        int vp[4], fbo = 0, pbo = 0, al = 4, rl = 0, sr = 0, sk = 0;
        gi(0x0BA2, vp);
        gi(0x8CAA, &fbo);
        gi(0x88ED, &pbo);
        gi(0x0D05, &al);
        gi(0x0D02, &rl);
        gi(0x0D03, &sr);
        gi(0x0D04, &sk);
        int w = vp[0] + vp[2], h = vp[1] + vp[3];
        const char *sz = getenv("SWAPCOUNT_SIZE"); /* WxH overrides the viewport */
        if (sz)
            sscanf(sz, "%dx%d", &w, &h);
        if (fbo && bf)
            bf(0x8CA8, 0);
        if (pbo && bb)
            bb(0x88EB, 0);
        ps(0x0D05, 1);
        ps(0x0D02, 0);
        ps(0x0D03, 0);
        ps(0x0D04, 0);
        unsigned char *d = malloc((size_t)w * h * 4);
        rp(0, 0, w, h, 0x1908, 0x1401, d);
        ps(0x0D05, al);
        ps(0x0D02, rl);
        ps(0x0D03, sr);
        ps(0x0D04, sk);
        if (fbo && bf)
            bf(0x8CA8, fbo);
        if (pbo && bb)
            bb(0x88EB, pbo);
        FILE *f = fopen(c + 1, "wb");
        if (f) {
            fprintf(f, "P6\n%d %d\n255\n", w, h);
            for (int y = h - 1; y >= 0; y--)
                for (int x = 0; x < w; x++)
                    fwrite(d + ((size_t)y * w + x) * 4, 1, 3, f);
            fclose(f);
        }
        free(d);
    }
}
static void tick(const char *api) {
    long n = __sync_add_and_fetch(&frames, 1);
    double t = rnow();
    char b[128];
    if (n == 1) {
        t_first = t;
        t_last = t;
        out("#start\n");
    }
    if (n == 2)
        glinfo();
    snap(n);
    if (t - t_last >= 0.5 || n == 1) {
        t_last = t;
        snprintf(b, sizeof b, "%ld %s %.4f %ld %.4f\n", (long)syscall(SYS_getpid), api, t - t_first,
                 n, cpunow());
        out(b);
    }
    if (dettime_swap)
        dettime_swap();
}
static void maybe_exit(const char *api) {
    static long lim = -1;
    if (lim < 0) {
        const char *e = getenv("SWAPCOUNT_EXIT");
        lim = e ? atol(e) : 0;
    }
    if (lim && frames >= lim) {
        char b[128];
        snprintf(b, sizeof b, "%ld %s %.4f %ld %.4f\n", (long)syscall(SYS_getpid), api,
                 rnow() - t_first, frames, cpunow());
        out(b);
        _exit(0);
    }
}

static void *rp_glx, *rp_oml, *rp_egl, *rp_eglk, *rp_egle;
static void *(*rp_gpa)(const unsigned char *), *(*rp_gpaarb)(const unsigned char *),
    *(*rp_egpa)(const char *);
/* the next definition of a symbol after ours; for a libGL/libEGL loaded RTLD_LOCAL by dlopen,
 * look in that library itself (RTLD_DEFAULT would find ourselves) */
static void *next_def(const char *n) {
    static const char *const libs[] = {"libGL.so.1", "libGLX.so.0", "libEGL.so.1", 0};
    init_dlsym();
    void *p = real_dlsym(RTLD_NEXT, n);
    for (int i = 0; !p && libs[i]; i++) {
        if ((n[0] == 'e') != (i == 2))
            continue;
        void *h = dlopen(libs[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!h)
            h = dlopen(libs[i], RTLD_LAZY);
        if (h)
            p = real_dlsym(h, n);
    }
    return p;
}
#define REAL(var, name)                                                                            \
    do {                                                                                           \
        if (!(var))                                                                                \
            *(void **)&(var) = next_def(name);                                                     \
    } while (0)

void glXSwapBuffers(void *d, unsigned long w) {
    REAL(rp_glx, "glXSwapBuffers");
    if (!depth)
        tick("glx");
    depth++;
    ((void (*)(void *, unsigned long))rp_glx)(d, w);
    depth--;
    if (!depth)
        maybe_exit("glx");
}
int64_t glXSwapBuffersMscOML(void *d, unsigned long w, int64_t a, int64_t b, int64_t c) {
    REAL(rp_oml, "glXSwapBuffersMscOML");
    if (!depth)
        tick("glx-oml");
    depth++;
    int64_t r =
        ((int64_t (*)(void *, unsigned long, int64_t, int64_t, int64_t))rp_oml)(d, w, a, b, c);
    depth--;
    if (!depth)
        maybe_exit("glx-oml");
    return r;
}
unsigned eglSwapBuffers(void *d, void *s) {
    REAL(rp_egl, "eglSwapBuffers");
    if (!depth)
        tick("egl");
    depth++;
    unsigned r = ((unsigned (*)(void *, void *))rp_egl)(d, s);
    depth--;
    if (!depth)
        maybe_exit("egl");
    return r;
}
unsigned eglSwapBuffersWithDamageKHR(void *d, void *s, const int *q, int n) {
    if (!rp_eglk && rp_egpa)
        rp_eglk = rp_egpa("eglSwapBuffersWithDamageKHR");
    REAL(rp_eglk, "eglSwapBuffersWithDamageKHR");
    if (!depth)
        tick("egl");
    depth++;
    unsigned r = ((unsigned (*)(void *, void *, const int *, int))rp_eglk)(d, s, q, n);
    depth--;
    if (!depth)
        maybe_exit("egl");
    return r;
}
unsigned eglSwapBuffersWithDamageEXT(void *d, void *s, const int *q, int n) {
    if (!rp_egle && rp_egpa)
        rp_egle = rp_egpa("eglSwapBuffersWithDamageEXT");
    REAL(rp_egle, "eglSwapBuffersWithDamageEXT");
    if (!depth)
        tick("egl");
    depth++;
    unsigned r = ((unsigned (*)(void *, void *, const int *, int))rp_egle)(d, s, q, n);
    depth--;
    if (!depth)
        maybe_exit("egl");
    return r;
}

static void *hook(const char *n, void *real);
void *glXGetProcAddressARB(const unsigned char *n) {
    REAL(rp_gpaarb, "glXGetProcAddressARB");
    if (!rp_gpaarb)
        return 0;
    return hook((const char *)n, rp_gpaarb(n));
}
void *glXGetProcAddress(const unsigned char *n) {
    REAL(rp_gpa, "glXGetProcAddress");
    if (!rp_gpa)
        return glXGetProcAddressARB(n);
    return hook((const char *)n, rp_gpa(n));
}
void *eglGetProcAddress(const char *n) {
    REAL(rp_egpa, "eglGetProcAddress");
    if (!rp_egpa)
        return 0;
    return hook(n, rp_egpa(n));
}
static void *hook(const char *n, void *r) {
    if (!r || !n)
        return r;
#define H(nm, var, me)                                                                             \
    if (!strcmp(n, nm)) {                                                                          \
        if (r != (void *)me && !(var))                                                             \
            *(void **)&(var) = r;                                                                  \
        return (void *)me;                                                                         \
    }
    if (n[0] == 'g' && n[1] == 'l' && n[2] == 'X') {
        H("glXSwapBuffers", rp_glx, glXSwapBuffers)
        H("glXSwapBuffersMscOML", rp_oml, glXSwapBuffersMscOML)
        H("glXGetProcAddress", rp_gpa, glXGetProcAddress)
        H("glXGetProcAddressARB", rp_gpaarb, glXGetProcAddressARB)
    } else if (n[0] == 'e' && n[1] == 'g' && n[2] == 'l') {
        H("eglSwapBuffers", rp_egl, eglSwapBuffers)
        H("eglSwapBuffersWithDamageKHR", rp_eglk, eglSwapBuffersWithDamageKHR)
        H("eglSwapBuffersWithDamageEXT", rp_egle, eglSwapBuffersWithDamageEXT)
        H("eglGetProcAddress", rp_egpa, eglGetProcAddress)
    }
    return r;
}
/* dlsym is interposed for clients that dlopen libGL.  RTLD_NEXT/RTLD_DEFAULT look-ups
 * are passed on with a tail call, so that the caller's address stays the real one. */
void *dlsym(void *h, const char *n) {
    init_dlsym();
    if (h != RTLD_NEXT && h != RTLD_DEFAULT && n && !depth &&
        ((n[0] == 'g' && n[1] == 'l' && n[2] == 'X') ||
         (n[0] == 'e' && n[1] == 'g' && n[2] == 'l')))
        return hook(n, real_dlsym(h, n));
    return real_dlsym(h, n);
}
