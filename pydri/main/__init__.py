# SPDX-License-Identifier: MIT
"""GL state and the API on it. `layout` is the one declaration of the native state."""
