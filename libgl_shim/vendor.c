/* SPDX-License-Identifier: MIT
 *
 * The GLVND vendor: `__glx_Main` and `__egl_Main`, and what libGLX and libEGL ask of a vendor library.
 * The structs are declared here from the interfaces of libglvnd (include/glvnd/libglxabi.h, ABI 1;
 * libeglabi.h, ABI 0), so that no GLVND headers are needed to build. libGLX runs __glx_Main before
 * main() of every program, so nothing here may start Python; the first real call does. `libglx` and
 * `libegl` are called from dispatch functions only: they may hold a lock while they call into us.
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

struct dispatch_row { const char *name; void *function; };

#include "vendor_dispatch.h"

#define ROWS(table) (int)(sizeof table / sizeof *table)
_Static_assert(ROWS(dispatch) <= 256, "index_of is too small");

static int row_of(const struct dispatch_row *rows, int n, const char *name)
{
    int low = 0, high = n - 1;
    while (low <= high) {
        int middle = (low + high) / 2, order = strcmp(name, rows[middle].name);
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
    int row = row_of(dispatch, ROWS(dispatch), name);
    return row < 0 ? 0 : dispatch[row].function;
}

static void set_dispatch_index(const char *name, int index)
{
    int row = row_of(dispatch, ROWS(dispatch), name);
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

/* ------------------------------------------------------------------ EGL */

struct libegl_exports {
    void (*threadInit)(void);
    unsigned (*getCurrentApi)(void);
    vendor_info *(*getCurrentVendor)(void);
    void *(*getCurrentContext)(void);
    void *(*getCurrentDisplay)(void);
    void *(*getCurrentSurface)(int which);
    void *(*fetchDispatchEntry)(vendor_info *vendor, int index);
    void (*setEGLError)(int code);
    unsigned (*setLastVendor)(vendor_info *vendor);
    vendor_info *(*getVendorFromDisplay)(void *dpy);
    vendor_info *(*getVendorFromDevice)(void *device);
};

struct libegl_imports {
    void *(*getPlatformDisplay)(unsigned platform, void *native, const intptr_t *attributes);
    unsigned (*getSupportsAPI)(unsigned api);
    const char *(*getVendorString)(int name);
    void *(*getProcAddress)(const char *name);
    void *(*getDispatchAddress)(const char *name);
    void (*setDispatchIndex)(const char *name, int index);
    unsigned char (*isPatchSupported)(int type, int stub_size);
    unsigned char (*initiatePatch)(int type, int stub_size, void *lookup);
    void (*releasePatch)(void);
    void (*patchThreadAttach)(void);
    unsigned (*findNativeDisplayPlatform)(void *native);
};

enum { EGL_NONE = 0x3038, EGL_OPENGL_ES_API = 0x30A0, EGL_OPENGL_API = 0x30A2, EGL_BAD_DISPLAY = 0x3008 };

static struct libegl_exports libegl;
static int egl_index_of[64];

/* What a display's or a device's vendor has for a row of egl_dispatch[]. */
static void *egl_function(vendor_info *vendor, int row)
{
    libegl.threadInit();
    if (!vendor) {
        libegl.setEGLError(EGL_BAD_DISPLAY);
        return 0;
    }
    if (!libegl.setLastVendor(vendor)) return 0;
    return libegl.fetchDispatchEntry(vendor, egl_index_of[row]);
}

#include "vendor_egl_dispatch.h"

_Static_assert(ROWS(egl_dispatch) <= 64, "egl_index_of is too small");

HIDDEN void *s_eglGetDisplay(void *native);
HIDDEN void *s_eglGetPlatformDisplay(unsigned platform, void *native, const intptr_t *attributes);

static void *get_platform_display(unsigned platform, void *native, const intptr_t *attributes)
{
    if (!platform || platform == EGL_NONE) return s_eglGetDisplay(native);
    return s_eglGetPlatformDisplay(platform, native, attributes);
}

static unsigned supports_api(unsigned api) { return api == EGL_OPENGL_API || api == EGL_OPENGL_ES_API; }

/* Named here and not in eglQueryString's extensions, because libEGL asks before there is a display. */
static const char *vendor_string(int name)
{
    return name ? 0 : "EGL_EXT_platform_device EGL_EXT_platform_x11 EGL_KHR_platform_x11 "
                      "EGL_EXT_platform_xcb EGL_MESA_platform_surfaceless";
}

static void *egl_dispatch_address(const char *name)
{
    int row = row_of(egl_dispatch, ROWS(egl_dispatch), name);
    return row < 0 ? 0 : egl_dispatch[row].function;
}

static void set_egl_dispatch_index(const char *name, int index)
{
    int row = row_of(egl_dispatch, ROWS(egl_dispatch), name);
    if (row >= 0) egl_index_of[row] = index;
}

EXPORT unsigned __egl_Main(uint32_t version, const struct libegl_exports *exports, vendor_info *vendor,
                           struct libegl_imports *imports);

EXPORT unsigned __egl_Main(uint32_t version, const struct libegl_exports *exports, vendor_info *vendor,
                           struct libegl_imports *imports)
{
    (void)vendor;
    if (version >> 16 != 0 || !exports || !imports) return 0;
    libegl = *exports;
    imports->getPlatformDisplay = get_platform_display;
    imports->getSupportsAPI = supports_api;
    imports->getVendorString = vendor_string;
    imports->getProcAddress = pydri_find_egl_proc;
    imports->getDispatchAddress = egl_dispatch_address;
    imports->setDispatchIndex = set_egl_dispatch_index;
    return 1;
}
