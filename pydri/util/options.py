# SPDX-License-Identifier: MIT
"""Every environment variable the driver reads, in one table: the class body of `Options`.

In: the process environment. Out: `options.NAME`, typed, parsed at each read, so that a variable set
late by the host (or by `with options(NAME=...)` in a test) counts. The parsing rules are Mesa's
(src/util/u_debug.c), so a value that works there means the same here; what Mesa never does is to
tell the user about a typing mistake: an unknown flag or a boolean that is none is named once, with
the nearest word that exists.

Trade-off: the environment is looked at each time, and a text that was read before is not parsed
again. That costs a third of a microsecond; code that is hot reads once and keeps the value. Nothing
else in the drivers touches the environment (ruff bans it), so `PYDRI_HELP=1` lists all there is.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FALSE = frozenset(("0", "n", "no", "f", "false"))
_TRUE = frozenset(("1", "y", "yes", "t", "true"))
#: of a number that are read: as many as no use has more of
_MOST_DIGITS = 100
_overrides: dict[str, str | None] = {}
#: what is said once a process, by options and by log.py
_said: set[object] = set()
#: what os.environ holds, without its class: five sixths of a read's time were the class's
_environment: dict[bytes, bytes] = os.environ._data  # type: ignore[attr-defined]


def _raw(name: str) -> str | None:
    """The variable's text: what a test has set, else the environment."""
    if name in _overrides:
        return _overrides[name]
    value = _environment.get(name.encode())
    return None if value is None else os.fsdecode(value)


def setuid() -> bool:
    """True where the program runs with rights that are not its user's: then no path may come from
    the environment.
    """
    return os.geteuid() != os.getuid()


def first_time(what: object) -> bool:
    """Whether nobody asked this of the same before: then it is to be said."""
    if what in _said:
        return False
    _said.add(what)
    return True


def _complain(text: str) -> None:
    if first_time(text):
        sys.stderr.write(f"libGL: {text}\n")


def nearest(word: str, choices: frozenset[str] | tuple[str, ...]) -> str | None:
    """The choice that the word was probably meant to be, or None."""
    from difflib import get_close_matches  # not at start: a misspelt word is rare

    near = get_close_matches(word, choices, 1, 0.7)
    return near[0] if near else None


def _hint(word: str, choices: frozenset[str] | tuple[str, ...]) -> str:
    near = nearest(word, choices)
    return f" (did you mean {near}?)" if near else ""


def parse_bool(text: str | None, default: bool, name: str = "") -> bool:
    """Mesa's rule: a few words are off, a few are on, letters case-insensitive; anything else is
    the default.
    """
    if text is None:
        return default
    word = text.lower()
    if word in _FALSE:
        return False
    if word in _TRUE:
        return True
    if name:
        hint = _hint(word, tuple(sorted(_FALSE | _TRUE)))
        _complain(f"{name}={text} is neither true nor false{hint}; using {default}")
    return default


def parse_number(text: str | None, default: int) -> int:
    """C's strtoll with base 0: blanks, sign, 0x or 0 prefix; what follows the digits is ignored; no
    digits = default.
    """
    if text is None:
        return default
    body = text.lstrip(" \t\n\v\f\r")
    sign = 1
    if body[:1] in ("+", "-"):
        sign = -1 if body[0] == "-" else 1
        body = body[1:]
    base, digits = 10, "0123456789"
    if body[:2].lower() == "0x" and body[2:3].lower() in "0123456789abcdef" and body[2:3]:
        base, digits, body = 16, "0123456789abcdef", body[2:]
    elif body[:1] == "0":
        base, digits = 8, "01234567"
    end = 0
    while end < len(body) and body[end].lower() in digits:
        end += 1
    if not end:
        return default
    value = sign * int(_digits(body[:end]), base)
    return max(-(1 << 63), min(value, (1 << 63) - 1))


