# SPDX-License-Identifier: MIT
"""Machine code as a flat file: the form in which kernels are kept on disk and mapped into the
process.

In: a relocatable ELF object as LLVM writes it (`link`), or the blob that `link` made earlier
(`load`). Out: an `Image`, code in executable memory whose functions are found by name.

The blob is the picture of the memory: three page-aligned parts, one after the other,

    header, code, jump stubs | constants, address tables, GOT, symbol table | variables (then zeros)
    read and execute         | read only once it is filled                  | read and write

so loading is one copy, a handful of patched addresses and two calls of mprotect: about 50 us for
100 kB, against tens of milliseconds for LLVM. All references inside the image are relative and
are resolved by `link` (elf.py, which a warm start never imports). What is left for load time: the
GOT (addresses of C functions, by dlsym) and the few places that hold absolute addresses of the
image itself. No page is ever writable and executable at once.

A file that was cut off, altered or written by another version is refused with ImageError before a
byte of it runs. The peer leaves all this to LLVM's MCJIT and its ObjectCache
(gallivm/lp_bld_misc.cpp), which needs LLVM in memory even when there is nothing to compile.
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
import zlib
from typing import Any, NamedTuple

from pydri.util.options import options

PAGE = 4096
MAGIC = b"PYDRIMG\x02"
CHECKSUM_AT = 8
CHECKED_FROM = 12  # the checksum covers everything behind itself
HEADER = struct.Struct("<8s14I")
HEADER_SIZE = 64
MAX_SIZE = 1 << 30

_PROT_READ, _PROT_WRITE, _PROT_EXEC = 1, 2, 4
_MAP_PRIVATE, _MAP_ANONYMOUS, _MAP_POPULATE = 2, 0x20, 0x8000
_MAP_FAILED = (1 << 64) - 1


class ImageError(Exception):
    """The object or the blob cannot be used; the text says why."""


class Header(NamedTuple):
    """What stands at the front of a blob. All numbers are bytes from the start of the image, or
    counts.
    """

    magic: bytes
    checksum: int
    file_size: int
    text_end: int  # [0, text_end) is mapped read + execute
    ro_end: int  # [text_end, ro_end) is mapped read only
    mem_size: int  # [ro_end, mem_size) is mapped read + write; behind file_size it is zeros
    got: int  # n_externs addresses
    n_externs: int
    n_symbols: int
    symbols: int  # pairs (offset, size)
    names: int  # names of the externs, then of the symbols, each ended by a zero byte
    names_size: int
    n_bases: int
    bases: int  # pairs (where, what): image[where] = base + what
    n_absolutes: int  # behind `bases`: triples (where, extern number, addend)


class Image:
    """Kernels in executable memory, shared by `users` (cache.py counts them). The memory is given
    back when the last of them says that it holds no address any more; most never do.
    """

    __slots__ = ("base", "first", "key", "mark", "name", "size", "sizes", "symbols", "users")

    def __init__(
        self, name: str, base: int, size: int, symbols: dict[str, int], sizes: tuple[int, ...],
        mark: int,
    ) -> None:  # fmt: skip
        self.name = name
        self.base = base
        self.size = size
        self.symbols = symbols
        """Name of every function and variable -> address."""
        self.sizes = sizes
        """Sizes in bytes, in the order of `symbols`."""
        self.mark = mark
        """Tells one blob from another (its checksum)."""
        self.key = b""
        self.users = 0
        self.first = False
        """Made in a hurry; a better one of the same bits can be made (tiers.py)."""

    def address(self, name: str) -> int:
        """Where the function (or variable) begins."""
        try:
            return self.symbols[name]
        except KeyError:
            known = ", ".join(sorted(self.symbols)[:20])
            raise ImageError(
                f"image {self.name!r} has no symbol {name!r}; it has: {known}"
            ) from None

    def __repr__(self) -> str:
        return f"<Image {self.name} at {self.base:#x}, {len(self.symbols)} symbols>"


# -- externs -------------------------------------------------------------------------------------

_registered: dict[str, int] = {}
_found: dict[str, int] = {}
_libraries: list[ctypes.CDLL] = []
_OF_LIBC = ("clock_gettime", "clock_nanosleep")
"""The driver's clocks are not the program's, which may be preloaded ones (libgl_shim/clocks.c)."""


def register_extern(name: str, address: int) -> None:
    """Offer `address` to images that refer to the undefined symbol `name`. Wins over the C
    library.
    """
    if not 0 < address < 1 << 64:
        raise ValueError(f"{name}: {address:#x} is no address")
    _registered[name] = address


def function_address(function: Any) -> int:
    """Where the code of a ctypes function or callback lies.

    Not by ctypes.cast, after which the function refers to itself, and with it whatever a callback
    holds on to: it would wait for the collector."""
    return int(ctypes.c_size_t.from_buffer(function).value)


def extern_address(name: str) -> int:
    """Address of a C function: registered ones first, then the process, libc and libm."""
    address = _registered.get(name) or _found.get(name)
    if address is None:
        if not _libraries:
            # The process first, so that an interposed malloc is respected; a host may come
            # without libm.
            _libraries.append(ctypes.CDLL(None))
            for soname in ("libc.so.6", "libm.so.6"):
                try:
                    _libraries.append(ctypes.CDLL(soname))
                except OSError:
                    continue
        for library in _libraries[1:] if name in _OF_LIBC else _libraries:
            try:
                function = library[name]
            except AttributeError:
                continue
            address = function_address(function)
            if address:
                _found[name] = address
                return address
        raise ImageError(
            f"undefined symbol {name!r}: not in the process, libc or libm, and not registered"
        )
    return address


# -- loading -------------------------------------------------------------------------------------


def read_header(blob: bytes | memoryview, sound: bool = False) -> Header:
    """Check a blob from end to end and return its header; ImageError if anything is not as it
    must be. `sound`: it is as it was written, which somebody else has made sure of.
    """
    if len(blob) < HEADER_SIZE:
        raise ImageError(f"image of {len(blob)} bytes is shorter than its header")
    h = Header._make(HEADER.unpack_from(blob))
    if h.magic != MAGIC:
        raise ImageError(f"no image of this version: it begins with {h.magic!r}")
    if h.file_size != len(blob):
        raise ImageError(f"image of {len(blob)} bytes says it has {h.file_size}")
    if not sound and zlib.crc32(memoryview(blob)[CHECKED_FROM:]) != h.checksum:
        raise ImageError("image is damaged: wrong checksum")
    # Behind a right checksum wrong offsets can only be our own mistake, but code is going to run
    # from them.
    if not HEADER_SIZE <= h.text_end <= h.ro_end <= h.file_size <= h.mem_size <= MAX_SIZE:
        raise ImageError("image is damaged: its parts are not in order")
    if (h.text_end | h.ro_end | h.mem_size) % PAGE:
        raise ImageError("image is damaged: its parts do not begin on pages")
    for start, size, what in (
        (h.got, 8 * h.n_externs, "GOT"),
        (h.symbols, 8 * h.n_symbols, "symbol table"),
        (h.names, h.names_size, "names"),
        (h.bases, 8 * h.n_bases + 16 * h.n_absolutes, "address table"),
    ):
        if start < h.text_end or start + size > h.ro_end:
            raise ImageError(f"image is damaged: its {what} lies outside")
    return h


def load(whole: bytes, name: str = "kernels", sound: bool = False, begin: int = 0) -> Image:
    """Map a blob, which begins somewhere in these bytes, into executable memory and connect it to
    the C functions it calls."""
    blob = memoryview(whole)[begin:]
    h = read_header(blob, sound)
    try:
        names = str(blob[h.names : h.names + h.names_size], "utf-8").split("\0")
    except UnicodeDecodeError:
        raise ImageError("image is damaged: its names are no text") from None
    if len(names) != h.n_externs + h.n_symbols + 1:
        raise ImageError("image is damaged: the number of names is wrong")
    pairs = struct.unpack_from(f"<{2 * h.n_symbols}I", blob, h.symbols)
    offsets, sizes = pairs[::2], pairs[1::2]
    if offsets and not sound and max(map(int.__add__, offsets, sizes)) > h.mem_size:
        raise ImageError("image is damaged: a symbol lies outside")
    externs = [extern_address(extern) for extern in names[: h.n_externs]]
    patches = _patches(blob, h, externs)

    libc = _libc()
    # all of it is written at once: so its pages are there at once, too
    flags = _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_POPULATE
    base: int = libc.mmap(None, h.mem_size, _PROT_READ | _PROT_WRITE, flags, -1, 0)
    if base == _MAP_FAILED:
        raise MemoryError(
            f"no memory for an image of {h.mem_size} bytes: {os.strerror(ctypes.get_errno())}"
        )
    # Not Python's mmap object: that one would unmap the code when a host's interpreter ends,
    # under running threads.
    # (A part of bytes as bytes would be another copy, of up to a megabyte.)
    source = ctypes.cast(ctypes.c_char_p(whole), ctypes.c_void_p).value or 0
    ctypes.memmove(base, source + begin, len(blob))
    if externs:
        ctypes.memmove(base + h.got, struct.pack(f"<{len(externs)}Q", *externs), 8 * len(externs))
    for where, value, relative in patches:
        number = value + base if relative else value
        ctypes.c_uint64.from_address(base + where).value = number & 0xFFFFFFFFFFFFFFFF
    for start, end, protection in (
        (0, h.text_end, _PROT_READ | _PROT_EXEC),
        (h.text_end, h.ro_end, _PROT_READ),
    ):
        if end > start and libc.mprotect(base + start, end - start, protection):
            reason = os.strerror(ctypes.get_errno())
            libc.munmap(base, h.mem_size)
            raise ImageError(f"the system forbids executable memory (mprotect: {reason})")

    symbols = dict(zip(names[h.n_externs :], map(base.__add__, offsets), strict=False))
    image = Image(name, base, h.mem_size, symbols, sizes, h.checksum)
    if _perf_map_wanted():
        write_perf_map(image, base + h.text_end)
    return image


def unload(image: Image) -> None:
    """Unmap an image's memory; nobody runs it or will."""
    _libc().munmap(image.base, image.size)


