# SPDX-License-Identifier: MIT
"""The commands that random calls are made of, by feature group, as the registry (gl.xml) has them.

A group is a version or an extension that the driver advertises in contexts of the kind that is
played (fuzz_contexts.py), with the commands that it is the
first to bring; what the registry gives to nothing that we advertise is in the group REST. A family
is the commands of a group that differ in the types of their arguments alone (glColor3f,
glColor4ubv): choosing among families keeps 62 forms of glColor from drowning one glAccum.
Nothing here has to be touched for a new feature: what is advertised is found.
"""

import functools
import re
from typing import NamedTuple
from xml.etree import ElementTree

from pydri.api.gl_table import TABLE
from scripts import gen_api
from tests.robust import fuzz_contexts

REST = "(not advertised)"
_VENDOR = re.compile(r"(ARB|EXT|NV|ATI|MESA|IBM|AMD|INGR|KHR|OES)$")
_TYPE = re.compile(r"\d?(ub|us|ui|[bsifdhx])?v?$")


class Param(NamedTuple):
    """One parameter: the code of its type (rows.py), the values of its group of enums, and how
    many elements a pointer leads to ("": the registry does not say)."""

    name: str
    code: str
    enums: tuple[int, ...]
    length: str


class Command(NamedTuple):
    """One entry point."""

    name: str
    group: str
    family: str
    ret: str
    params: tuple[Param, ...]


def family_of(name: str) -> str:
    """The name without vendor and types."""
    return _TYPE.sub("", _VENDOR.sub("", name)) or name


class Registry:
    """gl.xml as the driver advertises it."""

    def __init__(self) -> None:
        root = gen_api.registry("gl.xml")
        self.kind = fuzz_contexts.kind()
        self.claimed: set[str] = set()  # names of enums
        groups = self._groups(root)
        self.values: dict[str, int] = {}
        self.enum_groups: dict[str, list[int]] = {}
        self._enums(root)
        nodes = {
            command.findtext("proto/name"): command for command in root.iterfind("commands/*")
        }
        self.commands = {
            name: self._command(name, groups.get(name, REST), nodes[name]) for name in TABLE.names
        }
        self.groups: dict[str, dict[str, list[str]]] = {}
        for command in self.commands.values():
            families = self.groups.setdefault(command.group, {})
            families.setdefault(command.family, []).append(command.name)

    def _is_ours(self, node: ElementTree.Element) -> bool:
        """Whether what a node asks for or takes away concerns contexts of the kind."""
        profile = node.get("profile") in (None, self.kind.profile)
        return profile and node.get("api") in (None, self.kind.named)

    def _groups(self, root: ElementTree.Element) -> dict[str, str]:
        """Command -> the group that brings it."""
        found: dict[str, str] = {}
        features = [n for n in root.findall("feature") if n.get("api") == self.kind.named]
        for feature in (*features, *root.findall("extensions/extension")):
            name = feature.get("name", "")
            if not self.kind.advertised(name, feature.get("number", "")):
                continue
            for require in filter(self._is_ours, feature.findall("require")):
                self.claimed |= {enum.get("name", "") for enum in require.findall("enum")}
                for command in require.findall("command"):
                    if command.get("name") in TABLE.slots:
                        found.setdefault(command.get("name", ""), name)
            for remove in filter(self._is_ours, feature.findall("remove")):
                self.claimed -= {enum.get("name", "") for enum in remove.findall("enum")}
                for command in remove.findall("command"):
                    found.pop(command.get("name", ""), None)
        return found

    def _enums(self, root: ElementTree.Element) -> None:
        for enum in root.iter("enum"):
            name, value = enum.get("name", ""), enum.get("value")
            if value is None or enum.get("api") not in (None, self.kind.named):
                continue
            self.values[name] = int(value, 0)
            if name in self.claimed:
                for group in (enum.get("group") or "").split(","):
                    if int(value, 0) not in self.enum_groups.setdefault(group, []):
                        self.enum_groups[group].append(int(value, 0))

    def _command(self, name: str, group: str, node: ElementTree.Element) -> Command:
        row = TABLE.row(name)
        params = []
        for (what, code), param in zip(row.params, node.findall("param"), strict=True):
            enums = tuple(self.enum_groups.get(param.get("group", ""), ()))
            params.append(Param(what, code, enums, param.get("len", "")))
        return Command(name, group, family_of(name), row.ret, tuple(params))

    def known_enums(self) -> list[int]:
        """All enums of what is advertised."""
        return sorted({self.values[n] for n in self.claimed if self.values.get(n, -1) < 1 << 16})


@functools.cache
def _of(kind: str) -> Registry:
    return Registry()


def registry() -> Registry:
    """That of the kind of contexts which is played; read once."""
    return _of(fuzz_contexts.used())
