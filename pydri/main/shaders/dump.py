# SPDX-License-Identifier: MIT
"""Shaders on their way in, for people: MESA_GLSL, MESA_SHADER_DUMP_PATH, MESA_SHADER_READ_PATH,
MESA_SHADER_CAPTURE_PATH.

In: sources when they are given, compiled and linked. Out: text on stderr, files in the folders that
the variables name, and the text of a file in place of a program's own. Files have Mesa's names:
VS_SHA1.glsl of sources, NUMBER.shader_test of programs, shader_NUMBER.vert of MESA_GLSL=log. Mesa:
main/shaderapi.c (_mesa_dump_shader_source, _mesa_read_shader_source, link_program_error),
program/prog_print.c.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pydri.nir.stages import BY_NAME
from pydri.util import log
from pydri.util.options import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydri.glsl.tree import Shader
    from pydri.main.shaders.cache import Source
    from pydri.main.shaders.objects import ProgramData, ShaderData


def _file_name(folder: str, stage: str, source: bytes) -> str:
    import hashlib  # which loads OpenSSL

    digest = hashlib.sha1(source, usedforsecurity=False).hexdigest()
    return os.path.join(folder, f"{BY_NAME[stage].short}_{digest}.glsl")


def _write(path: str, text: bytes) -> None:
    try:
        with open(path, "wb") as file:
            file.write(text)
    except OSError as error:
        log.warning(f"could not write {path}: {error.strerror}")


def source_given(stage: str, source: bytes) -> bytes:
    """What counts as the source: the program's, or what stands in the file of its name."""
    if options.MESA_SHADER_DUMP_PATH:
        _write(_file_name(options.MESA_SHADER_DUMP_PATH, stage, source), source)
    if options.MESA_SHADER_READ_PATH:
        try:
            with open(_file_name(options.MESA_SHADER_READ_PATH, stage, source), "rb") as file:
                return file.read()
        except OSError:
            pass  # most shaders have no file
    return source


def compiled(shader: ShaderData) -> None:
    """A shader was compiled, or not."""
    flags = options.MESA_GLSL
    if not flags:
        return
    name, text = shader.n.name, shader.log.decode("latin-1")
    if "dump" in flags:
        log.note(f"GLSL source for {shader.stage} shader {name}:\n{shader.text}")
        if not shader.compiled:
            log.note(f"GLSL shader {name} failed to compile.")
        if text:
            log.note(f"GLSL shader {name} info log:\n{text}")
    if "log" in flags:
        state = "ok" if shader.compiled else "fail"
        head = f"/* Shader {name} source */\n{shader.text}\n/* Compile status: {state} */\n"
        suffix = BY_NAME[shader.stage].suffix
        _write(f"shader_{name}.{suffix}", f"{head}/* Log Info: */\n{text}".encode())
    if "errors" in flags and not shader.compiled:
        log.note(f"Error compiling shader {name}:\n{text}")


def linked(
    program: ProgramData, shaders: list[ShaderData], tree_of: Callable[[Source], Shader]
) -> None:
    """A program was linked, or not. `tree_of` gives the tree of a source that compiles."""
    name = program.n.name
    if "errors" in options.MESA_GLSL and not program.n.linked:
        log.note(f"Error linking program {name}:\n{program.log.decode('latin-1')}")
    if options.MESA_SHADER_CAPTURE_PATH:
        sources = [shader.compiled_source for shader in shaders]
        versions = [tree_of(source).version for source in sources if source is not None]
        version = max(versions, default=110)
        parts = [f"[require]\nGLSL >= {version // 100}.{version % 100:02d}\n"]
        parts += [f"\n[{shader.stage} shader]\n{shader.text}\n" for shader in shaders]
        _write_new(f"{name}", "".join(parts).encode("latin-1"))


def _write_new(name: str, text: bytes) -> None:
    """A file of MESA_SHADER_CAPTURE_PATH; none that is there is lost: programs that come and go
    have the same name."""
    start = os.path.join(options.MESA_SHADER_CAPTURE_PATH, name)
    for more in range(1 << 16):
        try:
            with open(f"{start}-{more}.shader_test" if more else f"{start}.shader_test", "xb") as f:
                f.write(text)
                return
        except FileExistsError:
            continue
        except OSError as error:
            log.warning(f"could not write {start}.shader_test: {error.strerror}")
            return


__all__ = ["compiled", "linked", "source_given"]
