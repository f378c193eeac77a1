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
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "core_image.h"
#include "core_memory.h"
#include "shim.h"

#define START_ROOM (16 << 20) /* bytes, generously: what CPython has mapped when it has started */

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
    /* CPython ends the process where there is no memory for its own start, so that much is asked for
       first */
    void *room = mmap(NULL, START_ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return PyStatus_Error("there is no memory for its start");
    munmap(room, START_ROOM);

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

/* Our own packages come from one place, whatever else of that name the host could find: from the
 * libraries' own, or from where the host has imported pydri already. */
static const char FIND_OURS[] =
    "import sys\n"
    "from _frozen_importlib_external import PathFinder\n"
    "there = getattr(sys.modules.get('pydri'), '__path__', None)\n"
    "if there: paths = [there[0].rpartition('/')[0], *paths]\n"
    "NAMES = 'pydri', 'pipe_llvm', 'pipe_soft', 'pipe_vc4', 'winsys_x11', 'libgl_shim'\n"
    "class Ours:\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        return PathFinder.find_spec(name, paths) if name in NAMES else None\n"
    "sys.meta_path.insert(0, Ours())\n";

static int find_ours(PyObject *paths)
{
    PyObject *names = PyDict_New(), *done = NULL;
    if (names && !PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins())
        && !PyDict_SetItemString(names, "paths", paths))
        done = PyRun_String(FIND_OURS, Py_file_input, names, names);
    Py_XDECREF(done);
    Py_XDECREF(names);
    return done ? 0 : -1;
}

/* The joined interpreter finds packages that ours need after its own. */
static int extend_path(const struct pydri_sidecar *side)
{
    PyObject *path = PySys_GetObject("path"), *ours = PyList_New(0);
    int i, found = -1;
    for (i = side->n_stdlib; path && ours && i < side->n_paths; i++) {
        PyObject *item = PyUnicode_DecodeFSDefault(side->paths[i]);
        if (!item || PyList_Append(ours, item)
            || (PySequence_Contains(path, item) == 0 && PyList_Append(path, item))) {
            Py_XDECREF(item);
            break;
        }
        Py_DECREF(item);
    }
    if (path && ours && i == side->n_paths) found = find_ours(ours);
    Py_XDECREF(ours);
    return found;
}

/* -- how sources look: `look` of pydri/util/source_tree.py, in an eighth of its time ------------- */

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

static unsigned long long look_now(const char *root, const char *without)
{
    char path[4096 + 1];
    size_t length = strlen(root);
    if (length >= 4096) return 0;
    strcpy(path, root);
    return look(path, length + 1, length, without);
}

/* A thread looks while Python starts: it will be asked for. */
static struct {
    pthread_mutex_t lock;
    pthread_t thread;
    const struct pydri_sidecar *side;
    unsigned long long looks[PYDRI_MOST_LOOKS];
    unsigned known; /* bits of what nobody has asked for yet */
    int running;
} early = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *look_early(void *unused)
{
    int n;
    for (n = 0; n < early.side->n_looks; n++)
        early.looks[n] = look_now(early.side->looks[n], early.side->besides);
    return unused;
}

static void begin_looking(const struct pydri_sidecar *side)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int n;
    if (!side->n_looks || !side->besides) return;
    /* where one of these is closed a folder would get its number meanwhile, and CPython does not
       start with a folder for its standard input */
    for (n = 0; n < 3; n++)
        if (fcntl(n, F_GETFD) < 0) return;
    if (pthread_attr_init(&attributes)) return;
    early.side = side;
    pthread_attr_setstacksize(&attributes, 256 << 10);
    sigfillset(&all); /* signals are the program's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    early.running = !pthread_create(&early.thread, &attributes, look_early, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (early.running) early.known = (1u << side->n_looks) - 1;
}

EXPORT unsigned long long pydri_look(const char *root, const char *without)
{
    unsigned long long found = 0;
    int n, known = 0;
    pthread_mutex_lock(&early.lock);
    if (early.running) pthread_join(early.thread, NULL);
    early.running = 0;
    for (n = 0; early.known >> n && !known; n++) {
        known = early.known >> n & 1 && !strcmp(root, early.side->looks[n])
            && !strcmp(without, early.side->besides);
        if (known) {
            found = early.looks[n];
            early.known &= ~(1u << n); /* the next one who asks wants to know how it is then */
        }
    }
    pthread_mutex_unlock(&early.lock);
    return known ? found : look_now(root, without);
}

/* -- the start ----------------------------------------------------------------------------------- */

static const char *start(struct pydri_shim *shim, const struct pydri_image *image)
{
    PyObject *module, *result;
    int served = image && pydri_serve_image(image, shim->joined);
    const char *from = served ? "the start image" : "their files";
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
    const struct pydri_image *image;
    /* the first call of all comes from what the program's Python destroys at its end: that one is
       no longer initialised, and cannot be again yet */
    if (Py_IsFinalizing()) return "the program's Python is ending";
    begin_looking(side);
    image = pydri_map_image(shim->libdir);
    if (!Py_IsInitialized()) {
        PyStatus status;
        pydri_make_room();
        if (image) pydri_freeze(image);
        status = initialise(side);
        if (PyStatus_Exception(status)) {
            snprintf(problem, sizeof problem, "%s: %s", status.func ? status.func : "Python",
                     status.err_msg ? status.err_msg : "no message");
            return problem;
        }
        if (image) pydri_thaw();
        PyGC_Disable(); /* there is no garbage yet; pydri.boot says when to look for some */
        result = start(shim, image);
        PyGC_Enable();
        PyEval_SaveThread();
    } else {
        PyGILState_STATE state = PyGILState_Ensure();
        int collecting = PyGC_Disable(); /* nothing that is made here is garbage */
        pydri_make_room();
        shim->joined = 1;
        result = extend_path(side) ? explain() : start(shim, image);
        if (collecting) PyGC_Enable();
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
