/* SPDX-License-Identifier: MIT */
/* The least a host can do: three frames, looked at. With -DOPEN the library (argument 1) is opened
 * out of everybody's sight, and every function is asked of glXGetProcAddressARB; with a number of
 * frames (argument 2) the thread that opens it ends at once, and the frames take their time. */
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

static void *open_library(void *name)
{
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail("%s", dlerror());
    return NULL;
}
#endif

int main(int count, char **arguments)
{
    int frames = count > 2 ? atoi(arguments[2]) : 3;
#ifdef OPEN
    pthread_t thread;
    if (count <= 2)
        open_library(arguments[1]);
    else if (pthread_create(&thread, NULL, open_library, arguments[1]) == 0)
        pthread_join(thread, NULL);
#endif
    Rig rig = make_rig(240, 160);
    for (int i = 0; i < frames; i++) {
        whole_frame(&rig);
        if (frames > 3)
            usleep(10000);
    }
    expect_error(GL_NO_ERROR);
    printf("%s: ok\n", glGetString(GL_VENDOR));
    fflush(stdout);
    drop_rig(&rig);
    return 7; /* whatever happens inside the driver, this is the status that comes out */
}
