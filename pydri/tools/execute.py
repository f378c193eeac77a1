# SPDX-License-Identifier: MIT
"""`pydri exec SCRIPT ARGS...`: a Python program on this driver, untouched.

In: a script (or with -m a module) and its arguments. Out: the program, run in this interpreter as
`__main__`, after `pydri.load()`. What it starts itself, as multiprocessing's `spawn` does, is to
draw here, too, so its environment is that of `pydri run`. An X server is not started.
"""

import io
import os
import sys

from pydri.tools import launch
from pydri.tools.load import load

_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _look_first_in(folder: str) -> None:
    """Put a program's folder in the place of ours: Python has put there where it found `pydri`."""
    if not sys.flags.safe_path and sys.path and sys.path[0] != _PACKAGES:
        del sys.path[0]
    sys.path.insert(0, folder)


def _run_script(path: str) -> None:
    """As `python SCRIPT` does; a folder or an archive with a `__main__` is runpy's matter."""
    source = b""
    if is_file := not os.path.isdir(path):
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    if not is_file or source.startswith(b"PK\3\4"):
        import runpy

        runpy.run_path(path, run_name="__main__")
        return
    _look_first_in(os.path.dirname(os.path.realpath(path)))
    # It stays what it is when the script's last line is done: its threads and exit functions go on.
    module = type(sys)("__main__")
    module.__file__ = path
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    exec(compile(source, path, "exec"), module.__dict__)


def execute(program: list[str], is_module: bool) -> int:
    """Run it; 0, or 1 or 2 if it could not be begun. What it raises goes on its way."""
    name = program[0]
    if not is_module and not os.path.exists(name):
        print(f"pydri: {name}: no such file", file=sys.stderr)
        return 2
    try:
        libdir = load()
    except RuntimeError as problem:
        print(f"pydri: {problem}", file=sys.stderr)
        return 1
    os.environ.update(launch.environment(libdir))
    sys.argv[:] = program
    if is_module:
        import runpy

        _look_first_in(os.getcwd())
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    else:
        _run_script(name)
    return 0
