# SPDX-License-Identifier: MIT
"""What kinds of query objects there are: targets, and the bits of their counters (as llvmpipe's).

A further kind of occlusion query is an entry in OCCLUSION; all of these share one binding, because
only one of them may be active (ARB_occlusion_query2).
"""

import pydri.api.enums as gl

#: whether there are any; the conservative one may say so of too much, and here does not
ANY = (gl.GL_ANY_SAMPLES_PASSED, gl.GL_ANY_SAMPLES_PASSED_CONSERVATIVE)
OCCLUSION = (gl.GL_SAMPLES_PASSED, *ANY)
ELAPSED = (gl.GL_TIME_ELAPSED,)
#: what the driver counts while it assembles primitives: the fields of `ctx.query` and of `dyn`
PRIMITIVES = {
    gl.GL_PRIMITIVES_GENERATED: ("generated", "primitives_generated"),
    gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN: ("written", "primitives_written"),
}
#: target -> GL_QUERY_COUNTER_BITS
COUNTER_BITS = {
    gl.GL_SAMPLES_PASSED: 64,
    **dict.fromkeys(ANY, 1),
    gl.GL_TIME_ELAPSED: 64,
    gl.GL_TIMESTAMP: 64,
    **dict.fromkeys(PRIMITIVES, 64),
}
#: the result is always waited for, which GL_QUERY_RESULT_NO_WAIT allows
RESULT_NAMES = (gl.GL_QUERY_RESULT, gl.GL_QUERY_RESULT_AVAILABLE, gl.GL_QUERY_RESULT_NO_WAIT)
