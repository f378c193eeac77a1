# SPDX-License-Identifier: MIT
"""The console command: `pydri run|exec|doctor|info|path|env|shader|vc4`.

In: an installed package (or a checkout). Out: the program, run on this driver; a Python program,
run in this interpreter; what is missing for one, with the command that mends that (exit code 1);
versions, limits and paths; the folder of the libraries, for tools that set LD_LIBRARY_PATH
themselves; the table of environment variables; a shader in all its forms; the picture that jobs for
VideoCore IV draw, by its simulator.
`path`, `run`, `exec` and `info` bring libraries, sidecar and kernels up to date first: a wheel
cannot know where it will live. On another system than Linux on x86-64 there is one sentence.
"""

import os
import sys

from libgl_shim import installed, machine
from pydri.tools import launch

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    _Adds = Callable[[argparse.ArgumentParser], None]
    _Runs = Callable[[argparse.Namespace], int]


def _doctor(args: "argparse.Namespace") -> int:
    """What is wrong is told, not met: the libraries are looked at as they are."""
    from pydri.tools import doctor

    found = doctor.diagnose(args.program, os.environ, installed.current_folder())
    sys.stdout.write(doctor.as_json(found) if args.json else doctor.report(found))
    return int(any(finding.level == doctor.PROBLEM for finding in found))


def _add_doctor(parser: "argparse.ArgumentParser") -> None:
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("program", nargs="?", help="explain how this one would find GL")


def _info(args: "argparse.Namespace") -> int:
    from pydri.tools import info

    sections = info.collect(installed.prepare())
    if args.json:
        import json

        sys.stdout.write(json.dumps(sections, indent=1) + "\n")
    else:
        sys.stdout.write(info.report(sections))
    return int("error" in sections["gl"])


def _add_info(parser: "argparse.ArgumentParser") -> None:
    parser.add_argument("--json", action="store_true", help="for programs")


def _path(_: "argparse.Namespace") -> int:
    print(installed.prepare())
    return 0


def _env(_: "argparse.Namespace") -> int:
    from pydri.util.options import options

    sys.stdout.write(options.help_text())
    return 0


def _add_nothing(parser: "argparse.ArgumentParser") -> None:
    """A command without options."""


def _run(args: "argparse.Namespace") -> int:
    return launch.run(args, installed.prepare)


def _shader(args: "argparse.Namespace") -> int:
    from pydri.tools import shader

    try:
        given = None if args.run is None else shader.parse_inputs(args.run)
        sys.stdout.write(shader.show(args.file, args.forms, args.stage or "", given))
    except (OSError, UnicodeDecodeError, shader.ShaderError) as error:
        sys.stderr.write(f"pydri shader: {error}\n")
        return 1
    return 0


def _add_shader(parser: "argparse.ArgumentParser") -> None:
    from pydri.nir.stages import OFFERED
    from pydri.tools.shader import FORMS

    parser.add_argument("file", help="GLSL, .shader_test, ARB program, TGSI or nir as text")
    parser.add_argument("--as", dest="forms", action="append", choices=FORMS, default=[],
                        help="the form (may be given again); all short ones without it")
    parser.add_argument("--stage", choices=[row.name for row in OFFERED], help="this one alone")
    parser.add_argument("--run", nargs="*", metavar="NAME=NUMBERS",
                        help="what it computes: VAR0=1,2 POS=... ubo1=... frag_coord=...")


def _exec(args: "argparse.Namespace") -> int:
    from pydri.tools.execute import execute

    return execute(args.program, args.module)


def _add_exec(parser: "argparse.ArgumentParser") -> None:
    import argparse

    parser.add_argument("-m", dest="module", action="store_true", help="a module, by its name")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="a script and its arguments")


def _vc4(args: "argparse.Namespace") -> int:
    from pathlib import Path

    from pipe_vc4.simulator.play import play

    return play([Path(job) for job in args.jobs], Path(args.picture))


def _add_vc4(parser: "argparse.ArgumentParser") -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    play = actions.add_parser("play", help="play jobs, one after the other, into a picture")
    play.add_argument("jobs", nargs="+", metavar="JOB", help="jobs as text")
    play.add_argument("-o", dest="picture", required=True, metavar="PICTURE",
                      help="the last job's picture: raw RGBA, bottom row first")


#: name, what it does, what adds its options, what runs it
COMMANDS: "tuple[tuple[str, str, _Adds, _Runs], ...]" = (
    ("run", "run a program on this driver", launch.add_arguments, _run),
    ("exec", "run a Python program in this interpreter", _add_exec, _exec),
    ("path", "print the folder for LD_LIBRARY_PATH", _add_nothing, _path),
    ("env", "list the environment variables", _add_nothing, _env),
    ("doctor", "say what is missing, and how to mend it", _add_doctor, _doctor),
    ("info", "versions, limits, extensions, paths", _add_info, _info),
    ("shader", "print a shader in all its forms", _add_shader, _shader),
    ("vc4", "tools of the VideoCore IV driver", _add_vc4, _vc4),
)


def main(arguments: list[str] | None = None) -> int:
    """Entry point of the console script."""
    machine.check()
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["exec"] and words[1:] and words[1][:1] != "-":
        from pydri.tools.execute import execute

        return execute(words[1:], is_module=False)  # no option, for which a parser is imported
    import argparse

    parser = argparse.ArgumentParser(prog="pydri", description="an OpenGL driver written in Python")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, help_text, add, function in COMMANDS:
        command = commands.add_parser(name, help=help_text)
        command.set_defaults(function=function)
        if words[:1] == [name]:  # options of others, for which some import much, are not asked for
            add(command)
    args = parser.parse_args(words)
    if args.command in ("run", "exec") and not args.program:
        parser.error(f"{args.command} what?")
    status: int = args.function(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
