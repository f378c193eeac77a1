/* SPDX-License-Identifier: MIT */
/* dettime.so - virtual time for GL clients, LD_PRELOADed next to swapcount.so.
 *
 *   DETTIME_HZ=hz   every swap (swapcount.so calls dettime_swap()) advances the virtual
 *                   clock by 1/hz s; every query by 1 ns (an interpreter reads the clock by
 *                   chance, when its threads wait for each other), and by 1 us once there were
 *                   PATIENCE of them (a program waits for the time in a loop); sleeps return
 *                   (almost) at once and advance it too.  getpid() is constant (seeds), so that
 *                   frame n of an animation is the same picture whatever the speed of the libGL.
 * Without DETTIME_HZ it does nothing but forward to the system calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int det = -1;
static double det_hz;
static volatile int64_t vt_ns = 1000000000LL * 1000000000LL; /* 2001-09-09 */
static volatile int64_t vt_reads; /* since it was advanced by something else */
enum { PATIENCE = 10000 };
static int isdet(void) {
    if (det < 0) {
        const char *e = getenv("DETTIME_HZ");
        det_hz = e ? atof(e) : 0;
        det = det_hz > 0;
    }
    return det;
}
static int64_t vt_tick(void) {
    int patient = __sync_add_and_fetch(&vt_reads, 1) < PATIENCE;
    return __sync_add_and_fetch(&vt_ns, patient ? 1 : 1000);
}
static void vt_advance(int64_t ns) {
    vt_reads = 0;
    __sync_add_and_fetch(&vt_ns, ns);
}

int gettimeofday(struct timeval *tv, void *tz) {
    (void)tz;
    if (isdet()) {
        int64_t t = vt_tick();
        if (tv) {
            tv->tv_sec = t / 1000000000;
            tv->tv_usec = t % 1000000000 / 1000;
        }
        return 0;
    }
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
    if (tv) {
        tv->tv_sec = t.tv_sec;
        tv->tv_usec = t.tv_nsec / 1000;
    }
    return 0;
}
int clock_gettime(clockid_t id, struct timespec *tp) {
    if (isdet() && id != CLOCK_PROCESS_CPUTIME_ID && id != CLOCK_THREAD_CPUTIME_ID) {
        int64_t t = vt_tick();
        tp->tv_sec = t / 1000000000;
        tp->tv_nsec = t % 1000000000;
        return 0;
    }
    return (int)syscall(SYS_clock_gettime, id, tp);
}
time_t time(time_t *p) {
    time_t r;
    if (isdet())
        r = vt_tick() / 1000000000;
    else {
        struct timespec t;
        syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
        r = t.tv_sec;
    }
    if (p)
        *p = r;
    return r;
}
int nanosleep(const struct timespec *a, struct timespec *b) {
    if (isdet()) {
        vt_advance(a->tv_sec * 1000000000LL + a->tv_nsec);
        if (b)
            memset(b, 0, sizeof *b);
        struct timespec s = {0, 50000};
        syscall(SYS_nanosleep, &s, 0);
        return 0;
    }
    return (int)syscall(SYS_nanosleep, a, b);
}
int clock_nanosleep(clockid_t id, int fl, const struct timespec *a, struct timespec *b) {
    if (isdet()) {
        int64_t d = a->tv_sec * 1000000000LL + a->tv_nsec;
        if (fl & TIMER_ABSTIME)
            d -= vt_ns;
        if (d > 0)
            vt_advance(d);
        struct timespec s = {0, 50000};
        syscall(SYS_nanosleep, &s, 0);
        return 0;
    }
    return syscall(SYS_clock_nanosleep, id, fl, a, b) ? errno : 0;
}
int usleep(useconds_t us) {
    struct timespec a = {us / 1000000, (us % 1000000) * 1000L};
    return nanosleep(&a, 0);
}
int select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *tv) {
    static int (*real)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "select");
    if (isdet() && n == 0 && tv) { /* the classic select() sleep */
        struct timespec a = {tv->tv_sec, tv->tv_usec * 1000};
        return nanosleep(&a, 0);
    }
    return real(n, r, w, e, tv);
}
pid_t getpid(void) {
    if (isdet())
        return 4242;
    return (pid_t)syscall(SYS_getpid);
}
void dettime_swap(void) {
    if (isdet())
        vt_advance((int64_t)(1e9 / det_hz));
}
