# SPDX-License-Identifier: MIT
"""The two sides of a comparison, ours and the peer's (Debian's Mesa, llvmpipe), as environments; C
clients compiled on the spot; Debian packages that a comparison or a test needs.

In: the folder of our libraries. Out: dictionaries for subprocess. Switches that a developer may
have set (LP_*, LIBGL_*, ...) are dropped on both sides: a figure must not depend on who runs it.
"""

import os
import shutil
import subprocess
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
SIDES = ("peer", "ours")
_OURS = ("LIBGL", "MESA", "LP", "GALLIVM", "GALLIUM", "NIR", "PYDRI", "ST")
_LOADER = ("LD_PRELOAD", "LD_LIBRARY_PATH", "__GLX_VENDOR_LIBRARY_NAME", "vblank_mode")


def clean_environment() -> dict[str, str]:
    """The caller's, without anything that steers a GL driver."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.split("_")[0] not in _OURS and name not in _LOADER
    }


def environment(side: str, libdir: str, **more: str) -> dict[str, str]:
    """What makes a program run on that side."""
    env = clean_environment()
    if side == "ours":
        env["LD_LIBRARY_PATH"] = libdir
        env["LD_PRELOAD"] = os.path.join(libdir, "libGL.so.1")
    else:
        env["LIBGL_ALWAYS_SOFTWARE"] = "1"
        env["GALLIUM_DRIVER"] = "llvmpipe"
    return {**env, **more}


def compile_client(source: str, folder: str, *flags: str, name: str = "") -> str:
    """Compile one C file into a folder; the path of the program."""
    target = os.path.join(folder, name or os.path.splitext(os.path.basename(source))[0])
    command = ["cc", "-O2", "-Wall", source, "-o", target, *flags]
    subprocess.run(command, check=True, timeout=120)
    return target


def end(process: "subprocess.Popen[Any]") -> None:
    """The ordinary end of a program that runs until it is told."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def missing(wanted: dict[str, str]) -> list[str]:
    """Packages of `wanted` (file or command -> Debian package) that are not there."""
    absent = []
    for what, package in wanted.items():
        there = os.path.exists(what) if "/" in what else shutil.which(what)
        if not there and package not in absent:
            absent.append(package)
    return absent


def install(wanted: dict[str, str]) -> str:
    """Install what is missing, as root on Debian; "" if all is there now, else why not."""
    packages = missing(wanted)
    if not packages:
        return ""
    names = " ".join(packages)
    if os.getuid() or not shutil.which("apt-get"):
        return f"needs the Debian packages {names}"
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    order = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    for attempt in range(2):
        done = subprocess.run(order, env=env, capture_output=True, text=True, check=False)
        if not missing(wanted):
            return ""
        if attempt == 0:
            subprocess.run(["apt-get", "update", "-qq"], env=env, capture_output=True, check=False)
    return f"apt-get install {names} failed: {done.stderr.strip()[-200:]}"


def resident(pid: int) -> int:
    """Bytes of memory a process holds at the moment."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0
