/* SPDX-License-Identifier: MIT
 *
 * Memory of a start, for the boot.
 */
#ifndef PYDRI_CORE_MEMORY_H
#define PYDRI_CORE_MEMORY_H

#include "shim.h"

/* Have Python's next arenas lie in huge pages, as many as a start fills. Needs no interpreter; of one
   that runs its lock is held. */
HIDDEN void pydri_make_room(void);

#endif
