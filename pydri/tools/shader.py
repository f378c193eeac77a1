# SPDX-License-Identifier: MIT
"""`pydri shader`: one shader in all its forms.

In: a file with GLSL (.vert, .frag, .glsl), a .shader_test, an ARB program, TGSI or nir as text.
Out: text: the typed tree (glsl), Mesa IR of ARB programs (mesa), nir, TGSI, its token words, LLVM
IR and machine code of llvmpipe's kernels; and what the shader computes of given numbers, by both
interpreters; QIR and QPU words of VideoCore IV. Nothing is drawn and no X server is asked.
"""

from __future__ import annotations

import contextlib
import io
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydri.nir.stages import ATTRIBUTES, BY_NAME, OFFERED
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX

if TYPE_CHECKING:
    from pydri.glsl.link.stage import Stage
    from pydri.nir.interp import Result
    from pydri.nir.ir import Shader, TexInstr
    from pydri.pipe.state import PipelineState, ShaderRef
    from pydri.prog.instructions import Program

FORMS = ("glsl", "mesa", "nir", "tgsi", "tokens", "qir", "qpu", "llvm", "asm")
#: what is shown where nothing is asked for
SHORT = ("glsl", "mesa", "nir", "tgsi", "tokens")


class ShaderError(Exception):
    """A file that holds no shader, or a form that it does not have."""


class Source:
    """A shader of one stage. The base makes all forms of its nir."""

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def glsl(self) -> str:
        """The typed tree."""
        raise ShaderError("only GLSL has a typed tree")

    def mesa(self) -> str:
        """Mesa IR."""
        raise ShaderError("only ARB programs are Mesa IR")

    def shader(self) -> Shader:
        """Fresh nir."""
        raise NotImplementedError

    def words(self) -> Sequence[int]:
        """Its token words."""
        from pydri.tgsi.translate.from_nir import from_nir

        return from_nir(self.shader(), self.attributes())

    def same_words(self) -> Sequence[int]:
        """Words that read the constant blocks that the nir reads."""
        return self.words()

    def attributes(self) -> tuple[int, ...] | None:
        """The slots of a vertex shader's TGSI inputs; None: their own numbers."""
        from pydri.nir.gather_info import gather

        kind = BY_NAME[self.stage].inputs.kind
        return gather(self.shader()).inputs if kind == ATTRIBUTES else None

    # ---- forms
    def form(self, name: str) -> str:
        """A form by name."""
        makers: dict[str, Callable[[], str]] = {
            "glsl": self.glsl, "mesa": self.mesa, "nir": self.nir, "tgsi": self.tgsi,
            "tokens": self.tokens, "qir": lambda: self.vc4("qir"), "qpu": lambda: self.vc4("qpu"),
            "llvm": lambda: self.compiled("ir"), "asm": lambda: self.compiled("asm"),
        }  # fmt: skip
        return makers[name]()

    def nir(self) -> str:
        """nir's listing."""
        from pydri.nir.printer import print_shader

        return print_shader(self.shader())

    def tgsi(self) -> str:
        """TGSI's text."""
        from pydri.tgsi.text.dump import dump

        return dump(self.words())

    def tokens(self) -> str:
        """The words, eight in a line."""
        words = self.words()
        lines = (words[n : n + 8] for n in range(0, len(words), 8))
        return "".join(" ".join(f"{word:08x}" for word in line) + "\n" for line in lines)

    def vc4(self, form: str) -> str:
        """What VC4_DEBUG shows of this shader, drawing to RGBA8888 without tests."""
        from pipe_vc4.listing import ListingError, listing

        try:
            return listing(self.shader, form)
        except ListingError as error:
            raise ShaderError(str(error)) from None

    def compiled(self, flag: str) -> str:
        """What GALLIVM_DEBUG shows of this shader's kernel, drawing to a plain window."""
        from pydri.util.options import options

        state = _pipeline(self)
        told = io.StringIO()
        with options(GALLIVM_DEBUG=flag, MESA_SHADER_CACHE_DISABLE=True):
            with contextlib.redirect_stderr(told):
                import pipe_llvm

                screen = pipe_llvm.create_screen(None)
                context = screen.context_create()
                context.create_pipeline(state)
                context.destroy()
                screen.destroy()
        return _of_stage(told.getvalue(), self.stage, "; " if flag == "ir" else "# ")

    def run(self, given: Mapping[str, Sequence[float]]) -> str:
        """Its outputs for one lane, by nir's interpreter and by TGSI's."""
        from pydri.nir import interp
        from pydri.nir.stages import slot_names
        from pydri.tgsi.exec import machine as exec

        arguments = _arguments(self.stage, given)
        nir = interp.run(self.shader(), 4, **arguments)
        tgsi = exec.run(self.same_words(), 4, attributes=self.attributes(), **arguments)
        names = slot_names(self.stage, "shader_out")
        lines = []
        for slot in sorted(nir.outputs):
            found = [_numbers(result, slot) for result in (nir, tgsi)]
            lines.append(f"{names.get(slot, slot)} = {found[0]}")
            if found[0] != found[1]:
                lines.append(f"    as TGSI: {found[1]}")
        if nir.discarded[0]:
            lines.append("discarded")
        return "\n".join(lines) + "\n"


