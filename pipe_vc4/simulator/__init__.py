# SPDX-License-Identifier: MIT
"""A simulator of the V3D (VideoCore IV's 3D unit), in numpy: control lists in, pictures out.

It is the definition of what a job draws, kept short to be read. job.py reads a job's text, cl.py
its binning list and shader records, vertices.py runs vertex and coordinate shaders, clip.py and
raster.py make fragments, qpu.py runs the words of all lanes of many quads at once, tlb.py holds a
tile, play.py puts them together. Source: "VideoCore IV 3D Architecture Reference Guide" (Broadcom,
VideoCoreIV-AG100-R).
"""
