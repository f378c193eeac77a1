# SPDX-License-Identifier: MIT
"""Messages in libGL's own words, so that the advice on the web ("run with LIBGL_DEBUG=verbose")
works here.

`error` and `warning` print `libGL error: ...`, `info` and `debug` print `libGL: ...`. LIBGL_DEBUG
is tested for substrings as Mesa does: `quiet` leaves only what is fatal, `verbose` shows
everything, else warnings and worse. GL errors of the program go out under MESA_DEBUG as `Mesa: User
error: GL_INVALID_ENUM in glEnable(cap=0x1)`. MESA_LOG_FILE takes everything away from stderr. The
`logging` module costs 11 ms at import: not used.
"""

import sys

from pydri.util.options import first_time, options


def _emit(line: str) -> None:
    path = options.MESA_LOG_FILE
    if path:
        try:
            with open(path, "a", encoding="utf-8") as out:
                out.write(line + "\n")
            return
        except OSError:
            pass  # an unwritable log file must not lose the message
    stream = sys.stderr or sys.__stderr__
    if stream is None:
        return  # the host closed its stderr
    try:
        stream.write(line + "\n")
        stream.flush()
    except (OSError, ValueError):
        pass


def quiet() -> bool:
    """LIBGL_DEBUG=quiet: only fatal messages."""
    return "quiet" in options.LIBGL_DEBUG


def verbose() -> bool:
    """LIBGL_DEBUG=verbose: everything."""
    level = options.LIBGL_DEBUG
    return "verbose" in level and "quiet" not in level


def fatal(text: str) -> None:
    """Nothing can be drawn: said even under LIBGL_DEBUG=quiet."""
    _emit(f"libGL error: {text}")


def error(text: str, once: bool = False) -> None:
    """Something that was asked for does not work."""
    if not quiet() and (not once or first_time(text)):
        _emit(f"libGL error: {text}")


def warning(text: str, once: bool = False) -> None:
    """Works, but not as asked. Mesa gives warnings the prefix of errors."""
    error(text, once)


def notice(text: str, once: bool = False) -> None:
    """Nothing is wrong with us, but the user should know."""
    if not quiet() and (not once or first_time(text)):
        _emit(f"libGL: {text}")


def info(text: str, once: bool = False) -> None:
    """For who asked: LIBGL_DEBUG=verbose."""
    if verbose() and (not once or first_time(text)):
        _emit(f"libGL: {text}")


debug = info


def note(text: str) -> None:
    """Output that a switch of its own asked for (PYDRI_DEBUG, LP_DEBUG, LIBGL_SHOW_FPS): never
    filtered.
    """
    _emit(text)


def gl_error(text: str) -> None:
    """A mistake of the program, named under MESA_DEBUG (unless `silent`) or LIBGL_DEBUG=verbose."""
    if options.is_set("MESA_DEBUG"):
        if "silent" not in options.MESA_DEBUG:
            _emit(f"Mesa: User error: {text}")
    elif verbose():
        _emit(f"libGL: user error: {text}")
