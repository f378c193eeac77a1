/* SPDX-License-Identifier: MIT
 *
 * A compiled driver that can do nothing: its list of extensions is what the flags say.
 *   -DNAME=x            the driver's name: __driDriverGetExtensions_x (without it: no entry point)
 *   -DCORE=n -DSWRAST=n versions; 0: that extension is not there
 *   -DHOLE              DRI_SWRast lacks createNewScreen2
 *   -DGLAPI             glapi's functions are there
 *   -DNO_LIST           the entry point gives no list
 */
#include <stddef.h>

struct extension { const char *name; int version; void *functions[13]; };

static void *nothing(void) { return NULL; }
#define N (void *)nothing

#if defined(CORE) && CORE
static struct extension core = { "DRI_Core", CORE, { N, N, N, N, N, N, N, N, N, N, N, N, N } };
#endif
#if defined(SWRAST) && SWRAST
static struct extension swrast = { "DRI_SWRast", SWRAST, { N, N, N, N,
#ifdef HOLE
    NULL
#else
    N
#endif
} };
#endif

static const struct extension *list[] = {
#if defined(CORE) && CORE
    &core,
#endif
#if defined(SWRAST) && SWRAST
    &swrast,
#endif
    NULL
};

#ifdef NAME
#define JOIN(a, b) a##b
#define ENTRY(name) JOIN(__driDriverGetExtensions_, name)
const void *ENTRY(NAME)(void)
{
#ifdef NO_LIST
    return NULL;
#else
    return list;
#endif
}
#else
const void *somebody_else(void) { return list; }
#endif

#ifdef GLAPI
void *_glapi_get_proc_address(const char *name) { return name ? N : NULL; }
int _glapi_get_proc_offset(const char *name) { return name ? 1 : -1; }
#endif
