/* SPDX-License-Identifier: MIT */
/* Memory of the program that ends exactly where it may be touched: pages that nobody may read or write
 * lie on both sides, so one byte too many is found, whoever reads it and with however wide a vector.
 * A fault is written down with what the program was doing, the page is opened and the program goes on:
 * one run tells them all. */
#ifndef GUARD_H
#define GUARD_H
#include "rig.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, MOAT = 16 * PAGE, AREAS = 16, TOLD = 40 };

typedef struct {
    char *begin, *end;
    int opened; /* a page of its moat was, after a fault */
} Area;

static Area areas[AREAS];
static int area_count, faults;
static __thread char deed[256]; /* of this thread; the driver's threads have none and tell the last one */
static char last_deed[256], told_deed[256];
static pthread_mutex_t deed_lock = PTHREAD_MUTEX_INITIALIZER;

static void on_fault(int number, siginfo_t *info, void *context)
{
    char *at = info->si_addr, line[400];
    long offset;
    int wrote = (((ucontext_t *) context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
    for (int i = 0; i < area_count; i++) {
        Area *area = &areas[i];
        if (at < area->begin - MOAT || at >= area->end + MOAT)
            continue;
        if (at >= area->begin && at < area->end)
            offset = 0; /* closed: touched after the call was over */
        else
            offset = at < area->begin ? at - area->begin : at - area->end + 1;
        area->opened = 1;
        mprotect((void *) ((uintptr_t) at & ~(uintptr_t) (PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
        const char *told = *deed ? deed : last_deed;
        if (!strcmp(told, told_deed))
            return;
        strcpy(told_deed, told);
        if (faults++ < TOLD) {
            int size = offset ? snprintf(line, sizeof line, "%s: %s %ld bytes %s\n", told, wrote ? "writes" : "reads",
                                         labs(offset), offset < 0 ? "before" : "beyond")
                              : snprintf(line, sizeof line, "%s: %s after its return\n", told, wrote ? "writes" : "reads");
            if (write(1, line, size) < 0)
                _exit(2);
        }
        return;
    }
    signal(number, SIG_DFL); /* not ours: the instruction is tried once more, and that is the end */
}

static Area *make_area(int pages)
{
    Area *area = &areas[area_count];
    size_t size = (size_t) pages * PAGE;
    char *place = mmap(NULL, size + 2 * MOAT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED || area_count == AREAS)
        fail("no memory for guarded pages");
    area->begin = place + MOAT;
    area->end = area->begin + size;
    if (!area_count++) {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER};
        action.sa_sigaction = on_fault;
        sigaction(SIGSEGV, &action, NULL);
    }
    mprotect(area->begin, size, PROT_READ | PROT_WRITE);
    memset(area->begin, 0x5a, size);
    return area;
}

/* From here on a fault is this deed's; the guards stand again. */
static UNUSED void doing(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(deed, sizeof deed, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&deed_lock);
    memcpy(last_deed, deed, sizeof deed);
    pthread_mutex_unlock(&deed_lock);
    for (int i = 0; i < area_count; i++) {
        if (!areas[i].opened)
            continue;
        mprotect(areas[i].begin - MOAT, MOAT, PROT_NONE);
        mprotect(areas[i].end, MOAT, PROT_NONE);
        areas[i].opened = 0;
    }
}

/* The call is over: what it was given is the program's again, and may be gone. */
static UNUSED void over(Area *area)
{
    size_t size = area->end - area->begin;
    mprotect(area->begin, size, PROT_NONE);
    glFinish();
    mprotect(area->begin, size, PROT_READ | PROT_WRITE);
}

/* Room of `size` bytes, the last of which is the last there is. */
static UNUSED void *tail(const Area *area, size_t size)
{
    return area->end - size;
}

/* Room of an output, at the end; all before it is known, and must stay as it is (`kept`). */
static UNUSED void *marked(Area *area, size_t size)
{
    memset(area->begin, 0x5a, area->end - area->begin);
    return tail(area, size);
}

static UNUSED void kept(const Area *area, const void *from, const void *to)
{
    for (const char *p = area->begin; p < area->end; p++) {
        if (p >= (const char *) from && p < (const char *) to)
            p = to;
        if (p < area->end && *p != 0x5a) {
            if (faults++ < TOLD)
                printf("%s: writes %ld bytes %s its room\n", deed, p < (const char *) from ? (const char *) from - p : p - (const char *) to + 1,
                       p < (const char *) from ? "before" : "beyond");
            return;
        }
    }
}

static UNUSED void no_errors(void)
{
    GLenum error = glGetError(), more = error;
    while (more)
        more = glGetError();
    if (error && faults++ < TOLD)
        printf("%s: error 0x%x\n", deed, error);
}

static UNUSED int result(void)
{
    if (faults)
        printf("%d faults\n", faults);
    else
        puts("ok");
    return faults != 0;
}

#endif
