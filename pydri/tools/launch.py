# SPDX-License-Identifier: MIT
"""Runs a program on this driver: the body of `pydri run` and of scripts/run.

In: a program with its arguments, and what to do beside running it: an X screen where there is none,
a picture of its window, an end after some seconds, the driver's counters. Out: the program's exit
status, as a shell tells it. With nothing to do beside it the program takes this process's place.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress

_DRAWN_AFTER = 60.0  # seconds
_OTHER_LIBRARIES = ("LD_PRELOAD", "__GLX_VENDOR_LIBRARY_NAME", "LIBGL_DRIVERS_PATH")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options and the program."""
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


def _wait(process: subprocess.Popen[bytes], args: argparse.Namespace, display: str) -> int:
    """Until the program ends or its time is over; its exit status, 0 if it was us who ended it."""
    from pydri.tools.xserver import end

    try:
        try:
            if args.screenshot and args.seconds is None:
                return _until_drawn(process, display)
            return process.wait(args.seconds)
        except subprocess.TimeoutExpired:
            pass
        if args.screenshot:
            from pydri.tools.screenshot import screenshot

            screenshot(args.screenshot, display)
        end(process)
        return 0
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        return process.wait()


def _until_drawn(process: subprocess.Popen[bytes], display: str) -> int:
    """The exit status of a program that ends; TimeoutExpired when it has drawn something (the first
    run of all compiles for a while), or has not for a minute."""
    from pydri.tools.screenshot import something_is_drawn

    latest = time.monotonic() + _DRAWN_AFTER
    while True:
        try:
            return process.wait(0.5)
        except subprocess.TimeoutExpired:
            if time.monotonic() > latest or something_is_drawn(display):
                raise


def run(args: argparse.Namespace, prepare: Callable[[], str]) -> int:
    """Run `args.program` on the libraries of the folder that `prepare` gives, or on Mesa's."""
    if args.mesa:
        args.stats = False
        return launch(args, mesa_environment(args.driver))
    return launch(args, environment(prepare(), args.driver))


def launch(args: argparse.Namespace, env: dict[str, str]) -> int:
    """Run `args.program` in an environment; 127 if there is no such program."""
    name = args.program[0]
    try:
        if env.get("DISPLAY") and not any((args.screenshot, args.seconds, args.stats, args.size)):
            sys.stdout.flush()
            os.execvpe(name, args.program, env)
        return _watch(args, env)
    except OSError as problem:
        print(f"pydri: {name}: {problem.strerror}", file=sys.stderr)
        return 127


def _watch(args: argparse.Namespace, env: dict[str, str]) -> int:
    with ExitStack() as stack:
        if args.size or not env.get("DISPLAY"):
            from pydri.tools.xserver import XServer

            env["DISPLAY"] = stack.enter_context(XServer(args.size or "1280x1024")).name
        if args.screenshot:
            with suppress(FileNotFoundError):
                os.unlink(args.screenshot)  # of an earlier run
        counters = ""
        if args.stats:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pydri-stats-"))
            counters = env["PYDRI_STATS"] = os.path.join(folder, "counters")
        status = _wait(subprocess.Popen(args.program, env=env), args, env["DISPLAY"])
        if args.screenshot and not os.path.exists(args.screenshot):
            print("pydri: the program ended before the screenshot", file=sys.stderr)
            status = status or 1
        if counters:
            from pydri.util import stats

            if os.path.exists(counters):
                print(stats.format_stats(stats.read_file(counters)))
            else:
                print("pydri: the program never started the driver", file=sys.stderr)
    return status if status >= 0 else 128 - status
