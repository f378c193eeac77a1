/* SPDX-License-Identifier: MIT */
/* Preloaded under a program, it puts what the driver allocates between pages that nobody may touch, so that each block's last
 * byte is a page's last: aligned_alloc and posix_memalign (contexts, buffer objects, images without MIT-SHM), anonymous maps
 * (surfaces, scenes, streams, kernels), and what kernels ask of malloc, calloc and realloc. What was given back stays closed for
 * a while. A touch beyond is told on stderr (`guard_memory:`), the page is opened and the program goes on. GALLIVM_DEBUG=symbols
 * writes the map by which the address of a kernel's instruction is looked up (/tmp/perf-PID.map). */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, MOAT = 4 * PAGE, SLOTS = 1 << 16, LIVE = 12000, KEPT = 1024, KERNELS = 4096 };

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

typedef struct {
    char *at;           /* what the program has; null: a free slot, 1: one that was in use */
    size_t size, whole; /* bytes asked for, pages between the moats in bytes */
    char *pages;
    int gone;
} Block;

static Block blocks[SLOTS];
static Block *kept[KEPT]; /* given back, the oldest next */
static unsigned next_kept, live, made, made_by_kernels;
static struct { char *begin, *end; } kernels[KERNELS];
static unsigned kernel_count;
static int lock;

static void take(void)
{
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        __builtin_ia32_pause();
}

static void give(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

static void *map(size_t size, int protection)
{
    return (void *) syscall(SYS_mmap, NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
}

static unsigned slot_of(const char *at) { return (unsigned) (((uintptr_t) at >> 4) * 0x9E3779B97F4A7C15ull >> 48) % SLOTS; }

static Block *find(const char *at)
{
    for (unsigned slot = slot_of(at), i = 0; i < SLOTS && blocks[slot].at; i++, slot = (slot + 1) % SLOTS)
        if (blocks[slot].at == at && !blocks[slot].gone)
            return &blocks[slot];
    return NULL;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    char *touched = info->si_addr, line[300];
    greg_t *registers = ((ucontext_t *) context)->uc_mcontext.gregs;
    for (unsigned i = 0; i < SLOTS; i++) {
        Block *block = &blocks[i];
        if ((uintptr_t) block->at < 2 || touched < block->pages - MOAT || touched >= block->pages + block->whole + MOAT)
            continue;
        int wrote = (registers[REG_ERR] & 2) != 0;
        int size = snprintf(line, sizeof line, "guard_memory: %s byte %ld of %zu%s at %#llx\n", wrote ? "write of" : "read of",
                            (long) (touched - block->at), block->size, block->gone ? ", given back," : "",
                            (unsigned long long) registers[REG_RIP]);
        if (write(2, line, size) < 0)
            _exit(2);
        mprotect((void *) ((uintptr_t) touched & ~(uintptr_t) (PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
        return;
    }
    signal(number, SIG_DFL);
}

/* A test sees that it tests: how many blocks there were. */
__attribute__((destructor)) static void tell(void)
{
    if (getenv("GUARD_MEMORY_COUNT"))
        fprintf(stderr, "%u blocks, %u of kernels, lay between guards\n", made, made_by_kernels);
}

/* So many bytes, the last of them the last of a page; null: the system's own must do. */
static void *guarded(size_t alignment, size_t size)
{
    static int installed;
    size_t whole = (size + PAGE - 1) & ~(size_t) (PAGE - 1);
    if (!size || alignment > PAGE || live >= LIVE)
        return NULL;
    char *place = map(whole + 2 * MOAT, PROT_NONE);
    if (place == MAP_FAILED)
        return NULL;
    char *pages = place + MOAT;
    syscall(SYS_mprotect, pages, whole, PROT_READ | PROT_WRITE);
    char *at = (char *) ((uintptr_t) (pages + whole - size) & ~(uintptr_t) (alignment - 1));
    take();
    if (!installed++) {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER};
        action.sa_sigaction = on_fault;
        sigaction(SIGSEGV, &action, NULL);
    }
    unsigned slot = slot_of(at);
    while ((uintptr_t) blocks[slot].at > 1)
        slot = (slot + 1) % SLOTS;
    blocks[slot] = (Block) {at, size, whole, pages, 0};
    live++, made++;
    give();
    return at;
}

/* Whether the address was one of ours; its pages are closed now. */
static int release(void *at)
{
    take();
    Block *block = at ? find(at) : NULL, *oldest = NULL;
    if (block) {
        syscall(SYS_mmap, block->pages, block->whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L);
        block->gone = 1;
        oldest = kept[next_kept];
        kept[next_kept] = block;
        next_kept = (next_kept + 1) % KEPT;
        live--;
        if (oldest) {
            syscall(SYS_munmap, oldest->pages - MOAT, oldest->whole + 2 * MOAT);
            oldest->at = (char *) 1;
        }
    }
    give();
    return block != NULL;
}

static int from_kernel(const char *caller)
{
    for (unsigned i = 0; i < kernel_count; i++)
        if (caller >= kernels[i].begin && caller < kernels[i].end) {
            made_by_kernels++;
            return 1;
        }
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    void *at = guarded(alignment, size);
    if (at)
        memset(at, 0xa5, size); /* malloc promises nothing */
    return at ? at : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = aligned_alloc(alignment, size);
    return *out ? 0 : ENOMEM;
}

void *malloc(size_t size)
{
    void *at = from_kernel(__builtin_return_address(0)) ? guarded(16, size) : NULL;
    if (at)
        memset(at, 0xa5, size);
    return at ? at : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    size_t whole;
    int fits = !__builtin_mul_overflow(count, size, &whole);
    void *at = fits && from_kernel(__builtin_return_address(0)) ? guarded(16, whole) : NULL;
    return at ? at : __libc_calloc(count, size);
}

void free(void *at)
{
    if (!release(at))
        __libc_free(at);
}

void *realloc(void *old, size_t size)
{
    int of_kernel = from_kernel(__builtin_return_address(0));
    take();
    Block *block = old ? find(old) : NULL;
    size_t had = block ? block->size : 0;
    give();
    if (!block && (old || !of_kernel))
        return __libc_realloc(old, size);
    void *at = guarded(16, size);
    if (!at)
        at = __libc_malloc(size);
    if (at && old) {
        memcpy(at, old, had < size ? had : size);
        release(old);
    }
    return at;
}

void *mmap(void *where, size_t size, int protection, int flags, int file, off_t offset)
{
    if (!where && file == -1 && protection == (PROT_READ | PROT_WRITE) && flags == (MAP_PRIVATE | MAP_ANONYMOUS)) {
        void *at = guarded(64, (size + 63) & ~(size_t) 63);
        if (at)
            return at;
    }
    return (void *) syscall(SYS_mmap, where, size, protection, flags, file, offset);
}

int munmap(void *at, size_t size)
{
    take();
    for (unsigned i = 0; i < kernel_count; i++)
        if (kernels[i].begin == at)
            kernels[i] = kernels[--kernel_count];
    give();
    return release(at) ? 0 : (int) syscall(SYS_munmap, at, size);
}

int mprotect(void *at, size_t size, int protection)
{
    if (protection & PROT_EXEC && protection & PROT_READ) {
        take();
        if (kernel_count < KERNELS) {
            kernels[kernel_count].begin = at;
            kernels[kernel_count++].end = (char *) at + size;
        }
        give();
    }
    return (int) syscall(SYS_mprotect, at, size, protection);
}
