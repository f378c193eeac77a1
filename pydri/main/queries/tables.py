# SPDX-License-Identifier: MIT
"""What kinds of query objects there are: targets, and the bits of their counters (as llvmpipe's).

A further kind of occlusion query is an entry in OCCLUSION; all of these share one binding, because
only one of them may be active (ARB_occlusion_query2). Of the pipeline's statistics those of stages
that no program can have here (tessellation, compute) are no targets.
"""

import pydri.api.enums as gl
from pydri.api.where import registered
from pydri.main.rows import Enum

#: whether there are any; the conservative one may say so of too much, and here does not
ANY = (gl.GL_ANY_SAMPLES_PASSED, gl.GL_ANY_SAMPLES_PASSED_CONSERVATIVE)
OCCLUSION = (gl.GL_SAMPLES_PASSED, *ANY)
ELAPSED = (gl.GL_TIME_ELAPSED,)
#: what the driver counts while it assembles primitives: the fields of `ctx.query` and of `dyn`
PRIMITIVES = {
    gl.GL_PRIMITIVES_GENERATED: ("generated", "primitives_generated"),
    gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN: ("written", "primitives_written"),
}
#: whether primitives had no room in a buffer (ARB_transform_feedback_overflow_query)
OVERFLOWS = (gl.GL_TRANSFORM_FEEDBACK_OVERFLOW, gl.GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW)
#: what is counted on the way through the pipeline: the fields of PipelineStatistics, whose growth
#: is the result. The place in this table is that in `QueryBlock.statistics`
STATISTICS = {
    gl.GL_VERTICES_SUBMITTED: "vertices_submitted",
    gl.GL_PRIMITIVES_SUBMITTED: "primitives_submitted",
    gl.GL_VERTEX_SHADER_INVOCATIONS: "vertex_invocations",
    gl.GL_GEOMETRY_SHADER_INVOCATIONS: "geometry_invocations",
    gl.GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED: "geometry_primitives",
    gl.GL_CLIPPING_INPUT_PRIMITIVES: "clipping_input",
    gl.GL_CLIPPING_OUTPUT_PRIMITIVES: "clipping_output",
    **dict.fromkeys(OVERFLOWS, "primitives_lost"),
}
#: fragments are counted when their scene is executed
FRAGMENTS = (gl.GL_FRAGMENT_SHADER_INVOCATIONS,)
#: those that only contexts with geometry shaders have
OF_GEOMETRY = (gl.GL_GEOMETRY_SHADER_INVOCATIONS, gl.GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED)
#: the targets of STATISTICS and FRAGMENTS, and where they are: an enum that something else brought
#: first is no target before the others are
COUNTED = tuple(
    Enum(enum, registered(enum if enum in OVERFLOWS else gl.GL_VERTICES_SUBMITTED))
    for enum in (*STATISTICS, *FRAGMENTS)
)
#: those of which each vertex stream has one (ARB_transform_feedback3)
BY_STREAM = (*PRIMITIVES, gl.GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW)
#: target -> GL_QUERY_COUNTER_BITS
COUNTER_BITS = {
    gl.GL_SAMPLES_PASSED: 64,
    **dict.fromkeys(ANY, 1),
    gl.GL_TIME_ELAPSED: 64,
    gl.GL_TIMESTAMP: 64,
    **dict.fromkeys((*PRIMITIVES, *STATISTICS, *FRAGMENTS), 64),
    **dict.fromkeys(OVERFLOWS, 1),
}
#: the result is always waited for, which GL_QUERY_RESULT_NO_WAIT allows
RESULT_NAMES = (gl.GL_QUERY_RESULT, gl.GL_QUERY_RESULT_AVAILABLE, gl.GL_QUERY_RESULT_NO_WAIT)
