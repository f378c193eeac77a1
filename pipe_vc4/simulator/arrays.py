# SPDX-License-Identifier: MIT
"""Names of the arrays' types: 32-bit words, floats, truth values, indices."""
from __future__ import annotations

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
