# SPDX-License-Identifier: MIT
"""A private X server for tests and tools.

In: a screen size and the extensions to leave out.  Out: a running Xvfb whose number the server has
chosen itself (`-displayfd`), so that any number of them start side by side without a race.
"""

import os
import select
import shutil
import subprocess
from types import TracebackType


class Xvfb:
    """`with Xvfb(without=("GLX",)) as server: ... server.name`."""

    def __init__(
        self,
        size: tuple[int, int] = (640, 480),
        depth: int = 24,
        without: tuple[str, ...] = (),
        arguments: tuple[str, ...] = (),
    ) -> None:
        self._command = ["Xvfb", "-screen", "0", f"{size[0]}x{size[1]}x{depth}", "-nolisten", "tcp"]
        # When its last client goes a server begins anew, and refuses the next one meanwhile.
        self._command.append("-noreset")
        for extension in without:
            self._command += ["-extension", extension]
        self._command += arguments
        self._process: subprocess.Popen[bytes] | None = None
        self.name = ""

    def start(self, seconds: float = 20.0) -> str:
        """Start the server and return its display's name; RuntimeError if it does not come up."""
        if shutil.which("Xvfb") is None:
            raise RuntimeError("Xvfb is not installed (Debian/Ubuntu: apt-get install xvfb)")
        reader, writer = os.pipe()
        try:
            self._process = subprocess.Popen(
                [*self._command, "-displayfd", str(writer)],
                pass_fds=(writer,),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        finally:
            os.close(writer)
        number = b""
        try:
            while not number.endswith(b"\n"):
                ready, _, _ = select.select([reader], [], [], seconds)
                piece = os.read(reader, 16) if ready else b""
                if not piece:
                    self.stop()
                    raise RuntimeError(f"{' '.join(self._command)} did not start")
                number += piece
        finally:
            os.close(reader)
        self.name = f":{int(number)}"
        return self.name

    def stop(self) -> None:
        """End the server and wait for it."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def __enter__(self) -> "Xvfb":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
