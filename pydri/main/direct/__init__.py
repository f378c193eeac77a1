# SPDX-License-Identifier: MIT
"""Direct state access (EXT_direct_state_access): commands that name what they change, instead of
binding or selecting it first. ONE table (tables.py) says which command each of them is with
something else selected; kernels.py selects it for as long as the command runs.
"""
