# SPDX-License-Identifier: MIT
"""What the info tools say of a driver, as facts that can be compared: name -> value.

In: the environment of a side. Out: a dictionary; the names are told in docs/differences.md, which
is also the one table of facts in which the two sides may differ (`known`). Nothing of the tools'
output is passed over but lists that another tool gives too (wflinfo's extensions), ids, and the
columns of APIs that we don't offer.
"""

import fnmatch
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from typing import NamedTuple

from pydri.api import enums
from scripts import gen_api
from scripts.host import ROOT
from tests.apps.contexts_player import KINDS

DOCUMENT = os.path.join(ROOT, "docs", "differences.md")
PACKAGES = ("mesa-utils", "glew-utils", "waffle-utils")
_WFLINFO = (
    ("glx", "gl"), ("x11_egl", "gl"), ("surfaceless_egl", "gl"), ("glx", "gles1"),
    ("x11_egl", "gles1"), ("x11_egl", "gles2"),
)  # fmt: skip
#: what clients/limits.c asks: names of enums follow
ASKED = frozenset(
    """get light other_light material environment filter sprite generation pixel_map map_order
    map_domain map_points attribute query_bits buffer pointer plane""".split()
)
Facts = dict[str, str]


def say(env: dict[str, str], *command: str) -> str:
    """What a tool prints; it may fail (a platform that is not there)."""
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode >= 0, (command, done.returncode, done.stderr)
    return done.stdout


def _words(text: str) -> list[str]:
    return re.findall(r"\bE?GLX?_\w+", text)


