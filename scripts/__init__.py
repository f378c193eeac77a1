# SPDX-License-Identifier: MIT
"""Tools of the checkout; scripts/run and scripts/test are the two a newcomer needs."""
