# SPDX-License-Identifier: MIT
"""Sampler functions: compiled by what selects code (SamplerKey), called by pointer on batches of up
to 16 stamps (Mesa's lp_bld_sample_soa.c and lp_bld_sample_aos.c).

`sampler.py` puts a function together of levels of detail (`lod.py`), coordinates (`coords.py`),
cube faces (`cube.py`), filters of one level (`filters.py`) and texels (`texel.py`);
`anisotropic.py` calls one of these for each probe; `functions.py` has the function of any key,
`table.py` the native table of those that are compiled."""
