# SPDX-License-Identifier: MIT
"""Compiled kernels on disk, so that a program that ran before starts without LLVM.

In: a key (bytes that determine the code) and a blob. Out: the blob again, in this process or a
later one.

One file per object below MESA_SHADER_CACHE_DIR, XDG_CACHE_HOME or HOME/.cache, in a folder
`pydri_cache`; its name is the hash of the key, of all that generates code (naming.py), and of the
processor's level (cpu.py). So a changed generator, a new llvmlite or a home folder shared with
another machine gives other names, and nothing is ever invalidated in place.

What is read here gets executed, so a file counts only if it is a regular file of our own user
that nobody else may write, in a folder of which the same is true (no symbolic links on the last
two steps). That is all that keeps strangers out. The checksum is no seal: whoever may write a file
can make the checksum that goes with it; it finds what a full disk, a crash or a bad copy has done.
Anything else is a miss. Files appear by rename: readers see a whole file or none. A folder that
cannot be had or written leaves a cache in memory, so callers never have to care. The peer:
util/disk_cache.c.
"""

from __future__ import annotations

import atexit
import os
import stat
import struct
import threading
import zlib
from collections.abc import Callable

from pydri.jit import cpu
from pydri.jit.image import Image, unload
from pydri.jit.naming import blake2b, build_id
from pydri.util import clock, log, place
from pydri.util.options import options, setuid

FOLDER = "pydri_cache"
_HEAD = struct.Struct("<8sII")  # magic, checksum, length of what follows
_MAGIC = b"PYDRIC\x00\x02"
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_DAY = 86400.0
_DEFAULT_SIZE = 1 << 30
_MEMORY_SIZE = 64 << 20  # bytes that are kept where there is no folder


