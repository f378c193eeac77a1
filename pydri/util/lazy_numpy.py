# SPDX-License-Identifier: MIT
"""numpy for modules on the start-up path: it is imported when the first of them uses it.

In: `from pydri.util.lazy_numpy import np`.  Out: `np`, which reads like the module; what is looked
up once stays here, so that later uses cost what an attribute costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _Lazy:
        """Stands for numpy."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            found = getattr(numpy, name)
            setattr(self, name, found)
            return found

    np = _Lazy()

__all__ = ["np"]
