# SPDX-License-Identifier: MIT
"""What the driver advertises in compatibility contexts, by the registry's names."""

import re

from pydri.api.apis import COMPAT
from pydri.main import version
from pydri.main.extensions import EXTENSIONS

_FEATURE = re.compile(r"GL_VERSION_(\d)_(\d)$")
_EXTENSIONS = frozenset(row.name for row in EXTENSIONS if row.api & COMPAT)


def advertised(name: str) -> bool:
    """Whether a version or an extension of the registry is ours."""
    found = _FEATURE.match(name)
    if found:
        return (int(found[1]), int(found[2])) <= (version.offered(None, COMPAT) or (1, 0))
    return name in _EXTENSIONS
