# SPDX-License-Identifier: MIT
"""Watches a program that runs on this driver: the other half of launch.py.

In: a program's arguments, its environment, and what to do beside running it. Out: its exit status;
an X screen while it runs, a picture of its window, an end after some seconds, the driver's counters
when it is done.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress

_DRAWN_AFTER = 60.0  # seconds


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


def watch(args: argparse.Namespace, env: dict[str, str]) -> int:
    """Run `args.program` in an environment, which gets a display; OSError if it cannot be begun."""
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
