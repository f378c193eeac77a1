# SPDX-License-Identifier: MIT
"""An X server of one's own, for programs where there is none, and for tests.

In: a size. Out: a running Xvfb and its display's name. The server picks a free number itself
(-displayfd), so any number of them start side by side. (The library xvfbwrapper looks for lock
files instead, which is a race.)
"""

import os
import select
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any


class Missing(SystemExit):
    """This machine lacks something; at the top of a script it ends the program with its text."""


def end(process: "subprocess.Popen[Any]") -> None:
    """The ordinary end of a program that runs until it is told."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class XServer:
    """An Xvfb of one's own: `with XServer("1280x1024") as server: ... server.name`.

    `without` names extensions to leave out; `screens` is their number, all of one size.
    """

    def __init__(
        self,
        size: str = "1280x1024",
        depth: int = 24,
        without: Iterable[str] = (),
        screens: int = 1,
        options: Iterable[str] = (),
    ) -> None:
        self.command = ["Xvfb", "-nolisten", "tcp", *options]
        # When its last client leaves a server begins anew, and refuses the next one meanwhile.
        self.command.append("-noreset")
        for screen in range(screens):
            self.command += ["-screen", str(screen), f"{size}x{depth}"]
        for extension in without:
            self.command += ["-extension", extension]
        self.process: subprocess.Popen[bytes] | None = None
        self.name = ""

    def start(self, seconds: float = 60.0) -> str:
        """Start it; its display's name. Raises Missing if it does not come up in that time."""
        if shutil.which("Xvfb") is None:
            raise Missing("pydri: Xvfb is missing (Debian: apt-get install xvfb)")
        reader, writer = os.pipe()
        try:
            self.process = subprocess.Popen(
                [*self.command, "-displayfd", str(writer)], pass_fds=(writer,),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        finally:
            os.close(writer)
        number = b""
        try:
            while not number.endswith(b"\n"):
                ready, _, _ = select.select([reader], [], [], seconds)
                piece = os.read(reader, 16) if ready else b""
                if not piece:
                    self.stop()
                    raise Missing(f"pydri: {' '.join(self.command)} did not start")
                number += piece
        finally:
            os.close(reader)
        self.name = f":{int(number)}"
        return self.name

    def stop(self) -> None:
        """End the server and wait for it."""
        if self.process is not None:
            end(self.process)
            self.process = None

    def __enter__(self) -> "XServer":
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()
