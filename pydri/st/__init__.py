# SPDX-License-Identifier: MIT
"""The state tracker: from GL state to a driver's pipelines, draws, clears and reads."""
