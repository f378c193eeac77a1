/* SPDX-License-Identifier: MIT
 *
 * The half of the boot that knows Python.h; part of _core.so, whose Py* symbols are left undefined
 * like any extension module's. Starts an isolated interpreter from the sidecar's paths, or joins the
 * one that runs, and calls pydri.boot.start. Never finalised.
 */
#include <Python.h>
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <marshal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "shim.h"

static char problem[1024];

/* The pending exception in one line; under LIBGL_DEBUG=verbose its traceback goes to stderr too. */
static const char *explain(void)
{
    PyObject *type, *value, *trace, *text;
    const char *words;
    const char *debug = getenv("LIBGL_DEBUG");
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    text = value ? PyObject_Str(value) : NULL;
    words = text ? PyUnicode_AsUTF8(text) : NULL;
    snprintf(problem, sizeof problem, "%s: %s (LIBGL_DEBUG=verbose shows where)",
             type ? ((PyTypeObject *)type)->tp_name : "error", words ? words : "?");
    Py_XDECREF(text);
    PyErr_Clear();
    if (debug && strstr(debug, "verbose")) {
        PyErr_Restore(type, value, trace);
        PyErr_Print();
    }
    return problem;
}

static PyStatus initialise(const struct pydri_sidecar *side)
{
    PyStatus status;
    PyPreConfig pre;
    PyConfig config;
    int i;

    PyPreConfig_InitIsolatedConfig(&pre);
    pre.utf8_mode = 1;
    pre.configure_locale = 0; /* the locale is the program's */
    pre.coerce_c_locale = 0;
    status = Py_PreInitialize(&pre);
    if (PyStatus_Exception(status)) return status;

    PyConfig_InitIsolatedConfig(&config);
    config.install_signal_handlers = 0;
    config.configure_c_stdio = 0;
    config.parse_argv = 0;
    config.pathconfig_warnings = 0;
    config.site_import = 0; /* the sidecar names every path: 4 ms less */
    config.module_search_paths_set = 1;
    status = PyConfig_SetBytesString(&config, &config.home, side->home);
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.executable, side->executable);
    for (i = 0; i < side->n_paths && !PyStatus_Exception(status); i++) {
        wchar_t *wide = Py_DecodeLocale(side->paths[i], NULL);
        if (!wide) {
            status = PyStatus_NoMemory();
            break;
        }
        status = PyWideStringList_Append(&config.module_search_paths, wide);
        PyMem_RawFree(wide);
    }
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return status;
}

/* The joined interpreter finds our packages after its own. */
static int extend_path(const struct pydri_sidecar *side)
{
    PyObject *path = PySys_GetObject("path");
    int i;
    for (i = side->n_stdlib; path && i < side->n_paths; i++) {
        PyObject *item = PyUnicode_DecodeFSDefault(side->paths[i]);
        if (!item) return -1;
        if (PySequence_Contains(path, item) == 0 && PyList_Append(path, item)) return -1;
        Py_DECREF(item);
    }
    return path ? 0 : -1;
}

/* -- how sources look: `look` of pydri/jit/naming.py, in an eighth of its time ------------------- */

static uint64_t hash(const char *text)
{
    uint64_t value = 0xcbf29ce484222325u;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 0x100000001b3u;
    return value;
}

static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

/* The sum over a folder; `path` is the root's name from `begin` on, and has room for more. */
static uint64_t look(char *path, size_t begin, size_t length, const char *without)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    struct stat status;
    char line[4096 + 64];
    uint64_t sum = 0;
    if (!folder) return 0;
    while ((entry = readdir(folder))) {
        const char *name = entry->d_name;
        int source = ends_with(name, ".py") || ends_with(name, ".csv");
        if (!source && (name[0] == '_' || strchr(name, '.'))) continue;
        if (!source && entry->d_type == DT_REG) continue;
        if (length + strlen(name) + 2 > 4096 || fstatat(dirfd(folder), name, &status, 0)) continue;
        path[length] = '/';
        strcpy(path + length + 1, name);
        if (source) {
            snprintf(line, sizeof line, "%s %lld %lld", path + begin, (long long)status.st_size,
                     status.st_mtim.tv_sec * 1000000000ll + status.st_mtim.tv_nsec);
            sum += hash(line);
        } else if (S_ISDIR(status.st_mode) && strcmp(path, without))
            sum += look(path, begin, length + 1 + strlen(name), without);
    }
    closedir(folder);
    return sum;
}

HIDDEN unsigned long long pydri_look(const char *root, const char *without)
{
    char path[4096 + 1];
    size_t length = strlen(root);
    if (length >= 4096) return 0;
    strcpy(path, root);
    return look(path, length + 1, length, without);
}

/* -- the start image ----------------------------------------------------------------------------- */

/* What a start image begins with (libgl_shim/start_image.py). */
struct image_head {
    char magic[8];
    uint32_t python;             /* the mark of the byte code */
    uint32_t head;               /* bytes of what is run at once */
    uint64_t size, sum, sum_of_sums; /* of the file, and of its words behind this */
    char made_of[32];
};

