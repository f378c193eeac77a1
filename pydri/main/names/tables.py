# SPDX-License-Identifier: MIT
"""The kinds of objects that have names: ONE table, for kernels and Python.

A further kind is a struct that begins with `Named` (in its room's layout.py), a row here, and a
call of `install` (names/kernels.py) in its room's kernels with what making, unbinding and freeing
one of them means. Its entry points for names, glIs*, labels, references and deletion follow.
"""

from __future__ import annotations

from typing import NamedTuple

import pydri.api.enums as gl
from pydri.api.where import EVERYWHERE, In
from pydri.jit.types import StructMeta
from pydri.main.arrays.layout import VertexArray
from pydri.main.buffers.layout import BufferObject
from pydri.main.framebuffers.layout import FramebufferObject, Renderbuffer
from pydri.main.names.layout import MAX_KINDS, DisplayList
from pydri.main.programs.layout import ArbProgram
from pydri.main.queries.layout import QueryObject, SyncObject
from pydri.main.shaders.layout import ProgramObject
from pydri.main.textures.layout import SamplerObject, TextureObject
from pydri.main.transform.layout import TransformObject

#: where names that a program invents get an object when they are first used, as generated ones do:
#: nowhere, where nothing is deprecated, everywhere
GENERATED, COMPATIBLE, INVENTED = In(0, 0), In(10, 0, 10, 20), EVERYWHERE


class Kind(NamedTuple):
    """One kind: `number` is its place among the name spaces; entry points it has not are ""."""

    number: int
    name: str  # what its kernels begin with
    struct: StructMeta
    shared: bool  # one name space a share group, not a context
    identifier: int  # of glObjectLabel; 0: only by pointer
    invented: In = GENERATED
    generate: str = ""
    create: str = ""
    delete: str = ""
    test: str = ""
    reserved_is_object: bool = False  # a generated name already counts as one
    at_once: bool = False  # what generates names makes objects of them, as the peer


BUFFERS = Kind(
    0, "buffer", BufferObject, True, gl.GL_BUFFER, COMPATIBLE,
    "glGenBuffers", "glCreateBuffers", "glDeleteBuffers", "glIsBuffer",
)  # fmt: skip
ARRAYS = Kind(
    1, "vao", VertexArray, False, gl.GL_VERTEX_ARRAY, GENERATED,
    "glGenVertexArrays", "glCreateVertexArrays", "glDeleteVertexArrays", "glIsVertexArray",
)  # fmt: skip
QUERIES = Kind(
    2, "query", QueryObject, False, gl.GL_QUERY, COMPATIBLE,
    "glGenQueries", "", "glDeleteQueries", "glIsQuery",
)  # fmt: skip
LISTS = Kind(3, "list", DisplayList, True, gl.GL_DISPLAY_LIST, reserved_is_object=True)
SYNCS = Kind(4, "sync", SyncObject, True, 0)
TEXTURES = Kind(
    5, "texture", TextureObject, True, gl.GL_TEXTURE, COMPATIBLE,
    "glGenTextures", "", "glDeleteTextures", "glIsTexture",
)  # fmt: skip
RENDERBUFFERS = Kind(
    6, "renderbuffer", Renderbuffer, True, gl.GL_RENDERBUFFER, COMPATIBLE,
    "glGenRenderbuffers", "glCreateRenderbuffers", "glDeleteRenderbuffers", "glIsRenderbuffer",
)  # fmt: skip
FRAMEBUFFERS = Kind(
    7, "framebuffer", FramebufferObject, False, gl.GL_FRAMEBUFFER, COMPATIBLE,
    "glGenFramebuffers", "glCreateFramebuffers", "glDeleteFramebuffers", "glIsFramebuffer",
)  # fmt: skip

SAMPLERS = Kind(
    8, "sampler", SamplerObject, True, gl.GL_SAMPLER, GENERATED,
    "glGenSamplers", "glCreateSamplers", "glDeleteSamplers", "glIsSampler",
    at_once=True,
)  # fmt: skip

#: shaders and programs, whose names are of one space; glIs* tells them apart (main/shaders)
SHADERS = Kind(9, "program", ProgramObject, True, gl.GL_PROGRAM)

#: programs of ARB_vertex_program and ARB_fragment_program (main/programs)
PROGRAMS = Kind(
    10, "assembly", ArbProgram, True, 0, INVENTED,
    "glGenProgramsARB", "", "glDeleteProgramsARB", "glIsProgramARB",
)  # fmt: skip

#: shaders of ATI_fragment_shader (main/programs), generated and deleted in ways of their own
ATI_SHADERS = Kind(11, "ati", ArbProgram, True, 0, INVENTED)

TRANSFORMS = Kind(
    12, "transform", TransformObject, False, gl.GL_TRANSFORM_FEEDBACK, GENERATED,
    "glGenTransformFeedbacks", "glCreateTransformFeedbacks", "glDeleteTransformFeedbacks",
    "glIsTransformFeedback",
)  # fmt: skip

KINDS: tuple[Kind, ...] = (
    BUFFERS, ARRAYS, QUERIES, LISTS, SYNCS, TEXTURES, RENDERBUFFERS, FRAMEBUFFERS, SAMPLERS,
    SHADERS, PROGRAMS, ATI_SHADERS, TRANSFORMS,
)  # fmt: skip
assert [kind.number for kind in KINDS] == list(range(len(KINDS))) and len(KINDS) <= MAX_KINDS
