# SPDX-License-Identifier: MIT
"""Runs a program on this driver: the body of `pydri run` and of scripts/run.

In: a program with its arguments, and what to do beside running it: an X screen where there is none,
a picture of its window, an end after some seconds, the driver's counters. Out: the program's exit
status, as a shell tells it. With nothing to do beside it the program takes this process's place,
and what watches one (watch.py) is not imported.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_OTHER_LIBRARIES = ("LD_PRELOAD", "__GLX_VENDOR_LIBRARY_NAME", "LIBGL_DRIVERS_PATH")


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """The options and the program."""
    import argparse

    add = parser.add_argument
    add("--screenshot", metavar="FILE",
        help="write a PNG of the biggest window, then end: after --seconds, or when it has drawn")
    add("--seconds", type=float, metavar="N", help="end the program after N seconds")
    add("--stats", action="store_true", help="print the driver's counters at the end")
    add("--driver", metavar="NAME", help="llvmpipe (default), null, or one of your own")
    add("--mesa", action="store_true", help="on the system's Mesa instead, for comparison")
    add("--size", metavar="WxH", help="start an X screen of that size (default 1280x1024)")
    add("program", nargs=argparse.REMAINDER, help="the program and its arguments")


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


def mesa_environment(driver: str | None) -> dict[str, str]:
    """The system's libGL, in software; other switches are the user's, and stay."""
    kept = {k: v for k, v in os.environ.items() if k not in _OTHER_LIBRARIES}
    return {**kept, "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": driver or "llvmpipe"}


def run(args: "argparse.Namespace", prepare: "Callable[[], str]") -> int:
    """Run `args.program` on the libraries of the folder that `prepare` gives, or on Mesa's."""
    if args.mesa:
        args.stats = False
        return launch(args, mesa_environment(args.driver))
    return launch(args, environment(prepare(), args.driver))


def launch(args: "argparse.Namespace", env: dict[str, str]) -> int:
    """Run `args.program` in an environment; 127 if there is no such program."""
    name = args.program[0]
    try:
        if env.get("DISPLAY") and not any((args.screenshot, args.seconds, args.stats, args.size)):
            sys.stdout.flush()
            os.execvpe(name, args.program, env)
        from pydri.tools.watch import watch

        return watch(args, env)
    except OSError as problem:
        print(f"pydri: {name}: {problem.strerror}", file=sys.stderr)
        return 127
