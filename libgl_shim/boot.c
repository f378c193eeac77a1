/* SPDX-License-Identifier: MIT
 *
 * How Python starts: once, at the first glX call. Everything that could go wrong ends in one message
 * that names the way out, and in calls that do nothing; the program's own exit status is never ours.
 *
 * libpython is opened by absolute path, RTLD_GLOBAL, from the sidecar file beside the library, never
 * found by name or PATH, because extension modules look their symbols up in the global scope and a
 * host may be loaded RTLD_LOCAL. A Python that is in the process already is asked for its version
 * before anything else is touched: cffi and libpython of two minor versions hang in one process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "shim.h"

HIDDEN struct pydri_shim *pydri_shim_struct(const char *libdir);

static struct pydri_sidecar side;
static char libdir[PATH_MAX];

#define SIDECAR "pydri.sidecar"
#define REBUILD "run `python -m libgl_shim.build` (or `pydri path`) again"

static int read_sidecar(const char *directory)
{
    char path[PATH_MAX + 32], *line, *rest, *value;
    FILE *file;
    size_t size;
    snprintf(path, sizeof path, "%s/" SIDECAR, directory);
    file = fopen(path, "re");
    if (!file) return 0;
    size = fread(side.text, 1, sizeof side.text - 1, file);
    fclose(file);
    side.text[size] = 0;
    for (line = strtok_r(side.text, "\n", &rest); line; line = strtok_r(0, "\n", &rest)) {
        value = strchr(line, '=');
        if (!value) continue;
        *value++ = 0;
        if (!strcmp(line, "libpython")) side.libpython = value;
        else if (!strcmp(line, "home")) side.home = value;
        else if (!strcmp(line, "executable")) side.executable = value;
        else if (!strcmp(line, "version")) side.version = value;
        else if (!strcmp(line, "stdlib") && side.n_paths < 16) {
            side.paths[side.n_paths++] = value;
            side.n_stdlib = side.n_paths; /* the build writes them first */
        } else if (!strcmp(line, "path") && side.n_paths < 16)
            side.paths[side.n_paths++] = value;
        else if (!strcmp(line, "look") && side.n_looks < PYDRI_MOST_LOOKS)
            side.looks[side.n_looks++] = value;
        else if (!strcmp(line, "besides")) side.besides = value;
    }
    return side.libpython && side.home && side.executable && side.version && side.n_paths;
}

static int find_home(void)
{
    Dl_info info;
    char *slash;
    if (!dladdr((void *)pydri_boot, &info) || !realpath(info.dli_fname, libdir)) return 0;
    slash = strrchr(libdir, '/');
    if (!slash) return 0;
    *slash = 0;
    if (read_sidecar(libdir)) return 1;
    slash = strrchr(libdir, '/'); /* the GLVND vendor library lives one folder below */
    if (!slash) return 0;
    *slash = 0;
    return read_sidecar(libdir);
}

/* A libpython that somebody has loaded out of our sight (RTLD_LOCAL). */
static int seen_libpython(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *base = strrchr(info->dlpi_name, '/');
    (void)size;
    base = base ? base + 1 : info->dlpi_name;
    if (strncmp(base, "libpython", 9)) return 0;
    *(const char **)found = info->dlpi_name;
    return 1;
}

typedef const char *(*version_fn)(void);

/* The version of the Python in this process, or null. */
static const char *foreign_python(void)
{
    const char *name = 0;
    void *handle;
    version_fn version = (version_fn)dlsym(RTLD_DEFAULT, "Py_GetVersion");
    if (version) return version();
    dl_iterate_phdr(seen_libpython, &name);
    if (!name) return 0;
    handle = dlopen(name, RTLD_NOLOAD | RTLD_NOW | RTLD_GLOBAL);
    version = handle ? (version_fn)dlsym(handle, "Py_GetVersion") : 0;
    return version ? version() : 0;
}

static int same_minor(const char *version)
{
    size_t n = strlen(side.version);
    return !strncmp(version, side.version, n) && version[n] == '.'
        && !strstr(version, "free-threading");
}

/* The first folder of packages that the sidecar names and that is there no more: an environment was
   moved, or removed. */
static const char *folder_gone(void)
{
    int i;
    for (i = side.n_stdlib; i < side.n_paths; i++)
        if (access(side.paths[i], F_OK)) return side.paths[i];
    return 0;
}

HIDDEN const struct pydri_shim *pydri_boot(void)
{
    const char *version, *problem, *gone;
    char path[PATH_MAX + 32];
    struct pydri_shim *shim;
    pydri_core_boot_fn start;
    void *core;
    int old_errno = errno;

    if (geteuid() != getuid() || getegid() != getgid() || getauxval(AT_SECURE)) {
        pydri_say(1, "pydri does not start in a setuid or setgid program; run it without");
        return 0;
    }
    if (!find_home()) {
        pydri_say(1, "pydri: no usable " SIDECAR " beside %s; " REBUILD, libdir);
        return 0;
    }
    version = foreign_python();
    if (version && !same_minor(version)) {
        pydri_say(1, "pydri was built for Python %s, but this program already runs Python %.*s; "
                     "install pydri for that version, or use a program that runs %s",
                  side.version, (int)strcspn(version, " "), version, side.version);
        return 0;
    }
    if (!version && !side.libpython[0]) {
        pydri_say(1, "pydri: %s has no shared libpython to start; install it "
                     "(Debian: libpython%s) and " REBUILD, side.executable, side.version);
        return 0;
    }
    if (!version) {
        void *python = dlopen(side.libpython, RTLD_LAZY | RTLD_GLOBAL);
        if (!python) {
            pydri_say(1, "pydri: %s; " REBUILD, dlerror());
            return 0;
        }
        pydri_own_clocks(python);
    }
    snprintf(path, sizeof path, "%s/_core.so", libdir);
    core = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!core) {
        pydri_say(1, "pydri: %s; " REBUILD, dlerror());
        return 0;
    }
    start = (pydri_core_boot_fn)dlsym(core, "pydri_core_boot");
    if (!start) {
        pydri_say(1, "pydri: %s does not belong to this libGL.so.1; " REBUILD, path);
        return 0;
    }
    shim = pydri_shim_struct(libdir);
    problem = start(shim, &side);
    if (problem) {
        gone = folder_gone();
        if (gone) pydri_say(1, "pydri could not start: %s is gone; " REBUILD, gone);
        else pydri_say(1, "pydri could not start: %s", problem);
        return 0;
    }
    errno = old_errno;
    return shim;
}
