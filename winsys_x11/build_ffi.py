# SPDX-License-Identifier: MIT
# ruff: noqa: E501  (C declarations, one a line)
"""Writes `_xffi.py`, our out-of-line view of libX11, libX11-xcb, libxcb and libc.

Stage: build time.  In: the declarations below.  Out: `_xffi.py`, which is checked in and must
regenerate unchanged (tests/unit/winsys/test_ffi.py).  cffi's ABI mode needs no compiler and no X
headers, and the generated module needs no parser at run time: opening it costs under a millisecond.
The price is that nobody checks these declarations against the headers, so only the stable part of
the ABI is used: functions instead of the Display macros, and structs whose layout the protocol or
ICCCM-era headers fixed for good (Xlib.h, Xutil.h, Xproto.h, xcb.h).

Run: `python -m winsys_x11.build_ffi`
"""

from pathlib import Path

DECLARATIONS = """
/* ---- Xlib.h, Xutil.h ---- */
typedef struct _XDisplay Display;
typedef unsigned long XID;
typedef unsigned long VisualID;
typedef struct _Visual Visual;
typedef struct { Visual *visual; VisualID visualid; int screen; int depth; int class;
                 unsigned long red_mask, green_mask, blue_mask; int colormap_size; int bits_per_rgb; } XVisualInfo;
typedef struct { int depth; int bits_per_pixel; int scanline_pad; } XPixmapFormatValues;
typedef struct _XExtData { int number; struct _XExtData *next; int (*free_private)(struct _XExtData *);
                           void *private_data; } XExtData;
typedef struct { int type; Display *display; XID resourceid; unsigned long serial; unsigned char error_code;
                 unsigned char request_code; unsigned char minor_code; } XErrorEvent;
typedef int (*XErrorHandler)(Display *, XErrorEvent *);

Display *XOpenDisplay(const char *name);
int XCloseDisplay(Display *);
int XDefaultScreen(Display *);
int XScreenCount(Display *);
XID XRootWindow(Display *, int screen);
Visual *XDefaultVisual(Display *, int screen);
VisualID XVisualIDFromVisual(Visual *);
char *XDisplayString(Display *);
int XImageByteOrder(Display *);
XVisualInfo *XGetVisualInfo(Display *, long mask, XVisualInfo *templ, int *count);
XPixmapFormatValues *XListPixmapFormats(Display *, int *count);
int XQueryExtension(Display *, const char *name, int *major_opcode, int *first_event, int *first_error);
XExtData **XEHeadOfExtensionList(Display *);
XExtData *XFindOnExtensionList(XExtData **, int number);
int XAddToExtensionList(XExtData **, XExtData *);
XErrorHandler XSetErrorHandler(XErrorHandler);
extern XErrorHandler _XErrorFunction;
unsigned long XNextRequest(Display *);
int XSync(Display *, int discard);
int XFlush(Display *);
int XFree(void *);
XID XCreatePixmap(Display *, XID drawable, unsigned int width, unsigned int height, unsigned int depth);
int XFreePixmap(Display *, XID);
XID XCreateSimpleWindow(Display *, XID parent, int x, int y, unsigned int width, unsigned int height,
                        unsigned int border, unsigned long border_pixel, unsigned long background);
XID XCreateColormap(Display *, XID window, Visual *, int alloc);
typedef struct { XID background_pixmap; unsigned long background_pixel; XID border_pixmap; unsigned long border_pixel;
                 int bit_gravity, win_gravity, backing_store; unsigned long backing_planes, backing_pixel;
                 int save_under; long event_mask, do_not_propagate_mask; int override_redirect; XID colormap, cursor;
               } XSetWindowAttributes;
XID XCreateWindow(Display *, XID parent, int x, int y, unsigned int width, unsigned int height, unsigned int border,
                  int depth, unsigned int class, Visual *, unsigned long mask, XSetWindowAttributes *);
int XMapWindow(Display *, XID);
int XResizeWindow(Display *, XID, unsigned int width, unsigned int height);
int XDestroyWindow(Display *, XID);

/* ---- fonts, for glXUseXFont ---- */
typedef struct { short lbearing, rbearing, width, ascent, descent; unsigned short attributes; } XCharStruct;
typedef struct { XExtData *ext_data; XID fid; unsigned direction; unsigned min_char_or_byte2, max_char_or_byte2;
                 unsigned min_byte1, max_byte1; int all_chars_exist; unsigned default_char; int n_properties;
                 void *properties; XCharStruct min_bounds, max_bounds; XCharStruct *per_char; int ascent, descent;
               } XFontStruct;
XFontStruct *XQueryFont(Display *, XID);
int XFreeFontInfo(char **names, XFontStruct *, int count);
typedef struct { unsigned char byte1, byte2; } XChar2b;
typedef struct _XGC *GC;
typedef struct { int width, height, xoffset, format; char *data; int byte_order, bitmap_unit, bitmap_bit_order,
                 bitmap_pad, depth, bytes_per_line; } XImageHead;
GC XCreateGC(Display *, XID drawable, unsigned long mask, void *values);
int XFreeGC(Display *, GC);
int XSetFont(Display *, GC, XID);
int XSetForeground(Display *, GC, unsigned long);
int XFillRectangle(Display *, XID, GC, int x, int y, unsigned int width, unsigned int height);
int XDrawString16(Display *, XID, GC, int x, int y, const XChar2b *, int length);
XImageHead *XGetImage(Display *, XID, int x, int y, unsigned int width, unsigned int height, unsigned long planes,
                      int format);
unsigned long XGetPixel(XImageHead *, int x, int y);
int XDestroyImage(XImageHead *);
XID XLoadFont(Display *, const char *name);

/* ---- Xlib-xcb.h, xcb.h, xcbext.h ---- */
typedef struct xcb_connection_t xcb_connection_t;
typedef struct { size_t count; void *ext; uint8_t opcode; uint8_t isvoid; } xcb_protocol_request_t;
struct iovec { void *iov_base; size_t iov_len; };
typedef struct { uint8_t response_type, error_code; uint16_t sequence; uint32_t resource_id; uint16_t minor_code;
                 uint8_t major_code, pad0; uint32_t pad[5]; uint32_t full_sequence; } xcb_generic_error_t;
typedef struct { unsigned int sequence; } xcb_void_cookie_t;
typedef struct { uint8_t response_type, depth; uint16_t sequence; uint32_t length, root; int16_t x, y;
                 uint16_t width, height, border_width; uint8_t pad0[2]; } xcb_get_geometry_reply_t;

xcb_connection_t *XGetXCBConnection(Display *);
unsigned int xcb_send_request(xcb_connection_t *, int flags, struct iovec *vector, const xcb_protocol_request_t *);
void *xcb_wait_for_reply(xcb_connection_t *, unsigned int request, xcb_generic_error_t **error);
xcb_generic_error_t *xcb_request_check(xcb_connection_t *, xcb_void_cookie_t cookie);
void xcb_discard_reply(xcb_connection_t *, unsigned int sequence);
int xcb_flush(xcb_connection_t *);
uint32_t xcb_generate_id(xcb_connection_t *);
uint32_t xcb_get_maximum_request_length(xcb_connection_t *);
int xcb_connection_has_error(xcb_connection_t *);
const void *xcb_get_setup(xcb_connection_t *);
xcb_connection_t *xcb_connect(const char *name, int *screen);
void xcb_disconnect(xcb_connection_t *);

/* ---- libc ---- */
void *malloc(size_t);
void *calloc(size_t, size_t);
void free(void *);
int posix_memalign(void **, size_t alignment, size_t size);
int shmget(int key, size_t size, int flags);
void *shmat(int id, const void *address, int flags);
int shmdt(const void *address);
int shmctl(int id, int command, void *buffer);
char *strerror(int);
"""

HEADER = "# SPDX-License-Identifier: MIT\n# Generated by winsys_x11/build_ffi.py; do not edit.\n"


def generate() -> str:
    """Return the text of `_xffi.py`."""
    import tempfile

    import cffi

    ffi = cffi.FFI()
    ffi.set_source("winsys_x11._xffi", None)
    ffi.cdef(DECLARATIONS)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "_xffi.py"
        ffi.emit_python_code(str(target))
        lines = target.read_text(encoding="utf-8").splitlines(keepends=True)
    body = "".join(line for line in lines if not line.startswith("# auto-generated"))
    return HEADER + body


def main() -> None:
    """Write the module beside this script."""
    Path(__file__).with_name("_xffi.py").write_text(generate(), encoding="utf-8")


if __name__ == "__main__":
    main()
