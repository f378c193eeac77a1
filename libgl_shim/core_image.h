/* SPDX-License-Identifier: MIT
 *
 * The start image, for the boot: what can be done with it, in this order.
 */
#ifndef PYDRI_CORE_IMAGE_H
#define PYDRI_CORE_IMAGE_H

#include "shim.h"

struct pydri_image;

/* The image beside the libraries, mapped for as long as the process lives; null if there is none
   that is right. Needs no interpreter. */
HIDDEN const struct pydri_image *pydri_map_image(const char *libdir);

/* Before an interpreter is started: what its own start imports of files comes from the image. */
HIDDEN void pydri_freeze(const struct pydri_image *image);

/* Behind that start: a package that was frozen has no folder. The encodings that are not in the image
   are found in files again, where sys.path leads. */
HIDDEN void pydri_thaw(void);

/* Have modules imported from the image; 0 if that failed, or they are of another place. */
HIDDEN int pydri_serve_image(const struct pydri_image *image, int joined);

#endif