def _patches(blob: memoryview, h: Header, externs: list[int]) -> list[tuple[int, int, bool]]:
    """Places that hold absolute addresses, as (where, value, is the value relative to the
    image).
    """
    patches: list[tuple[int, int, bool]] = []
    numbers = struct.unpack_from(f"<{2 * h.n_bases}I", blob, h.bases)
    for where, value in zip(numbers[::2], numbers[1::2], strict=True):
        patches.append((where, value, True))
    for i in range(h.n_absolutes):
        where, extern, addend = struct.unpack_from("<IIq", blob, h.bases + 8 * h.n_bases + 16 * i)
        if extern >= len(externs):
            raise ImageError("image is damaged: an address refers to an unknown symbol")
        patches.append((where, externs[extern] + addend, False))
    if any(where < HEADER_SIZE or where + 8 > h.file_size for where, _, _ in patches):
        raise ImageError("image is damaged: an address lies outside")
    return patches


_libc_handle: ctypes.CDLL | None = None


def _libc() -> ctypes.CDLL:
    """A handle of our own on libc, so that the prototypes we set do not change those of other
    users of ctypes.
    """
    global _libc_handle
    if _libc_handle is None:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_size_t
        number = ctypes.c_int
        libc.mmap.argtypes = (
            *(ctypes.c_void_p, ctypes.c_size_t),
            *(number, number, number, ctypes.c_long),
        )
        libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
        _libc_handle = libc
    return _libc_handle


# -- perf map ------------------------------------------------------------------------------------

_perf_lock = threading.Lock()
_perf_map_on: bool | None = None


def _perf_map_wanted() -> bool:
    """Asked once: GALLIVM_DEBUG=perf or =symbols, and never for a setuid program."""
    global _perf_map_on
    if _perf_map_on is None:
        flags = options.GALLIVM_DEBUG
        _perf_map_on = bool(flags & {"perf", "symbols"}) and os.geteuid() == os.getuid()
    return _perf_map_on


def write_perf_map(image: Image, text_end: int, directory: str = "/tmp") -> None:
    """Append the functions of an image to the file where perf(1) looks for names of generated
    code.
    """
    lines = [
        f"{address:x} {size:x} {symbol}\n"
        for (symbol, address), size in zip(image.symbols.items(), image.sizes, strict=True)
        if address < text_end
    ]
    # The name is predictable and /tmp is everybody's: do not follow what somebody else may have
    # put there.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with _perf_lock:
        try:
            fd = os.open(f"{directory}/perf-{os.getpid()}.map", flags, 0o600)
        except OSError:
            return
        try:
            os.write(fd, "".join(lines).encode())
        finally:
            os.close(fd)
