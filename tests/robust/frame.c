/* SPDX-License-Identifier: MIT */
/* The least a host can do: three frames, looked at. With -DOPEN the library (argument 1) is opened
 * out of everybody's sight, and every function is asked of glXGetProcAddressARB. */
#ifdef OPEN
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glx.h>
#include <dlfcn.h>

static void *ask(const char *name);
/* A call through a pointer of the prototype's type, asked for once. */
#define ASKED(name) \
    (*({ static __typeof__(&name) pointer; \
         if (!pointer) pointer = (__typeof__(&name)) ask(#name); \
         pointer; }))
#define glXChooseVisual(...) ASKED(glXChooseVisual)(__VA_ARGS__)
#define glXCreateContext(...) ASKED(glXCreateContext)(__VA_ARGS__)
#define glXMakeCurrent(...) ASKED(glXMakeCurrent)(__VA_ARGS__)
#define glXDestroyContext(...) ASKED(glXDestroyContext)(__VA_ARGS__)
#define glXSwapBuffers(...) ASKED(glXSwapBuffers)(__VA_ARGS__)
#define glViewport(...) ASKED(glViewport)(__VA_ARGS__)
#define glMatrixMode(...) ASKED(glMatrixMode)(__VA_ARGS__)
#define glLoadIdentity(...) ASKED(glLoadIdentity)(__VA_ARGS__)
#define glClearColor(...) ASKED(glClearColor)(__VA_ARGS__)
#define glClear(...) ASKED(glClear)(__VA_ARGS__)
#define glEnable(...) ASKED(glEnable)(__VA_ARGS__)
#define glColor3f(...) ASKED(glColor3f)(__VA_ARGS__)
#define glColor3ub(...) ASKED(glColor3ub)(__VA_ARGS__)
#define glBegin(...) ASKED(glBegin)(__VA_ARGS__)
#define glEnd(...) ASKED(glEnd)(__VA_ARGS__)
#define glVertex3f(...) ASKED(glVertex3f)(__VA_ARGS__)
#define glGetError(...) ASKED(glGetError)(__VA_ARGS__)
#define glGetString(...) ASKED(glGetString)(__VA_ARGS__)
#endif
#include "rig.h"

#ifdef OPEN
static void *library;

static void *ask(const char *name)
{
    void *(*get)(const char *) = (void *(*)(const char *)) dlsym(library, "glXGetProcAddressARB");
    void *found = get ? get(name) : NULL;
    if (!found)
        fail("no %s", name);
    return found;
}
#endif

int main(int count, char **arguments)
{
    (void) count;
    (void) arguments;
#ifdef OPEN
    library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail("%s", dlerror());
#endif
    Rig rig = make_rig(240, 160);
    for (int i = 0; i < 3; i++)
        whole_frame(&rig);
    expect_error(GL_NO_ERROR);
    printf("%s: ok\n", glGetString(GL_VENDOR));
    fflush(stdout);
    drop_rig(&rig);
    return 7; /* whatever happens inside the driver, this is the status that comes out */
}