class Glsl(Source):
    """A stage of a linked program."""

    def __init__(self, linked: Stage) -> None:
        super().__init__(linked.name)
        self.linked = linked

    def glsl(self) -> str:
        from pydri.glsl.printer import print_shader

        return print_shader(self.linked.shader())

    def shader(self) -> Shader:
        from pydri.main.shaders.code import linked_stage

        return linked_stage(self.linked)


class Arb(Source):
    """An ARB program."""

    def __init__(self, text: str, stage: str) -> None:
        super().__init__(stage)
        from pydri.prog.faults import ProgramFault
        from pydri.prog.languages import LANGUAGES
        from pydri.prog.parser import parse
        from pydri.prog.passes import prepare

        try:
            self.program: Program = prepare(parse(text, stage, LANGUAGES[stage].limits))
        except ProgramFault as fault:
            raise ShaderError(fault.text.strip()) from None

    def mesa(self) -> str:
        from pydri.prog.printer import print_program

        return print_program(self.program)

    def shader(self) -> Shader:
        from pydri.main.programs.state import parts
        from pydri.prog.to_nir import to_nir

        return to_nir(self.program, parts)

    def words(self) -> Sequence[int]:
        """Mesa IR's own TGSI, whose constants are the program's parameters by their numbers."""
        from pydri.prog.to_tgsi import to_tgsi

        return to_tgsi(self.program)

    def same_words(self) -> Sequence[int]:
        return super().words()


class Tgsi(Source):
    """TGSI's text."""

    def __init__(self, text: str) -> None:
        from pydri.tgsi.text.reader import TextError, translate
        from pydri.tgsi.tokens.sanity import SanityError
        from pydri.tgsi.translate.to_nir import STAGES

        try:
            self.stream = translate(text)
        except (SanityError, TextError) as error:
            raise ShaderError(str(error)) from None
        if self.stream.processor not in STAGES:
            words = " and ".join(row.name for row in STAGES.values())
            raise ShaderError(f"only {words} shaders have other forms")
        super().__init__(STAGES[self.stream.processor].name)

    def words(self) -> Sequence[int]:
        from pydri.tgsi.tokens.parse import build

        return build(self.stream)

    def shader(self) -> Shader:
        from pydri.tgsi.translate.to_nir import Unsupported, to_nir

        try:
            return to_nir(self.stream)
        except Unsupported as error:
            raise ShaderError(str(error)) from None

    def attributes(self) -> tuple[int, ...] | None:
        return None


