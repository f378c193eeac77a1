# SPDX-License-Identifier: MIT
"""What OpenGL ES 1 alone has: commands of fixed-point numbers, and of single-precision numbers
where OpenGL has doubles. ONE table (tables.py) says which command of floats or doubles each is;
kernels.py converts. The rest of OpenGL ES 1 are rows of the other rooms' tables.
"""