def _section(text: str, begin: str, end: str) -> str:
    """The lines from one that begins with `begin` to one that matches `end`; "": there is none."""
    found = re.search(rf"^{begin}.*?(?=^(?:{end})|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def _configs(text: str) -> Iterable[str]:
    """glxinfo -v: what each visual or FBConfig has, without its id."""
    for block in re.split(r"^(?:Visual|FBConfig) ID: \S+", text, flags=re.MULTILINE)[1:]:
        yield " ".join(re.sub(r"Visual ID=\S+", "", block.split("\n\n")[0]).split())


def glxinfo(env: dict[str, str]) -> Facts:
    """Extensions, limits, visuals and FBConfigs; of contexts the compatibility profile's."""
    text = say(env, "glxinfo", "-l", "-v")
    facts: Facts = {}
    for kind, title in (("server", "server glx"), ("client", "client glx"), ("common", "GLX")):
        for name in _words(_section(text, f"{title} extensions", r"\S(?!LX_)")):
            facts[f"glx {kind} extension {name}"] = "yes"
        for what in ("vendor string", "version string", "version"):
            if found := re.search(rf"^{title} {what}: (.*)", text, re.MULTILINE):
                facts[f"glx {kind} {what}"] = found[1]
    for found in re.finditer(r"^ {4}([A-Z][\w \[\]]+): (.+)$", text, re.MULTILINE):
        facts[f"glx renderer {found[1]}"] = found[2]
    for found in re.finditer(r"^(OpenGL (?:core|ES)\b.*?) extensions:", text, re.MULTILINE):
        facts[f"gl {found[1]}"] = "yes"
    whole = _section(text, "OpenGL version string", r"OpenGL (?:core|ES)|\d+ GLX")
    listed, _, limits = whole.partition("OpenGL limits:")
    for found in re.finditer(r"^OpenGL (?!ext)(.*?): (.*)$", listed, re.MULTILINE):
        facts[f"gl {found[1]}"] = found[2]
    for name in _words(listed):
        facts[f"gl extension {name}"] = "yes"
    for found in re.finditer(r"^ {4}(GL_\w+) = (.*)$", limits, re.MULTILINE):
        facts[f"gl limit {found[1]}"] = found[2]
    visuals, _, configs = _section(text, r"\d+ GLX Visuals", r"\Z").partition("GLXFBConfigs")
    facts |= {f"glx visual {what}": "yes" for what in _configs(visuals)}
    facts |= {f"glx fbconfig {what}": "yes" for what in _configs(configs)}
    return facts


def eglinfo(env: dict[str, str]) -> Facts:
    """Extensions and configs of each platform; OpenGL's column alone."""
    facts: Facts = {}
    text = say(env, "eglinfo")
    facts |= {f"egl client extension {name}": "yes" for name in _words(text.split("\n\n")[0])}
    for found in re.finditer(r"^(\w+) platform:\n(.*?)(?=^\w+ platform:|\Z)", text, re.M | re.S):
        name, said = found[1], found[2]
        extensions = _section(said, "EGL extensions", "Config|EGL_")
        facts |= {f"egl {name} extension {each}": "yes" for each in _words(extensions)}
        for line in re.finditer(r"^EGL (?!ext)(.*?): (.*)$", said, re.MULTILINE):
            facts[f"egl {name} {line[1]}"] = line[2].strip()
        for row in re.finditer(r"^0x\w+ (.{37})(.{3}) (.{4}).{11}(.*)$", said, re.MULTILINE):
            what = " ".join((row[1] + row[2] + row[4]).split())
            facts[f"egl {name} config {what}"] = "yes"
    return facts


def visualinfo(env: dict[str, str]) -> Facts:
    """GLEW's list of visuals, without ids."""
    rows = re.findall(r"^ \| +\w+ \| (.*) \|$", say(env, "visualinfo"), re.MULTILINE)
    return {f"visualinfo visual {' '.join(row.split())}": "yes" for row in rows if "y" in row}


def glewinfo(env: dict[str, str]) -> Facts:
    """Versions and extensions that GLEW finds, with their functions."""
    facts: Facts = {}
    within = ""
    for line in say(env, "glewinfo").splitlines():
        found = re.match(r"( *)(\w+):\s+(OK|MISSING)", line)
        if not found:
            continue
        if not found[1]:
            kind = "gl extension" if found[2].startswith("GL_") else "glew"
            within = f"{kind} {found[2]}" if found[3] == "OK" else ""
            facts |= {within: "yes"} if within else {}
        elif within:
            facts[f"{within} {found[2]}"] = found[3]
    return facts


def wflinfo(env: dict[str, str]) -> Facts:
    """Contexts of Waffle's platforms: all but the list of extensions."""
    facts: Facts = {}
    for platform, api in _WFLINFO:
        said = say(env, "wflinfo", "-p", platform, "-a", api)
        for line in said.splitlines():
            name, colon, value = line.partition(": ")
            if colon:
                facts[f"waffle {platform} {api} {name}"] = value
    return facts


def limits(env: dict[str, str], program: str) -> Facts:
    """clients/limits.c: what glGet* and glIsEnabled answer to every number of 16 bits, glGetLight
    and its kin to theirs.
    """
    facts: Facts = {}
    for line in say(env, program).splitlines():
        kind, number, *value = line.split(" ", 2)
        facts[f"{kind} {enums.name_of(int(number, 16))}"] = " ".join(value)
    return facts


def contexts(env: dict[str, str]) -> Facts:
    """tests/apps/contexts_player.py: what contexts of OpenGL 3 say that are made because the
    version is claimed (MESA_GL_VERSION_OVERRIDE), and those of OpenGL ES 2.0 and 3.0, which the
    peer makes because it is claimed."""
    more = {"EGL_PLATFORM": "surfaceless", "PYTHONPATH": ROOT, "MESA_GL_VERSION_OVERRIDE": "3.3"}
    facts: Facts = {}
    for kind in KINDS:
        version = ".".join(map(str, KINDS[kind].version))
        claimed = {"MESA_GLES_VERSION_OVERRIDE": version if KINDS[kind].es else "2.0"}
        language = claimed if KINDS[kind].es else {"MESA_GLSL_VERSION_OVERRIDE": "330"}
        command = sys.executable, "-m", "tests.apps.contexts_player", kind
        said = say({**env, **more, **language}, *command)
        facts |= dict(line.split(": ", 1) for line in said.splitlines())
    return facts


def every_fact(env: dict[str, str], program: str) -> Facts:
    """All tools' together."""
    facts: Facts = {}
    for tool in (glxinfo, eglinfo, visualinfo, glewinfo, wflinfo, contexts):
        facts |= tool(env)
    return facts | limits(env, program)


class Row(NamedTuple):
    """One row of the document: `side` is "ours" (only we have it), "peer" or "both" (values
    differ), `names` shell patterns, `but` some that are not meant.
    """

    side: str
    names: tuple[str, ...]
    but: tuple[str, ...]
    reason: str

    def meaning(self, side: str, name: str) -> list[str]:
        """The row's patterns that this difference fits; none: the row is not about it."""
        if side != self.side or _fitting(self.but, name):
            return []
        return _fitting(self.names, name)


def _fitting(patterns: tuple[str, ...], name: str) -> list[str]:
    return [pattern for pattern in patterns if fnmatch.fnmatchcase(name, pattern)]


def known() -> list[Row]:
    """The tables of docs/differences.md."""
    rows = []
    with open(DOCUMENT) as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if line.startswith("| ") and cells[0] in ("ours", "peer", "both"):
                meant, _, but = cells[1].partition(" but ")
                names, others = (tuple(re.findall("`(.*?)`", text)) for text in (meant, but))
                rows.append(Row(cells[0], names, others, cells[2]))
    return rows


def claimed(facts: Facts) -> set[int]:
    """The enums of the versions and extensions that a side has, as the registry says."""
    root = gen_api.registry("gl.xml")
    values = {
        e.get("name"): int(e.get("value", "0"), 0) for e in root.iter("enum") if e.get("value")
    }
    return {
        values[enum.get("name")]
        for feature in (*root.findall("feature"), *root.findall("extensions/extension"))
        if f"gl extension {feature.get('name')}" in facts
        for require in feature.findall("require")
        if require.get("api") in (None, "gl")
        for enum in require.findall("enum")
    }


def differences(ours: Facts, peers: Facts) -> Iterable[tuple[str, str, str]]:
    """(side, name, the values) of each fact that isn't the same on both host. What only the peer
    knows to an enum of extensions that only the peer has is none.
    """
    enums_of_ours = claimed(ours)
    for name in sorted(ours.keys() | peers.keys()):
        mine, theirs = ours.get(name), peers.get(name)
        if mine is None and name.startswith("gl limit "):
            continue  # glxinfo asks by version; glGet* was asked for everything
        kind, _, enum = name.partition(" ")
        if mine is None and kind in ASKED:
            value = int(enum, 16) if enum.startswith("0x") else getattr(enums, enum)
            if value not in enums_of_ours:
                continue
        if mine != theirs:
            side = "peer" if mine is None else "ours" if theirs is None else "both"
            yield side, name, f"ours {mine}, the peer's {theirs}"
