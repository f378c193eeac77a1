/* SPDX-License-Identifier: MIT
 *
 * The start image as the boot sees it: mapped, found whole, and given to Python; part of _core.so.
 * libgl_shim/start_image.py writes it, pydri/util/start_image.py imports from it.
 */
#include <Python.h>
#include <fcntl.h>
#include <marshal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core_image.h"
#include "shim.h"

/* What an image begins with. Behind it: code of frozen modules and the head, which are covered by
   `sum`; then the groups, each of which is looked at when it is asked for. */
struct pydri_image {
    char magic[8];
    uint32_t python;             /* the mark of the byte code */
    uint32_t version;            /* a hash of Py_GetVersion() */
    uint32_t head, groups;       /* where they begin */
    uint64_t size, sum;
    char made_of[32];
    struct {
        char name[24];
        uint32_t begin, size;
    } frozen[4];                 /* what Python's own start imports of files; the last one is empty */
};

/* Of whole words: one that is another, or in another place, makes another sum. */
static uint64_t sum_of(const char *begin, size_t size)
{
    const uint64_t *word = (const uint64_t *)begin;
    uint64_t sum = 0, sums = 0;
    for (size /= 8; size--; sums += sum)
        sum += *word++;
    return sum + sums * 0x9e3779b97f4a7c15u;
}

/* Whether a file may hold code that we run: it is root's, our user's or that of the libraries' owner,
   and nobody else may write it. (As `owned_by` of pydri/util/place.py.) */
static int is_ours(const struct stat *status, const char *libdir)
{
    struct stat around;
    if (!S_ISREG(status->st_mode) || status->st_mode & (S_IWGRP | S_IWOTH)) return 0;
    if (!status->st_uid || status->st_uid == geteuid()) return 1;
    return !stat(libdir, &around) && around.st_uid == status->st_uid;
}

static int is_image(const struct pydri_image *image, const struct stat *status)
{
    const size_t covered = offsetof(struct pydri_image, frozen);
    if (memcmp(image->magic, "PYDRIS\0\2", 8) || image->size != (uint64_t)status->st_size) return 0;
    if (image->groups % 8 || image->groups > image->size || image->groups < sizeof *image) return 0;
    if (image->head < sizeof *image || image->head > image->groups) return 0;
    return sum_of((const char *)image + covered, image->groups - covered) == image->sum;
}

HIDDEN const struct pydri_image *pydri_map_image(const char *libdir)
{
    char path[4096 + 32];
    struct stat status;
    void *image = MAP_FAILED;
    int file;
    snprintf(path, sizeof path, "%s/start.image", libdir);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    if (!fstat(file, &status) && is_ours(&status, libdir)
        && status.st_size >= (off_t)sizeof(struct pydri_image))
        image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (image == MAP_FAILED) return NULL;
    if (is_image(image, &status)) return image;
    munmap(image, (size_t)status.st_size);
    return NULL;
}

HIDDEN void pydri_freeze(const struct pydri_image *image)
{
    static struct _frozen table[sizeof image->frozen / sizeof *image->frozen + 1];
    const char *version = Py_GetVersion();
    uint32_t hash = 0x811c9dc5u;
    int n;
    while (*version)
        hash = (hash ^ (unsigned char)*version++) * 0x1000193u;
    if (PyImport_FrozenModules || hash != image->version) return;
    for (n = 0; image->frozen[n].name[0]; n++) {
        table[n].name = image->frozen[n].name;
        table[n].code = (const unsigned char *)image + image->frozen[n].begin;
        table[n].size = (int)image->frozen[n].size;
        table[n].is_package = !strchr(table[n].name, '.');
    }
    PyImport_FrozenModules = table;
}

HIDDEN void pydri_thaw(void)
{
    PyObject *package = PyImport_AddModule("encodings"), *paths = PySys_GetObject("path");
    PyObject *places = package ? PyObject_GetAttrString(package, "__path__") : NULL;
    Py_ssize_t n;
    if (places && PyList_Check(places) && !PyList_GET_SIZE(places) && paths && PyList_Check(paths))
        for (n = 0; n < PyList_GET_SIZE(paths); n++) {
            PyObject *place = PyUnicode_FromFormat("%S/encodings", PyList_GET_ITEM(paths, n));
            if (!place || PyList_Append(places, place)) PyErr_Clear();
            Py_XDECREF(place);
        }
    Py_XDECREF(places);
    PyErr_Clear();
}

/* -- what Python asks ---------------------------------------------------------------------------- */

