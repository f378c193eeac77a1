# SPDX-License-Identifier: MIT
"""The body of scripts/run: `pydri run` on what this checkout builds, or on the system's Mesa."""

import argparse
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from libgl_shim import installed  # noqa: E402
from pydri.tools import launch  # noqa: E402


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        prog="scripts/run", description="run a program on this OpenGL driver"
    )
    add = parser.add_argument
    add("--libdir", action="store_true", help="print the folder of libGL.so.1 and end")
    launch.add_arguments(parser)
    args = parser.parse_args()
    if not args.libdir and not args.program:
        parser.error("which program? For instance: scripts/run glxgears")
    if args.libdir:
        print(installed.prepare())
        return 0
    return launch.run(args, installed.prepare)


if __name__ == "__main__":
    sys.exit(main())
