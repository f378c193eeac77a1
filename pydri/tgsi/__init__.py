# SPDX-License-Identifier: MIT
"""TGSI: Gallium's token streams, which state trackers gave drivers before NIR.

`tokens` has the tables, the data structures and what is known of a stream; `build` makes streams
(ureg), `text` writes and reads them, `exec` says what they mean, `translate` goes to nir and back.
"""