class ObjectCache:
    """Bytes by key. All methods may be called from any thread and never raise for the state of
    the disk.
    """

    def __init__(
        self,
        directory: str | None,
        salt: bytes = b"",
        max_size: int = _DEFAULT_SIZE,
        shipped: str | None = None,
        later: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        """A cache in `directory` (None: memory only). `salt` is hashed into every name.

        `shipped` is a folder that is only read: what the build compiled beforehand. `later` has a
        function called some time by another thread: files are written then, and `flush` writes
        those that it has not come to.
        """
        self.shipped = shipped
        self._in_shipped: frozenset[str] | None = None  # its files, when somebody has asked
        self._shipped_fd = -1
        self._shippers: frozenset[int] = frozenset()  # whose its files may be
        self._later = later
        self._unwritten: dict[str, bytes] = {}
        self.hits = 0
        self.misses = 0
        self.stored = 0
        self.directory = directory
        self.max_size = max_size
        self._salt = salt
        self._lock = threading.Lock()
        self._writing = threading.Lock()  # held by who writes files, which takes its time
        self._memory: dict[str, bytes] = {}
        self._images: dict[bytes, Image] = {}
        self._size: int | None = None  # bytes on disk, known after the first store
        self._counter = 0
        self._began = clock.wall()  # a program that runs for days counts as one of its first day
        self._fd = -1 if directory is None else self._open_directory(directory)

    def name(self, key: bytes) -> str:
        """File name of a key."""
        digest = blake2b(key, digest_size=20)
        digest.update(self._salt)
        return str(digest.hexdigest())

    def get(self, key: bytes) -> bytes | None:
        """The blob stored under `key`, or None."""
        name = self.name(key)
        blob = self._memory.get(name) or self._unwritten.get(name)
        if blob is None and self.shipped is not None:
            blob = self._read_shipped(name)
        if blob is None and self._fd >= 0:
            blob = self._read(name)
        with self._lock:
            if blob is None:
                self.misses += 1
            else:
                self.hits += 1
        return blob

    def put(self, key: bytes, blob: bytes, replace: bool = True) -> None:
        """Store a blob; a sound object that is there already is replaced, or stays."""
        name = self.name(key)
        if not replace and self._there(name):
            return
        with self._lock:
            self.stored += 1
            if self._later is not None:
                self._unwritten[name] = blob
        if self._later is not None:
            self._later(self.flush)
        else:
            self._store(name, blob)

    def _there(self, name: str) -> bool:
        """Whether there is a sound object. One that is damaged, or that others may have written,
        is none: were it left there, each program would compile that code again."""
        if name in self._memory or name in self._unwritten:
            return True
        return self._fd >= 0 and self._read(name) is not None

    def _store(self, name: str, blob: bytes) -> None:
        """Put a blob where it belongs."""
        with self._writing:
            if self._fd < 0 or not self._write(name, blob):
                self._remember(name, blob)

    def flush(self) -> None:
        """Write what waits for it."""
        while self._unwritten:
            with self._lock:
                waiting = tuple(self._unwritten.items())
            for name, blob in waiting:
                self._store(name, blob)
                with self._lock:
                    if self._unwritten.get(name) is blob:
                        del self._unwritten[name]

    def _remember(self, name: str, blob: bytes) -> None:
        """Keep a blob in memory; beyond a limit the oldest ones are forgotten."""
        self._memory[name] = blob
        while sum(map(len, self._memory.values())) > _MEMORY_SIZE and len(self._memory) > 1:
            del self._memory[next(iter(self._memory))]

    def share(self, key: bytes, image: Image | None = None) -> Image | None:
        """Return this process's image of a key with one user more, or None; `image`, freshly
        loaded, becomes it if there is none.
        """
        with self._lock:
            found = self._images.get(key)
            if found is None and image is not None:
                found = self._images[key] = image
                image.key = key
            if found is not None:
                found.users += 1
        if image is not None and found is not image:  # another thread was faster
            unload(image)
        return found

    def release(self, image: Image) -> None:
        """One user holds no address in the image any more; the last one takes the code along."""
        with self._lock:
            image.users -= 1
            if image.users:
                return
            del self._images[image.key]
        unload(image)

    def discard(self, key: bytes) -> None:
        """Throw an object away (its content turned out to be of no use)."""
        name = self.name(key)
        self._memory.pop(name, None)
        with self._lock:
            self._unwritten.pop(name, None)
        if self._fd >= 0:
            self._remove(name)

    def folder(self) -> str:
        """Where objects are kept; "": for as long as the process lives."""
        return self.directory or "" if self._fd >= 0 else ""

    def stats(self) -> str:
        """One line for people."""
        where = self.directory if self._fd >= 0 else "memory"
        counts = f"{self.hits} hits, {self.misses} misses, {self.stored} stored"
        return f"pydri: kernel cache ({where}): {counts}"

    # -- the folder ------------------------------------------------------------------------------

    def _open_directory(self, directory: str) -> int:
        """A handle on the folder, made if need be; -1 if it is not ours alone."""
        try:
            return place.open_private(directory)
        except (OSError, ValueError) as error:
            log.info(f"{directory}: {error}; compiled kernels are not kept", once=True)
            return -1

    # -- files -----------------------------------------------------------------------------------

    def _read(self, name: str) -> bytes | None:
        try:
            fd = os.open(name, _READ, dir_fd=self._fd)
        except OSError:
            return None
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode) or not place.is_private(status):
                return None
            blob = _content(name, fd, status.st_size) if status.st_size <= self.max_size else None
            # The time of last use decides what is thrown away; a day is fine enough, and spares a
            # write a hit.
            if blob is not None and status.st_mtime < self._began - _DAY:
                _touch(fd)
        except OSError:
            return None
        finally:
            os.close(fd)
        if blob is None:
            self._remove(name)
        return blob

    def _read_shipped(self, name: str) -> bytes | None:
        """An object beside our libraries, which nobody else may have written."""
        if self._in_shipped is None:  # they are asked for whatever is compiled
            self._in_shipped = self._list_shipped()
        if name not in self._in_shipped:
            return None
        try:
            fd = os.open(name, _READ, dir_fd=self._shipped_fd)
        except OSError:
            return None
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode) or not place.owned_by(status, self._shippers):
                return None
            return _content(name, fd, status.st_size)
        except OSError:
            return None
        finally:
            os.close(fd)

    def _list_shipped(self) -> frozenset[str]:
        """Names in the shipped folder. It and its files must belong to root, to us or to whom the
        folder around it belongs, the library's, and nobody else may write them."""
        assert self.shipped is not None
        try:
            self._shipped_fd = fd = os.open(self.shipped, _FOLDER)
            self._shippers = place.shippers(self.shipped)
            if place.owned_by(os.fstat(fd), self._shippers):
                return frozenset(os.listdir(fd))
            log.info(f"{self.shipped} may be another's: its kernels are not used", once=True)
        except OSError:
            pass
        return frozenset()

    def _write(self, name: str, blob: bytes) -> bool:
        """Write a file under a name of its own, then rename it. Called with `_writing` held."""
        data = _HEAD.pack(_MAGIC, _checksum(name, blob), len(blob)) + blob
        if len(data) > self.max_size:
            return False
        self._counter += 1
        temporary = f".tmp-{os.getpid()}-{threading.get_ident():x}-{self._counter}"
        try:
            fd = os.open(temporary, _WRITE, 0o600, dir_fd=self._fd)
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(fd, view) :]
            finally:
                os.close(fd)
            os.rename(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError as error:
            self._remove(temporary)
            log.info(f"{self.directory}: {error}; compiled kernels are not kept", once=True)
            return False
        self._make_room(len(data))
        return True

    def _remove(self, name: str) -> None:
        try:
            os.unlink(name, dir_fd=self._fd)
        except OSError:
            return

    def _make_room(self, added: int) -> None:
        """Count what was added; over the limit, remove the files unused for longest until a tenth
        is free.

        Other processes' files are counted when the folder is read: at the first store and after
        every clean-up.
        """
        if self._size is not None:
            self._size += added
            if self._size <= self.max_size:
                return
        files: list[tuple[float, int, str]] = []
        total = 0
        try:
            with os.scandir(self._fd) as entries:
                for entry in entries:
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue  # somebody else removed it
                    if not stat.S_ISREG(status.st_mode):
                        continue
                    if entry.name.startswith(".tmp-") and clock.wall() - status.st_mtime < 600:
                        continue  # being written now
                    files.append((status.st_mtime, status.st_size, entry.name))
                    total += status.st_size
        except OSError:
            self._size = 0
            return
        if total > self.max_size:
            files.sort()
            for _, size, name in files:
                if total <= self.max_size - self.max_size // 10:
                    break
                self._remove(name)
                total -= size
        self._size = total


def _touch(fd: int) -> None:
    """Note that a file was used. It is good, too, where nothing may be written, as in a cache that
    a cluster's nodes share read-only."""
    try:
        os.utime(fd)
    except OSError:
        pass


def _checksum(name: str, blob: bytes) -> int:
    """Of the content under this name: an object that got another one's name is damage, too."""
    return zlib.crc32(blob, zlib.crc32(name.encode()))


def _content(name: str, fd: int, size: int) -> bytes | None:
    """Content of a cache file of so many bytes, None if it is not what we wrote."""
    head = os.read(fd, _HEAD.size)
    if len(head) < _HEAD.size:
        return None
    magic, checksum, length = _HEAD.unpack(head)
    if magic != _MAGIC or length != size - _HEAD.size:
        return None
    blob = os.read(fd, length)
    return blob if len(blob) == length and _checksum(name, blob) == checksum else None


# -- the cache of this process -------------------------------------------------------------------


def cache_directory() -> str | None:
    """Where objects are kept; None: nowhere (switched off, no home folder, or a setuid program)."""
    if options.MESA_SHADER_CACHE_DISABLE or setuid() or os.getegid() != os.getgid():
        return None
    base = options.MESA_SHADER_CACHE_DIR or options.XDG_CACHE_HOME
    if not base:
        base = os.path.join(os.path.expanduser("~"), ".cache")
    # A relative XDG path is to be ignored (XDG base directory specification); for the others it
    # is as unreliable.
    return _of_this_user(os.path.join(base, FOLDER)) if base.startswith("/") else None


def _of_this_user(folder: str) -> str:
    """A folder of kernels; one beside it where somebody else has that one, since a name like
    /var/tmp/kernels may be set for all users of a machine, and each believes himself alone."""
    try:
        owner = os.lstat(folder).st_uid
    except OSError:
        return folder
    return folder if owner == os.geteuid() else f"{folder}-{os.geteuid()}"


def process_salt() -> bytes:
    """What goes into all names of this process."""
    return build_id() + cpu.cpu_id()


_cache: ObjectCache | None = None
_cache_lock = threading.Lock()


def use(cache: ObjectCache) -> None:
    """Make another cache the process's own (the build fills the shipped folder so)."""
    global _cache
    _cache = cache


#: has something done by the thread that compiles; tiers.py sets it, and before that nothing waits
helper: Callable[[Callable[[], None]], None] | None = None


def _later(work: Callable[[], None]) -> None:
    """Have files written by the thread that compiles."""
    if helper is not None:
        helper(work)
    else:
        work()


def object_cache() -> ObjectCache:
    """The process's cache, as the options say; made at the first use."""
    global _cache
    with _cache_lock:
        if _cache is None:
            directory, shipped = cache_directory(), cpu.shipped_directory()
            salt = process_salt() if directory or shipped else b""
            size = options.MESA_SHADER_CACHE_MAX_SIZE
            _cache = ObjectCache(directory, salt, size, shipped, _later)
            atexit.register(_cache.flush)
            if options.MESA_SHADER_CACHE_SHOW_STATS:
                atexit.register(_print_stats)
        return _cache


def _print_stats() -> None:
    if _cache is not None:
        log.note(_cache.stats())