/* Whether a file may hold code that we run: it is root's, our user's or that of the libraries' owner,
   and nobody else may write it. (As `owned_by` of pydri/util/place.py.) */
static int is_ours(const struct stat *status, const char *libdir)
{
    struct stat around;
    if (!S_ISREG(status->st_mode) || status->st_mode & (S_IWGRP | S_IWOTH)) return 0;
    if (!status->st_uid || status->st_uid == geteuid()) return 1;
    return !stat(libdir, &around) && around.st_uid == status->st_uid;
}

/* Whether a file is an image, whole and of this Python. */
static int is_image(const struct image_head *head, const struct stat *status)
{
    const uint64_t *word = (const uint64_t *)(head + 1);
    uint64_t sum = 0, sums = 0, n;
    if (memcmp(head->magic, "PYDRIS\0\1", 8) || head->size != (uint64_t)status->st_size) return 0;
    if (head->python != (uint32_t)PyImport_GetMagicNumber() || head->size % 8) return 0;
    if (head->head > head->size - sizeof *head) return 0;
    for (n = (head->size - sizeof *head) / 8; n--; sums += sum)
        sum += *word++;
    return sum == head->sum && sums == head->sum_of_sums;
}

/* The image beside the libraries, mapped for as long as the process lives; null if there is none
   that is right. */
static const struct image_head *map_image(const char *libdir)
{
    char path[4096 + 32];
    struct stat status;
    void *image = MAP_FAILED;
    int file;
    snprintf(path, sizeof path, "%s/start.image", libdir);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    if (!fstat(file, &status) && is_ours(&status, libdir)
        && status.st_size >= (off_t)sizeof(struct image_head))
        image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    close(file);
    if (image == MAP_FAILED) return NULL;
    if (is_image(image, &status)) return image;
    munmap(image, (size_t)status.st_size);
    return NULL;
}

/* Have modules imported from the image; 0 if that failed, or they are of another place. */
static int serve_image(const struct image_head *image, int joined)
{
    char *begin = (char *)(image + 1);
    PyObject *head = PyMarshal_ReadObjectFromString(begin, image->head);
    PyObject *code, *rest, *names = PyDict_New(), *done = NULL, *serve, *view;
    int served;
    if (head && names && PyArg_ParseTuple(head, "OO", &code, &rest)
        && !PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins())
        && (done = PyEval_EvalCode(code, names, names))
        && (serve = PyDict_GetItemString(names, "serve"))) {
        begin += image->head;
        view = PyMemoryView_FromMemory(begin, (char *)image + image->size - begin, PyBUF_READ);
        Py_DECREF(done);
        done = view ? PyObject_CallFunction(serve, "NOi", view, rest, joined) : NULL;
    }
    served = done == Py_True;
    Py_XDECREF(head);
    Py_XDECREF(names);
    Py_XDECREF(done);
    PyErr_Clear();
    return served;
}

static const char *start(struct pydri_shim *shim)
{
    PyObject *module, *result;
    const struct image_head *image = map_image(shim->libdir);
    const char *from = image && serve_image(image, shim->joined) ? "the start image" : "their files";
    module = PyImport_ImportModule("pydri.boot");
    if (!module) return explain();
    result = PyObject_CallMethod(module, "start", "Ksss", (unsigned long long)(size_t)shim,
                                 shim->libdir, shim->joined ? "joined" : "own", from);
    Py_DECREF(module);
    if (!result) return explain();
    Py_DECREF(result);
    return NULL;
}

#if PY_VERSION_HEX < 0x030d0000
#define Py_IsFinalizing _Py_IsFinalizing
#endif

static const char *boot(struct pydri_shim *shim, const struct pydri_sidecar *side)
{
    const char *result;
    /* the first call of all comes from what the program's Python destroys at its end: that one is
       no longer initialised, and cannot be again yet */
    if (Py_IsFinalizing()) return "the program's Python is ending";
    if (!Py_IsInitialized()) {
        PyStatus status = initialise(side);
        if (PyStatus_Exception(status)) {
            snprintf(problem, sizeof problem, "%s: %s", status.func ? status.func : "Python",
                     status.err_msg ? status.err_msg : "no message");
            return problem;
        }
        result = start(shim);
        PyEval_SaveThread();
    } else {
        PyGILState_STATE state = PyGILState_Ensure();
        shim->joined = 1;
        result = extend_path(side) ? explain() : start(shim);
        PyGILState_Release(state);
    }
    return result;
}

EXPORT const char *pydri_core_boot(struct pydri_shim *shim, const struct pydri_sidecar *side);

EXPORT const char *pydri_core_boot(struct pydri_shim *shim, const struct pydri_sidecar *side)
{
    unsigned int was = enter_c();
    const char *result = boot(shim, side);
    leave_c(was);
    return result;
}