def _digits(text: str) -> str:
    """Digits that mean the same, or are far beyond what the number may be, too: Python reads no
    decimal number of thousands of them."""
    return text.lstrip("0")[:_MOST_DIGITS] or "0"


def parse_flags(text: str | None, flags: dict[str, str], name: str = "") -> frozenset[str]:
    """`all` sets all, `help` lists and sets nothing; else words split where a character is not
    alphanumeric or `_`.

    A name that holds other characters (`tgsi/nir`) is matched by its parts joined, as the user will
    write it whole.
    """
    if text is None:
        return frozenset()
    if text == "help":
        for flag, meaning in flags.items():
            _complain(f"{name} flag {flag:<14} {meaning}")
        return frozenset()
    if text == "all":
        return frozenset(flags)
    words: list[str] = []
    word = ""
    for char in text + ",":
        if (char.isascii() and char.isalnum()) or char == "_":
            word += char
        elif word:
            words.append(word)
            word = ""
    known = frozenset(words) & flags.keys()
    if name:
        for bad in words:
            if bad not in flags and bad not in ("0", "1", "all"):
                _complain(
                    f"{name}: unknown flag {bad}{_hint(bad, tuple(flags))}; {name}=help lists them"
                )
    if "all" in words:
        return frozenset(flags)
    return known


def parse_size(text: str | None, default: int, name: str = "") -> int:
    """A number and K, M or G; without a letter it counts in G, as Mesa's shader cache does. Bytes
    come out.
    """
    if text is None:
        return default
    digits = 0
    while digits < len(text) and text[digits] in "0123456789":
        digits += 1
    unit = {"": 30, "K": 10, "M": 20, "G": 30}.get(text[digits : digits + 1].upper())
    if not digits or unit is None:
        if name:
            _complain(f"{name}={text} is not a size such as 512M or 1G; using {default >> 20}M")
        return default
    return min(int(_digits(text[:digits])) << unit, (1 << 63) - 1)


class Option:
    """One row: its name is the attribute's, its kind is the class, `default` what an unset variable
    means.
    """

    kind = "string"
    name = ""
    default: object = ""
    help = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self._variable = name.encode()
        #: a text, as it stands in the environment, and what it means
        self._known: tuple[str | bytes | None, Any] | None = None

    def __get__(self, instance: object, owner: type) -> "Any":
        """What the variable means at present."""
        name, raw = self.name, _environment.get(self._variable)
        now = _overrides[name] if name in _overrides else raw
        known = self._known
        if known is None or known[0] != now:
            known = self._known = now, self.parse(self.text())
        return known[1]

    def forget(self) -> None:
        """The next read is a first one."""
        self._known = None

    def parse(self, text: str | None) -> object:
        """What a text means, None being an unset variable."""
        return self.default if text is None else text

    def text(self) -> str | None:
        """The raw text, echoed once under GALLIUM_PRINT_OPTIONS."""
        raw = _raw(self.name)
        if first_time((Option, self.name)):
            if parse_bool(_raw("GALLIUM_PRINT_OPTIONS"), False):
                sys.stderr.write(f"libGL: {self.name} = {'(unset)' if raw is None else raw}\n")
        return raw


class Bool(Option):
    """On or off."""

    kind = "bool"

    def __init__(self, default: bool, help: str) -> None:
        self.default: bool = default
        self.help = help

    def parse(self, text: str | None) -> bool:
        return parse_bool(text, self.default, self.name)

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: type) -> bool: ...


class Number(Option):
    """A C integer literal."""

    kind = "number"

    def __init__(self, default: int, help: str) -> None:
        self.default: int = default
        self.help = help

    def parse(self, text: str | None) -> int:
        return parse_number(text, self.default)

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: type) -> int: ...


