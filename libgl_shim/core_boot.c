/* SPDX-License-Identifier: MIT
 *
 * The half of the boot that knows Python.h; part of _core.so, whose Py* symbols are left undefined
 * like any extension module's. Starts an isolated interpreter from the sidecar's paths, or joins the
 * one that runs, and calls pydri.boot.start. Never finalised.
 */
#include <Python.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
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

static const char *start(struct pydri_shim *shim)
{
    PyObject *module = PyImport_ImportModule("pydri.boot"), *result;
    if (!module) return explain();
    result = PyObject_CallMethod(module, "start", "Kss", (unsigned long long)(size_t)shim,
                                 shim->libdir, shim->joined ? "joined" : "own");
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
