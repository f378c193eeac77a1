# SPDX-License-Identifier: MIT
"""The libraries of a checkout or an installed package, made ready where a program is started.

In: what the build or a wheel left. Out: a folder with libraries, sidecar and kernels of this place
and this CPU. Where the package's folder cannot be written (root's site-packages, a full disk) it is
a copy in the user's cache folder or, if there is none, in another one that is the user's alone; the
kernels that a wheel brought are used where they are.

The copies are loaded by every program that draws, by path. So nobody else may own or write the
folder (pydri/util/place.py holds it to what the object cache is held to), nor put another one in
its place: all folders above it are looked at, too.
"""

import contextlib
import hashlib
import os
import shutil
import stat
import sys

from libgl_shim import build, folder, machine
from libgl_shim.folder import PRODUCTS


def is_package() -> bool:
    """Whether this is an installed package that carries its libraries."""
    return not build.is_checkout() and os.path.exists(
        os.path.join(build.default_out(), PRODUCTS[0])
    )


def own_folders(package: str) -> list[str]:
    """Where a user may keep what an installed package of somebody else's lacks, the best first:
    absolute paths, as the XDG base directory specification wants them."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not cache.startswith("/"):
        cache = os.path.join(os.path.expanduser("~"), ".cache")
    name = hashlib.sha256(package.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    places = [os.path.join(cache, f"pydri-lib-{name}")]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    # The last two are in memory: a disk that is full keeps nobody from drawing.
    for temporary in (os.environ.get("TMPDIR", ""), "/tmp", "/var/tmp", runtime, "/dev/shm"):
        places.append(os.path.join(temporary, f"pydri-{os.geteuid()}-lib-{name}"))
    return [place for place in dict.fromkeys(places) if place.startswith("/")]


def current_folder() -> str:
    """The folder of libGL.so.1, as it is: build/lib, the package's own, or the user's copy."""
    out = build.default_out()
    if build.is_checkout() or os.access(out, os.W_OK) or folder.is_complete(out):
        return out
    places = own_folders(out)
    return next((place for place in places if os.path.exists(place)), places[0])


def prepare(say: bool = True) -> str:
    """Libraries, sidecar and kernels, brought up to date as far as they are not; their folder.

    SystemExit with one sentence where that cannot be had.
    """
    machine.check()
    package = build.default_out()
    if not is_package():
        out = build.build(package, say=say)
    elif _is_ready(package, say):
        out = package
    else:
        out = _copy(package, say)
    if is_noexec(out):
        print(f"pydri: {out} is mounted noexec: programs will not load it", file=sys.stderr)
    return out


def _is_ready(package: str, say: bool) -> bool:
    """Whether an installed package can be used where it is, once it has its sidecar and kernels."""
    complete = folder.is_complete(package)
    if complete and build.kernels_are_current(package):
        return True
    if os.access(package, os.W_OK):
        with contextlib.suppress(OSError), build.alone(package):
            folder.write_sidecar(package)
            _close_to_others(os.path.join(package, folder.OBJECTS))
            build.prebuild_kernels(package, say)
            return True
    return complete


def _close_to_others(objects: str) -> None:
    """Take the right to write what a wheel brought from the group, which pip gives it where the
    umask says so: the cache executes nothing that somebody else may have written."""
    for path, _, names in os.walk(objects):
        for each in (path, *(os.path.join(path, name) for name in names)):
            mode = stat.S_IMODE(os.stat(each).st_mode)
            if mode & (stat.S_IWGRP | stat.S_IWOTH):
                os.chmod(each, mode & ~(stat.S_IWGRP | stat.S_IWOTH))


def is_noexec(path: str) -> bool:
    """Whether a file system refuses to map code from a folder: ld.so would go on without ours."""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_NOEXEC)
    except OSError:
        return False


# -- a copy of the user's --------------------------------------------------------------------------


def _copy(package: str, say: bool) -> str:
    problems = []
    for out in own_folders(package):
        try:
            made = _bring_up_to_date(out, package, say)
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or problem
            problems.append(f"{out} ({why})")
            continue
        if made and problems:  # told once: who starts the next program knows
            print(f"pydri: not in {', '.join(problems)}: the libraries are in {out}",
                  file=sys.stderr)  # fmt: skip
        return out
    raise SystemExit(
        f"pydri: no folder for the libraries: {', '.join(problems)}; name one in XDG_CACHE_HOME"
    )


def _bring_up_to_date(out: str, package: str, say: bool) -> bool:
    """The copy in `out`; whether anything had to be written. OSError if the folder is not safe, or
    cannot be had."""
    from pydri.util import place

    os.close(place.open_private(out))
    if unsafe := unsafe_ancestor(out):
        raise PermissionError(f"others may write {unsafe}")
    if is_noexec(out):
        raise PermissionError("mounted noexec")
    brought = build.kernels_are_current(package)
    if all(_same(package, out, name) for name in PRODUCTS) and folder.is_complete(out):
        if brought == _has_link(out, package) and build.kernels_are_current(out):
            return False  # the disk may be full, or read-only
    with build.alone(out):
        build.make_folders(out)
        for name in PRODUCTS:
            if not _same(package, out, name):
                target = os.path.join(out, name)
                shutil.copy(os.path.join(package, name), f"{target}.new")
                os.replace(f"{target}.new", target)
        folder.write_sidecar(out)
        if brought:
            build.borrow_kernels(package, out)
        else:
            build.prebuild_kernels(out, say)
    return True


def _has_link(out: str, package: str) -> bool:
    """Whether the copy has the package's kernels."""
    try:
        return os.readlink(os.path.join(out, folder.OBJECTS)) == os.path.join(
            package, folder.OBJECTS
        )
    except OSError:
        return False


def _same(package: str, out: str, name: str) -> bool:
    """Whether the copy of a file is there and as it should be."""
    try:
        with open(os.path.join(out, name), "rb") as copy:
            content = copy.read()
    except OSError:
        return False
    with open(os.path.join(package, name), "rb") as file:
        return file.read() == content


def unsafe_ancestor(path: str) -> str:
    """The first folder above a path in which somebody else could put another thing in its place;
    "" if there is none. (Where the sticky bit is set, as in /tmp, only owners rename.)"""
    above = os.path.dirname(os.path.realpath(path))
    while True:
        status = os.stat(above)
        if status.st_uid not in _trusted_owners() or _others_rename(status):
            return above
        if above == "/":
            return ""
        above = os.path.dirname(above)


def _trusted_owners() -> tuple[int, ...]:
    """Root and ourselves; in a user namespace, where the real root has no number, also the user who
    stands for all those without one."""
    try:
        with open("/proc/self/uid_map", encoding="ascii") as file:
            everyone = file.read().split() == ["0", "0", "4294967295"]
        if not everyone:
            with open("/proc/sys/kernel/overflowuid", encoding="ascii") as file:
                return 0, os.geteuid(), int(file.read())
    except OSError:
        pass
    return 0, os.geteuid()


def _others_rename(status: os.stat_result) -> bool:
    if status.st_mode & stat.S_ISVTX:
        return False
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and not _is_users_own_group(status.st_gid)


def _is_users_own_group(gid: int) -> bool:
    """Whether a group is that of one user alone, which many systems make for each user."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(gid), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
