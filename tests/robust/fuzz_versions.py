# SPDX-License-Identifier: MIT
"""What the driver advertises, by the registry's names."""

import re

from pydri.main import version

_FEATURE = re.compile(r"GL_VERSION_(\d)_(\d)$")
_EXTENSIONS = frozenset(name for name, _ in version.EXTENSION_TABLE)


def advertised(name: str) -> bool:
    """Whether a version or an extension of the registry is ours."""
    found = _FEATURE.match(name)
    if found:
        return (int(found[1]), int(found[2])) <= version.MAX_COMPAT
    return name in _EXTENSIONS
