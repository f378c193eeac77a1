# SPDX-License-Identifier: MIT
"""The GL and GLX interface as rows: names, slots, types, enums; dispatch and call trace on top."""
