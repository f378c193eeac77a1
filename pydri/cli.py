# SPDX-License-Identifier: MIT
"""The console command: `pydri run|doctor|info|path|env`.

In: an installed package (or a checkout). Out: the program, run on this driver; what is missing for
it, with the command that mends that (exit code 1); versions, limits and paths; the folder of the
libraries, for tools that set LD_LIBRARY_PATH themselves; the table of environment variables. `path`
and `run` bring libraries and sidecar up to date first: a wheel cannot know where it will live.
"""

import argparse
import os
import sys

from libgl_shim import build


def environment(libdir: str, driver: str | None = None) -> dict[str, str]:
    """The caller's environment with our libraries in front."""
    env = dict(os.environ)
    old = env.get("LD_LIBRARY_PATH")
    env["LD_LIBRARY_PATH"] = f"{libdir}:{old}" if old else libdir
    preload = env.get("LD_PRELOAD")
    ours = f"{libdir}/libGL.so.1"
    env["LD_PRELOAD"] = f"{ours}:{preload}" if preload else ours
    if driver:
        env["GALLIUM_DRIVER"] = driver
        env.pop("MESA_LOADER_DRIVER_OVERRIDE", None)
    return env


def libraries() -> str:
    """The folder of libGL.so.1, up to date."""
    out = build.default_out()
    if os.path.exists(os.path.join(out, "libGL.so.1")) and not build.is_checkout():
        build.write_sidecar(out)
        return out
    return build.build(out, say=False)


def _doctor(program: str | None, json: bool) -> int:
    """What is wrong is told, not met: the libraries are looked at as they are."""
    from pydri.tools import doctor

    found = doctor.diagnose(program, os.environ, build.default_out())
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
    run.add_argument("--driver", help="llvmpipe (default), null, or one of your own")
    run.add_argument("program", nargs=argparse.REMAINDER, help="the program and its arguments")
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
    libdir = libraries()
    if args.command == "info":
        return _info(libdir, args.json)
    if args.command == "path":
        print(libdir)
        return 0
    if not args.program:
        parser.error("run what?")
    try:
        os.execvpe(args.program[0], args.program, environment(libdir, args.driver))
    except OSError as problem:
        print(f"pydri: {args.program[0]}: {problem.strerror}", file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main())
