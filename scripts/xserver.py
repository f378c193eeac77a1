# SPDX-License-Identifier: MIT
"""An Xvfb of one's own: `with XServer("1280x1024") as display:`; the server picks a free number."""

import os
import shutil
import subprocess


class XServer:
    """Starts Xvfb, knows its display name, ends it."""

    def __init__(self, size: str = "1280x1024", *options: str) -> None:
        self.size = size
        self.options = options
        self.display = ""
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> str:
        server = shutil.which("Xvfb")
        if not server:
            raise SystemExit("pydri: Xvfb is missing (Debian: apt-get install xvfb)")
        read, write = os.pipe()
        command = [server, "-displayfd", str(write), "-screen", "0", f"{self.size}x24"]
        command += ["-nolisten", "tcp", "-noreset", *self.options]
        self.process = subprocess.Popen(
            command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(write)
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        if not number:
            self.process.wait()
            raise SystemExit(f"pydri: Xvfb did not start: {' '.join(command)}")
        self.display = f":{number}"
        return self.display

    def __exit__(self, *exc: object) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait()
