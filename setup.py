# SPDX-License-Identifier: MIT
"""Hook of the build: a wheel carries the compiled libraries in pydri/lib, without a sidecar (which
names paths of the machine where the driver will run; `pydri path` and `pydri run` write it
there)."""

import os
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from libgl_shim import machine

machine.check()


class BuildWithLibraries(build_py):
    """build_py, then libGL.so.1 and its company."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            from libgl_shim import build

            build.build(os.path.join(self.build_lib, "pydri", "lib"), sidecar=False)


class BinaryDistribution(Distribution):
    """There is machine code in the wheel, although setuptools compiles no extension module."""

    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"build_py": BuildWithLibraries}, distclass=BinaryDistribution)