class Choice(Option):
    """One of some words; anything else is told and means the default, "" if none is named."""

    kind = "choice"

    def __init__(self, words: str, help: str) -> None:
        self.words: tuple[str, ...] = tuple(words.split())
        self.default: str = ""
        self.help = help

    def parse(self, text: str | None) -> str:
        if not text or text in self.words:
            return text or self.default
        known, hint = ", ".join(self.words), _hint(text, self.words)
        _complain(f"{self.name}: unknown word {text}{hint}; it is one of {known}")
        return self.default

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: type) -> str: ...


class Size(Option):
    """Bytes, written as 64K, 512M, 1G."""

    kind = "size"

    def __init__(self, default: int, help: str) -> None:
        self.default: int = default
        self.help = help

    def parse(self, text: str | None) -> int:
        return parse_size(text, self.default, self.name)

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: type) -> int: ...


class Flags(Option):
    """A set of words: `"ir" in options.GALLIVM_DEBUG`."""

    kind = "flags"

    def __init__(self, flags: str, help: str) -> None:
        self.flags: dict[str, str] = {}
        for row in flags.strip().splitlines():
            word, _, meaning = row.strip().partition(" ")
            self.flags[word] = meaning.strip()
        self.default: frozenset[str] = frozenset()
        self.help = help

    def parse(self, text: str | None) -> frozenset[str]:
        return parse_flags(text, self.flags, self.name)

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: type) -> frozenset[str]: ...


class Text(Option):
    """Any text; unset is the default."""

    def __init__(self, default: str, help: str, secure: bool = False) -> None:
        self.default: str = default
        self.help = help
        self.secure = secure

    def __get__(self, instance: object, owner: type) -> str:
        value: str = super().__get__(instance, owner)
        if self.secure and value != self.default and setuid():
            return self.default
        return value


class Path(Text):
    """A file, a directory or a colon list; `secure` ones mean nothing in a setuid program."""

    kind = "path"


