/* SPDX-License-Identifier: MIT
 *
 * The driver's clocks are not the program's. People preload a clock of their own under a program
 * (libfaketime, a virtual clock that makes frames repeatable); one that counts its readers would be
 * moved by the thousands of readings in an interpreter's start, and the program would see another
 * time than on a driver without one. So the libpython that we bring reads libc's clocks whoever else
 * defines them: its references are bound again, as the loader binds them. Only those of that library,
 * and never if it was the program's before. (From 3.13 on libpython's allocator reads the clock a few
 * times in a constructor of the library; that is over before anything can be bound again.)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "shim.h"

static const char *const readers[] = {"clock_gettime", "gettimeofday", "time"};
#define N_READERS (sizeof readers / sizeof *readers)

struct dynamic {
    const ElfW(Sym) *symbols;
    const char *strings;
    const ElfW(Rela) *tables[2];
    size_t sizes[2];
};

static void read_dynamic(const struct link_map *map, struct dynamic *out)
{
    const ElfW(Dyn) *d;
    memset(out, 0, sizeof *out);
    for (d = map->l_ld; d->d_tag != DT_NULL; d++) /* glibc has relocated these addresses */
        switch (d->d_tag) {
        case DT_SYMTAB: out->symbols = (const void *)d->d_un.d_ptr; break;
        case DT_STRTAB: out->strings = (const void *)d->d_un.d_ptr; break;
        case DT_JMPREL: out->tables[0] = (const void *)d->d_un.d_ptr; break;
        case DT_PLTRELSZ: out->sizes[0] = d->d_un.d_val; break;
        case DT_RELA: out->tables[1] = (const void *)d->d_un.d_ptr; break;
        case DT_RELASZ: out->sizes[1] = d->d_un.d_val; break;
        default: break;
        }
}

/* The pages of a library that the loader made read-only after it had bound them (RELRO). */
struct relro {
    ElfW(Addr) base; /* of the library */
    size_t begin, end;
};

static int find_relro(struct dl_phdr_info *info, size_t size, void *data)
{
    struct relro *relro = data;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int i;
    (void)size;
    if (info->dlpi_addr != relro->base) return 0;
    for (i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
            size_t begin = relro->base + info->dlpi_phdr[i].p_vaddr;
            relro->begin = begin & ~(page - 1);
            relro->end = (begin + info->dlpi_phdr[i].p_memsz) & ~(page - 1);
        }
    return 1;
}

/* Writes one slot of a table of addresses; a page that was read-only is so again afterwards. */
static void set_slot(const struct relro *relro, void **slot, void *value)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), begin = (size_t)slot & ~(page - 1);
    int sealed = begin >= relro->begin && begin < relro->end;
    if (*slot == value) return;
    if (sealed && mprotect((void *)begin, page, PROT_READ | PROT_WRITE)) return;
    *slot = value;
    if (sealed) mprotect((void *)begin, page, PROT_READ);
}

HIDDEN void pydri_own_clocks(void *library)
{
    struct link_map *map = 0;
    struct dynamic dynamic;
    void *libc = dlopen("libc.so.6", RTLD_NOLOAD | RTLD_LAZY), *clocks[N_READERS];
    size_t table, i, k;
    if (!libc) return;
    for (k = 0; k < N_READERS; k++) clocks[k] = dlsym(libc, readers[k]);
    if (!dlinfo(library, RTLD_DI_LINKMAP, &map)) {
        struct relro relro = {map->l_addr, 0, 0};
        read_dynamic(map, &dynamic);
        dl_iterate_phdr(find_relro, &relro);
        for (table = 0; table < 2; table++) {
            const ElfW(Rela) *rela = dynamic.tables[table];
            if (!rela || !dynamic.symbols || !dynamic.strings) continue;
            for (i = 0; i < dynamic.sizes[table] / sizeof *rela; i++) {
                unsigned long type = ELF64_R_TYPE(rela[i].r_info);
                const char *name;
                if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
                name = dynamic.strings + dynamic.symbols[ELF64_R_SYM(rela[i].r_info)].st_name;
                for (k = 0; k < N_READERS; k++)
                    if (clocks[k] && !strcmp(name, readers[k]))
                        set_slot(&relro, (void **)(map->l_addr + rela[i].r_offset), clocks[k]);
            }
        }
    }
    dlclose(libc);
}
