# SPDX-License-Identifier: MIT
"""Memory of displaytargets: a SysV shared-memory segment, or plain memory where the server cannot
share.

Stage: winsys.  In: a size and a connection.  Out: `Segment`, mapped here and, if possible, by the
server.  The id is removed (IPC_RMID) as soon as both sides are attached, so a killed program leaves
nothing behind in `ipcs`. Counterpart of alloc_shm in Mesa's gallium/winsys/sw/dri/dri_sw_winsys.c.
"""

from typing import Any

from pydri.util.options import options
from winsys_x11.connection import XConnection
from winsys_x11.xlib import address, ffi, libs

IPC_PRIVATE = 0
IPC_CREAT = 0o1000
IPC_RMID = 0
ALIGNMENT = 64


class Segment:
    """`size` bytes at `address`; `xid` is the server's name of them, 0 for plain memory."""

    __slots__ = ("_connection", "_shared", "address", "size", "xid")

    def __init__(self, size: int, connection: XConnection | None) -> None:
        self.size = size
        self.xid = 0
        self._connection = connection
        self._shared = False
        self.address = 0
        if connection is not None and connection.shm_opcode and not options.PYDRI_NO_SHM:
            self._share(connection)
        if not self.address:
            self.address = _aligned(size)

    def _share(self, connection: XConnection) -> None:
        libc = libs().c
        shmid = libc.shmget(IPC_PRIVATE, self.size, IPC_CREAT | 0o600)
        if shmid < 0:
            return  # ENOSPC or ENOMEM: limits of the container; plain memory works
        data = libc.shmat(shmid, ffi.NULL, 0)
        failed = address(data) == (1 << 64) - 1
        if not failed:
            self.xid = connection.attach_segment(shmid)
        libc.shmctl(shmid, IPC_RMID, ffi.NULL)
        if failed:
            return
        if not self.xid:
            libc.shmdt(data)
            connection.shm_opcode = 0  # asked once a connection: it would refuse the next one, too
            return
        self._shared = True
        self.address = address(data)

    def free(self, tell_server: bool = True) -> None:
        """Unmap on both sides.  The server has the request in order after every put from this
        segment.
        """
        if not self.address:
            return
        if self._shared:
            if tell_server and self._connection is not None:
                self._connection.detach_segment(self.xid)
            libs().c.shmdt(ffi.cast("void *", self.address))
        else:
            libs().c.free(ffi.cast("void *", self.address))
        self.address = self.xid = 0


def _aligned(size: int) -> int:
    """Return zeroed memory at a cache line."""
    out: Any = ffi.new("void **")
    if libs().c.posix_memalign(out, ALIGNMENT, size):
        raise MemoryError(f"no memory for a surface of {size} bytes")
    ffi.memmove(out[0], bytes(size), size)
    return address(out[0])
