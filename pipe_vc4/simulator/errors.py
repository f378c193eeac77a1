# SPDX-License-Identifier: MIT
"""What a job can be refused for."""
from __future__ import annotations


class JobError(ValueError):
    """A job whose text is damaged, or which the hardware forbids: the message says where."""


class TooLong(JobError):
    """A shader that ran more words than it may."""