/* is_unchanged(path, size, nanoseconds of its last change) */
static PyObject *is_unchanged(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    struct stat status;
    const char *path = n == 3 ? PyUnicode_AsUTF8(args[0]) : NULL;
    long long size, changed;
    (void)self;
    if (!path) { /* a name that is no text: the module comes from its file */
        PyErr_Clear();
        Py_RETURN_FALSE;
    }
    size = PyLong_AsLongLong(args[1]);
    changed = PyLong_AsLongLong(args[2]);
    if (PyErr_Occurred()) return NULL;
    return PyBool_FromLong(
        !stat(path, &status) && status.st_size == size
        && status.st_mtim.tv_sec * 1000000000ll + status.st_mtim.tv_nsec == changed);
}

/* is_whole(begin, end, sum) of a group */
static PyObject *is_whole(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const struct pydri_image *image = PyLong_AsVoidPtr(self);
    uint64_t begin, end, sum;
    if (n != 3) return PyErr_Format(PyExc_TypeError, "is_whole(begin, end, sum)");
    begin = PyLong_AsUnsignedLongLong(args[0]);
    end = PyLong_AsUnsignedLongLong(args[1]);
    sum = PyLong_AsUnsignedLongLong(args[2]);
    if (PyErr_Occurred()) return NULL;
    if (begin > end || end > image->size - image->groups || (begin | end) % 8) Py_RETURN_FALSE;
    return PyBool_FromLong(sum_of((const char *)image + image->groups + begin, end - begin) == sum);
}

/* __import__ as Python has it */
static PyObject *import_name(PyObject *self, PyObject *args, PyObject *words)
{
    static char *known[] = {"name", "globals", "locals", "fromlist", "level", NULL};
    PyObject *name, *globals = NULL, *locals = NULL, *names = NULL;
    int level = 0;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, words, "U|OOOi:__import__", known, &name, &globals, &locals,
                                     &names, &level))
        return NULL;
    return PyImport_ImportModuleLevelObject(name, globals, locals, names, level);
}

static PyMethodDef UNCHANGED = {
    "is_unchanged", (PyCFunction)(void (*)(void))is_unchanged, METH_FASTCALL, NULL};
static PyMethodDef WHOLE = {"is_whole", (PyCFunction)(void (*)(void))is_whole, METH_FASTCALL, NULL};

static PyMethodDef IMPORT = {
    "__import__", (PyCFunction)(void (*)(void))import_name, METH_VARARGS | METH_KEYWORDS, NULL};

/* serve(groups, head, joined, is_unchanged, is_whole, import_name) of the image's own code */
static PyObject *call_serve(PyObject *serve, const struct pydri_image *image, PyObject *head,
                            int joined)
{
    char *groups = (char *)image + image->groups;
    PyObject *view = PyMemoryView_FromMemory(groups, image->size - image->groups, PyBUF_READ);
    PyObject *where = PyLong_FromVoidPtr((void *)image);
    PyObject *unchanged = PyCFunction_New(&UNCHANGED, NULL);
    PyObject *whole = where ? PyCFunction_New(&WHOLE, where) : NULL;
    PyObject *import = PyCFunction_New(&IMPORT, NULL);
    PyObject *result = NULL;
    if (view && unchanged && whole && import)
        result = PyObject_CallFunction(serve, "OOiOOO", view, head, joined, unchanged, whole, import);
    Py_XDECREF(view);
    Py_XDECREF(where);
    Py_XDECREF(unchanged);
    Py_XDECREF(whole);
    Py_XDECREF(import);
    return result;
}

HIDDEN int pydri_serve_image(const struct pydri_image *image, int joined)
{
    PyObject *head, *code, *rest, *names, *ran = NULL, *serve, *done = NULL;
    int served;
    if (image->python != (uint32_t)PyImport_GetMagicNumber()) return 0;
    head = PyMarshal_ReadObjectFromString((char *)image + image->head, image->groups - image->head);
    names = PyDict_New();
    if (head && names && PyArg_ParseTuple(head, "OO", &code, &rest)
        && !PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins())
        && (ran = PyEval_EvalCode(code, names, names))
        && (serve = PyDict_GetItemString(names, "serve")))
        done = call_serve(serve, image, rest, joined);
    served = done == Py_True;
    Py_XDECREF(head);
    Py_XDECREF(names);
    Py_XDECREF(ran);
    Py_XDECREF(done);
    PyErr_Clear();
    return served;
}
