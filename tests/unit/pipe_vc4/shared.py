# SPDX-License-Identifier: MIT
"""The outside judges of VC4: Mesa's jobs and listings, where they are here."""

import pathlib
import re

SHARED = pathlib.Path(__file__).resolve().parents[4] / "shared" / "vc4"


def job_files() -> list[pathlib.Path]:
    """Every job, in the order of the names."""
    return sorted(SHARED.glob("jobs/*.job"))


def scene_names() -> list[str]:
    """The scenes: jobs without `.1`, `.2`."""
    return sorted({re.sub(r"(\.\d+)?\.job$", "", path.name) for path in job_files()})


def scene_files(name: str) -> list[pathlib.Path]:
    """A scene's jobs, in their order."""
    whole = SHARED / "jobs" / f"{name}.job"
    return [whole] if whole.exists() else sorted(SHARED.glob(f"jobs/{name}.[0-9].job"))


def programs() -> list[tuple[str, bool, list[int]]]:
    """(where, whether a fragment shader, its words) of every program of the listings."""
    found = []
    for path in sorted(SHARED.glob("listings/*.txt")):
        for section in path.read_text().split("\n==== ")[1:]:
            title = section.splitlines()[0]
            words = [int(w, 16) for w in re.findall(r"^0x([0-9a-f]{16}) ", section, re.M)]
            if words:
                found.append((f"{path.stem}: {title}", "fragment" in title, words))
    return found
