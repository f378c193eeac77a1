# SPDX-License-Identifier: MIT
"""The body of scripts/run: `pydri run` on what this checkout builds, or on the system's Mesa."""

import argparse
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from libgl_shim import build  # noqa: E402
from pydri.tools import launch  # noqa: E402


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        prog="scripts/run", description="run a program on this OpenGL driver"
    )
    add = parser.add_argument
    add("--mesa", action="store_true", help="on the system's Mesa instead, for comparison")
    add("--libdir", action="store_true", help="print the folder of libGL.so.1 and end")
    launch.add_arguments(parser)
    args = parser.parse_args()
    if not args.libdir and not args.program:
        parser.error("which program? For instance: scripts/run glxgears")
    libdir = "" if args.mesa and not args.libdir else build.build(say=sys.stderr.isatty())
    if args.libdir:
        print(libdir)
        return 0
    if args.mesa:
        args.stats = False
        return launch.launch(args, launch.mesa_environment(args.driver))
    return launch.launch(args, launch.environment(libdir, args.driver))


if __name__ == "__main__":
    sys.exit(main())
