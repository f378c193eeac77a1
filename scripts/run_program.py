# SPDX-License-Identifier: MIT
"""The body of scripts/run: builds, finds or starts an X server, runs the program, looks at it."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from libgl_shim import build  # noqa: E402
from pydri.cli import environment  # noqa: E402
from scripts import host  # noqa: E402


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/run", description="run a program on this OpenGL driver"
    )
    add = parser.add_argument
    add("--mesa", action="store_true", help="on the system's Mesa instead, for comparison")
    add("--screenshot", metavar="FILE", help="write a PNG of the biggest window, then end")
    add("--seconds", type=float, metavar="N", help="end the program after N seconds")
    add("--stats", action="store_true", help="print the driver's counters at the end")
    add("--driver", metavar="NAME", help="llvmpipe (default), null, or one of your own")
    add("--size", metavar="WxH", help="start an X screen of that size (default 1280x1024)")
    add("--libdir", action="store_true", help="print the folder of libGL.so.1 and end")
    add("program", nargs=argparse.REMAINDER, help="the program and its arguments")
    args = parser.parse_args()
    if not args.libdir and not args.program:
        parser.error("which program? For instance: scripts/run glxgears")
    if args.screenshot and args.seconds is None:
        args.seconds = 3.0
    return args


_OTHER_LIBRARIES = ("LD_PRELOAD", "__GLX_VENDOR_LIBRARY_NAME", "LIBGL_DRIVERS_PATH")


def mesa_environment(driver: str | None) -> dict[str, str]:
    """The system's libGL, in software; other switches are the user's, and stay."""
    kept = {k: v for k, v in os.environ.items() if k not in _OTHER_LIBRARIES}
    return {**kept, "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": driver or "llvmpipe"}


def wait(process: subprocess.Popen[bytes], args: argparse.Namespace, display: str) -> int:
    """Until the program ends or its time is over; its exit status, 0 if it was us who ended it."""
    try:
        try:
            return process.wait(args.seconds)
        except subprocess.TimeoutExpired:
            pass
        if args.screenshot:
            from scripts.screenshot import screenshot

            screenshot(args.screenshot, display)
        host.end(process)
        return 0
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        return process.wait()


def main() -> int:
    """Run it."""
    args = arguments()
    libdir = "" if args.mesa and not args.libdir else build.build(say=sys.stderr.isatty())
    if args.libdir:
        print(libdir)
        return 0
    env = mesa_environment(args.driver) if args.mesa else environment(libdir, args.driver)
    with ExitStack() as stack:
        if args.size or not env.get("DISPLAY"):
            server = stack.enter_context(host.XServer(args.size or "1280x1024"))
            env["DISPLAY"] = server.name
        counters = ""
        if args.stats and not args.mesa:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pydri-stats-"))
            counters = env["PYDRI_STATS"] = os.path.join(folder, "counters")
        try:
            process = subprocess.Popen(args.program, env=env)
        except OSError as problem:
            print(f"scripts/run: {args.program[0]}: {problem.strerror}", file=sys.stderr)
            return 127
        status = wait(process, args, env["DISPLAY"])
        if args.screenshot and not os.path.exists(args.screenshot):
            print("scripts/run: the program ended before the screenshot", file=sys.stderr)
            status = status or 1
        if counters:
            from pydri.util import stats

            if os.path.exists(counters):
                print(stats.format_stats(stats.read_file(counters)))
            else:
                print("scripts/run: the program never started the driver", file=sys.stderr)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
