# SPDX-License-Identifier: MIT
"""The console command: `pydri run PROGRAM ARGS`, `pydri path`, `pydri env`.

In: an installed package (or a checkout). Out: the program, run on this driver; the folder of the
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


def main(arguments: list[str] | None = None) -> int:
    """Entry point of the console script."""
    parser = argparse.ArgumentParser(prog="pydri", description="an OpenGL driver written in Python")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run a program on this driver")
    run.add_argument("--driver", help="llvmpipe (default), null, or one of your own")
    run.add_argument("program", nargs=argparse.REMAINDER, help="the program and its arguments")
    commands.add_parser("path", help="print the folder for LD_LIBRARY_PATH")
    commands.add_parser("env", help="list the environment variables")
    args = parser.parse_args(arguments)
    if args.command == "env":
        from pydri.util.options import options

        sys.stdout.write(options.help_text())
        return 0
    libdir = libraries()
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