class Nir(Source):
    """nir's listing."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(self.shader().stage)

    def shader(self) -> Shader:
        from pydri.nir.parser import ParseError, parse_shader

        try:
            return parse_shader(self.text)
        except ParseError as error:
            raise ShaderError(str(error)) from None


# ---- files ------------------------------------------------------------------------------------
def sections(text: str) -> Iterator[tuple[str, str]]:
    """(name, text) of the sections of a .shader_test."""
    name = ""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("[") and line.rstrip().endswith("]"):
            yield name, "\n".join(lines)
            name, lines = line.strip()[1:-1], []
        else:
            lines.append(line)
    yield name, "\n".join(lines)


def glsl_sources(texts: Sequence[tuple[str, str]]) -> list[Source]:
    """The stages of GLSL texts (stage, text), linked."""
    from pydri.glsl.compiler import Context, compile_shader
    from pydri.glsl.language.versions import COMPATIBILITY
    from pydri.glsl.link import linker
    from pydri.main.extensions import GLSL_EXTENSIONS
    from pydri.main.shaders.state import state_place

    # whatever the compiler takes
    extensions = {*GLSL_EXTENSIONS, COMPATIBILITY}
    context = Context(330, 300, extensions, {})
    trees = []
    for stage, text in texts:
        done = compile_shader(text, stage, context)
        if done.shader is None:
            raise ShaderError(done.log.strip())
        trees.append(done.shader)
    linked = linker.link(trees)
    if not linked.good:
        raise ShaderError(linked.log.strip())
    for found in linked.stages.values():
        found.layout.state_place = state_place
    return [Glsl(found) for found in linked.stages.values()]


def read(text: str, suffix: str = "", stage: str = "") -> list[Source]:
    """The shaders of a file's text."""
    from pydri.prog.languages import LANGUAGES
    from pydri.tgsi.tokens.enums import PROCESSORS

    start = text.lstrip()
    for name, language in LANGUAGES.items():
        if start.startswith(language.header[:-3]):
            return [Arb(start, name)]
    if start[:4].upper() in [PROCESSORS[row.number] for row in OFFERED]:
        return [Tgsi(text)]
    if start.startswith("shader: MESA_SHADER"):
        return [Nir(text)]
    if suffix == ".shader_test" or any(f"[{row.name} shader]" in text for row in OFFERED):
        return _shader_test(text)
    guess = "vertex" if "gl_Position" in text or "ftransform" in text else "fragment"
    suffixes = {f".{row.suffix}": row.name for row in OFFERED}
    suffixes |= {f".{row.letter}p": name for name, row in LANGUAGES.items()}
    return glsl_sources([(stage or suffixes.get(suffix, guess), text)])


def _shader_test(text: str) -> list[Source]:
    parts = list(sections(text))
    names = {f"{row.name} {what}" for row in OFFERED for what in ("program", "shader")}
    known = [(*name.split(), text) for name, text in parts if name in names]
    programs = [(stage, text) for stage, what, text in known if what == "program"]
    texts = [(stage, text) for stage, what, text in known if what == "shader"]
    found: list[Source] = [Arb(body.strip(), stage) for stage, body in programs]
    if texts:
        found += glsl_sources(texts)
    if not found:
        raise ShaderError(f"no {' or '.join(row.name for row in OFFERED)} shader in it")
    return found


def show(path: str, forms: Sequence[str], stage: str = "",
         given: Mapping[str, Sequence[float]] | None = None) -> str:  # fmt: skip
    """The text that `pydri shader` prints."""
    file = pathlib.Path(path)
    found = [s for s in read(file.read_text(), file.suffix, stage) if stage in ("", s.stage)]
    if not found:
        raise ShaderError(f"no {stage} shader in {path}")
    out = []
    for source in found:
        for name in forms or SHORT:
            try:
                text = source.form(name)
            except ShaderError:
                if forms:
                    raise
                continue
            heading = len(found) > 1 or len(forms) != 1
            out.append(f"{source.stage}, {name}:\n{text}" if heading else text)
        if given is not None:
            out.append(source.run(given))
    return "\n".join(out)


# ---- numbers ----------------------------------------------------------------------------------
def parse_inputs(words: Sequence[str]) -> dict[str, list[float]]:
    """`VAR0=0.5,1` and the like."""
    found = {}
    for word in words:
        name, equals, numbers = word.partition("=")
        try:
            found[name] = [float(number) for number in numbers.split(",")]
        except ValueError:
            equals = ""
        if not equals:
            raise ShaderError(f"{word}: an input is NAME=NUMBER,NUMBER,...")
    return found