class Options:
    """The table. A row is an attribute; its kind is the class that parses it."""

    # libGL and the DRI loader
    LIBGL_DEBUG = Text(
        "", "quiet: no messages; verbose: all messages; anything else: warnings and worse"
    )
    LIBGL_DRIVERS_PATH = Path(
        "",
        "colon list of directories with drivers, NAME_dri.py or Mesa's NAME_dri.so; replaces the"
        " built-in one",
        secure=True,
    )
    LIBGL_DRIVERS_DIR = Path(
        "", "old name of LIBGL_DRIVERS_PATH, read only if that is unset", secure=True
    )
    LIBGL_ALWAYS_SOFTWARE = Bool(False, "software rendering, which is all there is; accepted")
    LIBGL_ALWAYS_INDIRECT = Bool(
        False, "indirect rendering: refused, there is no GLX wire protocol here"
    )
    LIBGL_SHOW_FPS = Number(0, "print the frame rate to stderr every so many seconds")
    LIBGL_DIAGNOSTIC = Text(
        "", "if set: print the table of FBConfigs and name unknown GLX attributes"
    )
    MESA_LOADER_DRIVER_OVERRIDE = Text(
        "", "name of the driver to load, before GALLIUM_DRIVER", secure=True
    )
    GALLIUM_DRIVER = Text(
        "", "name of the driver to load: llvmpipe (default), softpipe, vc4, null", secure=True
    )
    EGL_PLATFORM = Text("", "what eglGetDisplay opens: x11 (default), surfaceless")
    vblank_mode = Number(
        1,
        "swap interval: 0: always 0; 1: 0 until the program asks; 2: 1 at first; 3: at least 1;"
        " swaps wait only where the display names a refresh rate",
    )

    # Mesa core
    MESA_DEBUG = Flags(
        """
        silent          no GL error messages
        flush           flush after each draw
        context         every context is a debug context
        incomplete_tex  say why textures that are drawn with are incomplete
        """,
        "if set: print GL errors to stderr (unless silent)",
    )
    MESA_NO_ERROR = Bool(False, "contexts behave as with KHR_no_error")
    MESA_LOG_FILE = Path("", "write messages there instead of to stderr", secure=True)
    MESA_GL_VERSION_OVERRIDE = Text("", "GL version to report: MAJOR.MINOR, then FC or COMPAT")
    MESA_GLES_VERSION_OVERRIDE = Text("", "OpenGL ES version to report: MAJOR.MINOR")
    MESA_GLSL_VERSION_OVERRIDE = Number(0, "GLSL version to report and to take, such as 120")
    MESA_GLSL = Flags(
        """
        dump    print sources and logs of shaders
        log     write each shader and its log to a file
        errors  print the logs of what does not compile or link
        """,
        "what is told of GLSL shaders",
    )
    ST_DEBUG = Flags(
        """
        mesa  each ARB program as Mesa IR with its parameters, as it is translated
        tgsi  each shader as nir, and as TGSI where the driver asks for that
        nir   the same
        """,
        "what the state tracker prints",
    )
    MESA_SHADER_DUMP_PATH = Path("", "folder that sources of shaders are written to", secure=True)
    MESA_SHADER_READ_PATH = Path(
        "", "folder with shaders that are taken in the place of those of their names", secure=True
    )
    MESA_SHADER_CAPTURE_PATH = Path(
        "", "folder that programs are written to as .shader_test files", secure=True
    )
    MESA_EXTENSION_OVERRIDE = Text("", "extensions to add (NAME or +NAME) and to take away (-NAME)")
    MESA_EXTENSION_MAX_YEAR = Number(9999, "leave out extensions that are younger")
    MESA_SHADER_CACHE_DISABLE = Bool(False, "compile everything afresh, keep nothing on disk")
    MESA_SHADER_CACHE_DIR = Path("", "directory of the on-disk cache of compiled code", secure=True)
    XDG_CACHE_HOME = Path(
        "", "user's cache directory, read only if MESA_SHADER_CACHE_DIR is unset", secure=True
    )
    MESA_SHADER_CACHE_MAX_SIZE = Size(1 << 30, "bound of the cache: 64K, 512M, 1G (default unit G)")
    MESA_SHADER_CACHE_SHOW_STATS = Bool(False, "print cache hits and misses at exit")

    # Gallium, llvmpipe, nir
    LP_DEBUG = Flags(
        """
        pipe         calls of the pipe interface
        setup        triangle setup
        rast         rasterisation
        screen       the screen's capabilities
        scene        the scenes
        fs           fragment shader variants
        """,
        "print what the driver does",
    )
    LP_PERF = Flags(
        """
        no_blend      no blending
        no_depth      no depth test
        no_alphatest  no alpha test
        no_shade      constant colour instead of shading
        """,
        "switch work off to see what it costs",
    )
    LP_NUM_THREADS = Number(
        -1, "rasteriser threads; 0: in the calling thread; default: CPUs the process may use"
    )
    LP_NATIVE_VECTOR_WIDTH = Number(
        0, "bits of a vector: 128, 256 or 512; default: what the CPU has"
    )
    LP_NO_RAST = Bool(False, "skip rasterisation, to time what comes before it")
    VC4_DEBUG = Flags(
        """
        nir          each variant of a shader as nir
        qir          each variant as QIR, as it comes from nir and optimised
        qpu          the QPU words of each variant
        cl           each job as text, as pydri vc4 play reads it
        shaderdb     a row of counts of each variant
        norast       jobs are made and not played
        surf         where targets and levels of textures lie
        perf         work that takes long, or that the CPU does instead of the hardware
        always_flush  each draw is a job of its own
        dump         each job is a file vc4-dri-NUMBER.job
        plain        jobs are played by numpy, which defines what they draw, not by kernels
        """,
        "print what vc4 makes; leave work out",
    )
    GALLIVM_DEBUG = Flags(
        """
        ir       LLVM IR of each kernel
        asm      machine code of each kernel
        perf     slow ways taken
        symbols  perf map file of the kernels
        """,
        "print what the compiler makes",
    )
    NIR_DEBUG = Flags(
        """
        print     print the shader after every pass
        validate  check the shader after every pass
        novalidate  do not check
        """,
        "look into the nir passes",
    )
    NIR_VALIDATE = Bool(False, "check nir after every pass (always on in the tests)")
    GALLIUM_PRINT_OPTIONS = Bool(False, "print each variable when it is read first")

    # our own
    PYDRI_STATS = Text(
        "", "1: counters at exit; a file name: counters live there, readable after any end"
    )
    PYDRI_DEBUG = Flags(
        """
        api   every GL and GLX call
        st    pipelines made
        x11   presents, resizes
        glx   configs, contexts, drawables
        spans what the time of compiling is spent on, at the end
        """,
        "call trace and what each room does",
    )
    PYDRI_SHADER_IR = Text("nir", "what softpipe asks the state tracker for: nir or tgsi")
    PYDRI_PATIENCE = Number(
        2000, "milliseconds that a program waits for a compiler until its user is told; 0: never"
    )
    PYDRI_TIERS = Flags(
        """
        first  code is made in a hurry and stays so
        best   code is as good as it can be before it runs
        """,
        "which images of a pipeline's code there are (default: first one, then the other)",
    )
    PYDRI_CPU = Choice(
        "x86-64 x86-64-v2 x86-64-v3 x86-64-v4",
        "level of the processor that kernels are made for: its features and widest vectors; x86-64,"
        " x86-64-v2, -v3 or -v4; default: the machine's, or that of the kernels that are there",
    )
    PYDRI_NO_SHM = Bool(False, "present with XPutImage even where MIT-SHM works")
    PYDRI_HELP = Bool(False, "list these variables at start")

    def __call__(self, **values: object) -> "_Override":
        """`with options(LP_NUM_THREADS=2, MESA_DEBUG=None):` for tests; None means unset."""
        for name in values:
            if name not in TABLE:
                near = nearest(name, tuple(TABLE))
                raise AttributeError(
                    f"no option {name}" + (f"; did you mean {near}?" if near else "")
                )
        return _Override({n: None if v is None else _text_of(v) for n, v in values.items()})

    def is_set(self, name: str) -> bool:
        """Whether the variable is there at all (MESA_DEBUG, LIBGL_DIAGNOSTIC: presence counts)."""
        return _raw(TABLE[name].name) is not None

    def help_text(self) -> str:
        """The listing that PYDRI_HELP=1 and `pydri env` print."""
        lines = []
        for name, row in TABLE.items():
            value = _raw(name)
            now = "" if value is None else f"   [now: {value}]"
            lines.append(f"{name:<30} {row.kind:<7} {row.help}{now}")
            if isinstance(row, Flags):
                lines += [f"{'':<38}   {flag:<15} {meaning}" for flag, meaning in row.flags.items()]
        return "\n".join(lines) + "\n"


def _text_of(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


class _Override:
    """The context manager behind `with options(...)`."""

    def __init__(self, values: dict[str, str | None]) -> None:
        self.values = values
        self.before: dict[str, str | None] = {}
        self.had: set[str] = set()

    def __enter__(self) -> "Options":
        for name, value in self.values.items():
            if name in _overrides:
                self.had.add(name)
                self.before[name] = _overrides[name]
            _overrides[name] = value
        return options

    def __exit__(self, *exc: object) -> None:
        for name in self.values:
            if name in self.had:
                _overrides[name] = self.before[name]
            else:
                del _overrides[name]


TABLE: dict[str, Option] = {n: r for n, r in vars(Options).items() if isinstance(r, Option)}
options = Options()


def reset_once() -> None:
    """Forget what was said once, and what texts mean, of which something is said (tests)."""
    _said.clear()
    for row in TABLE.values():
        row.forget()
