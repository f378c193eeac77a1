# SPDX-License-Identifier: MIT
"""The console command: `pydri run|doctor|info|path|env`.

In: an installed package (or a checkout). Out: the program, run on this driver; what is missing for
it, with the command that mends that (exit code 1); versions, limits and paths; the folder of the
libraries, for tools that set LD_LIBRARY_PATH themselves; the table of environment variables.
`path`, `run` and `info` bring libraries, sidecar and kernels up to date first: a wheel cannot know
where it will live, nor on which CPU.
"""

import argparse
import os
import sys

from libgl_shim import build
from pydri.tools import launch


def _doctor(program: str | None, json: bool) -> int:
    """What is wrong is told, not met: the libraries are looked at as they are."""
    from pydri.tools import doctor

    found = doctor.diagnose(program, os.environ, build.installed_folder())
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


def main(arguments: list[str] | None = None) -> int:
    """Entry point of the console script."""
    parser = argparse.ArgumentParser(prog="pydri", description="an OpenGL driver written in Python")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run a program on this driver")
    launch.add_arguments(run)
    commands.add_parser("path", help="print the folder for LD_LIBRARY_PATH")
    commands.add_parser("env", help="list the environment variables")
    doctor = commands.add_parser("doctor", help="say what is missing, and how to mend it")
    doctor.add_argument("--json", action="store_true", help="for programs")
    doctor.add_argument("program", nargs="?", help="explain how this one would find GL")
    info = commands.add_parser("info", help="versions, limits, extensions, paths")
    info.add_argument("--json", action="store_true", help="for programs")
    args = parser.parse_args(arguments)
    if args.command == "env":
        from pydri.util.options import options

        sys.stdout.write(options.help_text())
        return 0
    if args.command == "doctor":
        return _doctor(args.program, args.json)
    if args.command == "run" and not args.program:
        parser.error("run what?")
    libdir = build.prepare()
    if args.command == "info":
        return _info(libdir, args.json)
    if args.command == "path":
        print(libdir)
        return 0
    return launch.launch(args, launch.environment(libdir, args.driver))


if __name__ == "__main__":
    sys.exit(main())
