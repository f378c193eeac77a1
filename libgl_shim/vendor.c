/* SPDX-License-Identifier: MIT
 *
 * The GLVND vendor: `__glx_Main` and what libGLX asks of a vendor library. The structs are declared
 * here from the interface of libglvnd (include/glvnd/libglxabi.h, ABI 1), so that no GLVND headers
 * are needed to build. libGLX runs __glx_Main before main() of every program, so nothing here may
 * start Python; the first real GLX call does. `libglx` is called from dispatch functions only: libGLX
 * may hold a lock while it calls into us.
 */
#include <stdint.h>
#include <string.h>
#include "shim.h"

typedef struct vendor_info vendor_info;

struct visual_info { void *visual; unsigned long id; int screen; }; /* head of XVisualInfo */

struct libglx_exports {
    vendor_info *(*getDynDispatch)(void *dpy, int screen);
    vendor_info *(*getCurrentDynDispatch)(void);
    void *(*fetchDispatchEntry)(vendor_info *vendor, int index);
    void *(*getCurrentContext)(void);
    int (*addVendorContextMapping)(void *dpy, void *context, vendor_info *vendor);
    void (*removeVendorContextMapping)(void *dpy, void *context);
    vendor_info *(*vendorFromContext)(void *context);
    int (*addVendorFBConfigMapping)(void *dpy, void *config, vendor_info *vendor);
    void (*removeVendorFBConfigMapping)(void *dpy, void *config);
    vendor_info *(*vendorFromFBConfig)(void *dpy, void *config);
    int (*addVendorDrawableMapping)(void *dpy, unsigned long drawable, vendor_info *vendor);
    void (*removeVendorDrawableMapping)(void *dpy, unsigned long drawable);
    vendor_info *(*vendorFromDrawable)(void *dpy, unsigned long drawable);
};

struct libglx_imports {
    int (*isScreenSupported)(void *dpy, int screen);
    void *(*getProcAddress)(const char *name);
    void *(*getDispatchAddress)(const char *name);
    void (*setDispatchIndex)(const char *name, int index);
    int (*notifyError)(void *dpy, unsigned char error, unsigned long id, unsigned char opcode, int core);
    unsigned char (*isPatchSupported)(int type, int stub_size);
    unsigned char (*initiatePatch)(int type, int stub_size, void *lookup);
    void (*releasePatch)(void);
    void (*patchThreadAttach)(void);
};

static struct libglx_exports libglx;
static int index_of[256]; /* place in libGLX's dynamic table, by row of dispatch[] */

#include "vendor_dispatch.h"

_Static_assert(sizeof dispatch / sizeof *dispatch <= 256, "index_of is too small");

static int row_of(const char *name)
{
    int low = 0, high = (int)(sizeof dispatch / sizeof *dispatch) - 1;
    while (low <= high) {
        int middle = (low + high) / 2, order = strcmp(name, dispatch[middle].name);
        if (!order) return middle;
        if (order < 0) high = middle - 1;
        else low = middle + 1;
    }
    return -1;
}

static int is_screen_supported(void *dpy, int screen)
{
    (void)dpy, (void)screen;
    return 1; /* FBConfigs are made from X visuals: any screen will do */
}

static void *get_dispatch_address(const char *name)
{
    int row = row_of(name);
    return row < 0 ? 0 : dispatch[row].function;
}

static void set_dispatch_index(const char *name, int index)
{
    int row = row_of(name);
    if (row >= 0) index_of[row] = index;
}

EXPORT int __glx_Main(uint32_t version, const struct libglx_exports *exports, vendor_info *vendor,
                      struct libglx_imports *imports);

EXPORT int __glx_Main(uint32_t version, const struct libglx_exports *exports, vendor_info *vendor,
                      struct libglx_imports *imports)
{
    (void)vendor;
    if (version >> 16 != 1 || !exports || !imports) return 0;
    libglx = *exports;
    imports->isScreenSupported = is_screen_supported;
    imports->getProcAddress = pydri_find_proc;
    imports->getDispatchAddress = get_dispatch_address;
    imports->setDispatchIndex = set_dispatch_index;
    return 1;
}
