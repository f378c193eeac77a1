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

import argparse
import os
import pathlib
import sys

from libgl_shim import installed, machine
from pydri.tools import launch


def _doctor(program: str | None, json: bool) -> int:
    """What is wrong is told, not met: the libraries are looked at as they are."""
    from pydri.tools import doctor

    found = doctor.diagnose(program, os.environ, installed.current_folder())
    sys.stdout.write(doctor.as_json(found) if json else doctor.report(found))
    return int(any(finding.level == doctor.PROBLEM for finding in found))


def _info(libdir: str, as_json: bool) -> int:
    from pydri.tools import info

    sections = info.collect(libdir)
    if as_json:
        import json

        sys.stdout.write(json.dumps(sections, indent=1) + "\n")
    else:
        sys.stdout.write(info.report(sections))
    return int("error" in sections["gl"])


def _shader(args: argparse.Namespace) -> int:
    from pydri.tools import shader

    try:
        given = None if args.run is None else shader.parse_inputs(args.run)
        sys.stdout.write(shader.show(args.file, args.forms, args.stage or "", given))
    except (OSError, UnicodeDecodeError, shader.ShaderError) as error:
        sys.stderr.write(f"pydri shader: {error}\n")
        return 1
    return 0


def _add_shader(parser: argparse.ArgumentParser) -> None:
    from pydri.nir.stages import OFFERED
    from pydri.tools.shader import FORMS

    parser.add_argument("file", help="GLSL, .shader_test, ARB program, TGSI or nir as text")
    parser.add_argument("--as", dest="forms", action="append", choices=FORMS, default=[],
                        help="the form (may be given again); all short ones without it")
    parser.add_argument("--stage", choices=[row.name for row in OFFERED], help="this one alone")
    parser.add_argument("--run", nargs="*", metavar="NAME=NUMBERS",
                        help="what it computes: VAR0=1,2 POS=... ubo1=... frag_coord=...")


def _exec(args: argparse.Namespace) -> int:
    from pydri.tools.execute import execute

    return execute(args.program, args.module)


def _add_exec(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", dest="module", action="store_true", help="a module, by its name")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="a script and its arguments")


def _vc4(args: argparse.Namespace) -> int:
    from pipe_vc4.simulator.play import play

    return play(args.jobs, args.picture)


def _add_vc4(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    play = actions.add_parser("play", help="play jobs, one after the other, into a picture")
    play.add_argument("jobs", nargs="+", type=pathlib.Path, metavar="JOB", help="jobs as text")
    play.add_argument("-o", dest="picture", required=True, type=pathlib.Path, metavar="PICTURE",
                      help="the last job's picture: raw RGBA, bottom row first")


def main(arguments: list[str] | None = None) -> int:
    """Entry point of the console script."""
    machine.check()
    parser = argparse.ArgumentParser(prog="pydri", description="an OpenGL driver written in Python")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run a program on this driver")
    launch.add_arguments(run)
    _add_exec(commands.add_parser("exec", help="run a Python program in this interpreter"))
    commands.add_parser("path", help="print the folder for LD_LIBRARY_PATH")
    commands.add_parser("env", help="list the environment variables")
    doctor = commands.add_parser("doctor", help="say what is missing, and how to mend it")
    doctor.add_argument("--json", action="store_true", help="for programs")
    doctor.add_argument("program", nargs="?", help="explain how this one would find GL")
    info = commands.add_parser("info", help="versions, limits, extensions, paths")
    info.add_argument("--json", action="store_true", help="for programs")
    _add_shader(commands.add_parser("shader", help="print a shader in all its forms"))
    _add_vc4(commands.add_parser("vc4", help="tools of the VideoCore IV driver"))
    args = parser.parse_args(arguments)
    if args.command == "vc4":
        return _vc4(args)
    if args.command == "shader":
        return _shader(args)
    if args.command == "env":
        from pydri.util.options import options

        sys.stdout.write(options.help_text())
        return 0
    if args.command == "doctor":
        return _doctor(args.program, args.json)
    if args.command in ("run", "exec") and not args.program:
        parser.error(f"{args.command} what?")
    if args.command == "exec":
        return _exec(args)
    if args.command == "run":
        return launch.run(args, installed.prepare)
    libdir = installed.prepare()
    if args.command == "info":
        return _info(libdir, args.json)
    print(libdir)
    return 0


if __name__ == "__main__":
    sys.exit(main())
