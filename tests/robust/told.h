/* SPDX-License-Identifier: MIT */
/* One line for each call: what was asked, the value, and the error that GL has. The *_told.c programs print such lines on both
 * drivers, and test_names_peer.py compares them. */
#include "rig.h"

static void told(const char *what, long value)
{
    GLenum error = glGetError();
    printf("%s: %ld", what, value);
    if (error)
        printf(", error 0x%x", error);
    putchar('\n');
}

#define TELL(call) (call, told(#call, 0))
#define ASK(call) told(#call, (long) (call))
#define COUNT(array) ((int) (sizeof(array) / sizeof *(array)))