def _arguments(stage: str, given: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Arguments of the interpreters: inputs by slot, `ubo0` and `ubo1`, system values by name."""
    import numpy as np

    from pydri.nir.stages import slot_names

    slots = {name.split("_", 2)[2]: slot for slot, name in slot_names(stage, "shader_in").items()}
    inputs: dict[int, object] = {}
    ubos: dict[int, bytes] = {}
    system: dict[str, object] = {"front_face": np.ones(4, np.bool_)}
    for name, numbers in given.items():
        values = np.tile(np.array(numbers, np.float32), (4, 1))
        if name.upper() in slots:
            inputs[slots[name.upper()]] = values
        elif name in ("ubo0", "ubo1"):
            ubos[int(name[3:])] = values[0].tobytes()
        elif name in ("frag_coord", "point_coord"):
            system[name] = values
        else:
            raise ShaderError(f"{name} is no input; there are {', '.join(sorted(slots))}")
    return {"inputs": inputs, "ubos": ubos, "system": system, "texture": _white}


def _white(instr: TexInstr, srcs: Mapping[str, Any]) -> Any:
    """Every texture is white."""
    import numpy as np

    return np.ones((4, 4), np.float32)


def _numbers(result: Result, slot: int) -> str:
    return ", ".join(f"{number:g}" for number in result.output(slot)[0])


# ---- llvmpipe's kernels -----------------------------------------------------------------------
def _pipeline(source: Source) -> PipelineState:
    """A pipeline with this shader, the plainest that there is."""
    from pydri.nir.gather_info import gather
    from pydri.pipe.format import BY_NAME as FORMATS
    from pydri.pipe.state import (
        PRIM_TRIANGLES,
        ColorTarget,
        DepthStencilAlpha,
        PipelineState,
        Rasterizer,
        ShaderRef,
        VertexElement,
        stages_of,
    )

    info = gather(source.shader())
    own = ShaderRef(
        b"tool " + source.stage.encode(), source.shader, info.inputs, info.outputs,
        info.const_range, info.uses_discard, info.writes_depth, info.uses_position, info.textures,
        info.uniform_range,
    )  # fmt: skip
    stages = {**_plainest(), BY_NAME[source.stage].number: own}
    floats = FORMATS["R32G32B32A32_FLOAT"].number
    return PipelineState(
        stages_of(stages),
        tuple(VertexElement(slot, floats) for slot in stages[SHADER_VERTEX].inputs),
        (ColorTarget(FORMATS["B8G8R8X8_UNORM"].number),), DepthStencilAlpha(), Rasterizer(), 0,
        PRIM_TRIANGLES,
    )  # fmt: skip


def _plainest() -> dict[int, ShaderRef]:
    """A vertex shader that passes places on, a fragment shader of one colour."""
    from pydri.nir.builder import Builder
    from pydri.nir.enums import FRAG_RESULT_COLOR, VARYING_SLOT_POS, VERT_ATTRIB_POS
    from pydri.nir.ir import Shader
    from pydri.pipe.state import ShaderRef

    def position() -> Shader:
        b = Builder(Shader("vertex"))
        b.store_output(b.load_input(VERT_ATTRIB_POS), VARYING_SLOT_POS)
        return b.shader

    def color() -> Shader:
        b = Builder(Shader("fragment"))
        b.store_output(b.imm_vec4(1.0, 1.0, 1.0, 1.0), FRAG_RESULT_COLOR)
        return b.shader

    return {
        SHADER_VERTEX: ShaderRef(
            b"tool position", position, (VERT_ATTRIB_POS,), (VARYING_SLOT_POS,)),
        SHADER_FRAGMENT: ShaderRef(b"tool color", color, (), (FRAG_RESULT_COLOR,)),
    }  # fmt: skip


def _of_stage(text: str, stage: str, mark: str) -> str:
    """The modules of a stage, of all that were compiled."""
    parts: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith(mark) and len(line.split()) == 2 and line.split()[1][:1].isalpha():
            parts.append([])
        if parts:
            parts[-1].append(line)
    wanted = BY_NAME[stage].short.lower()
    kept = [part for part in parts if wanted in part[0]]
    return "\n".join("\n".join(part) for part in kept or parts) + "\n"
