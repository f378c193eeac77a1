# SPDX-License-Identifier: MIT
"""The libraries of a checkout or an installed package, made ready where a program is started.

In: what the build or a wheel left. Out: a folder with libraries, sidecar and kernels of this place
and this CPU. Where the package's folder is not ours to write (root's site-packages) it is a copy in
the user's cache folder, or, if there is none, in one of /tmp that is the user's alone.

The copies are loaded by every program that draws, by path. So nobody else may own or write the
folder (pydri/util/place.py holds it to what the object cache is held to), nor put another one in
its place: all folders above it are looked at, too.
"""

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
    for temporary in (os.environ.get("TMPDIR", ""), "/tmp"):
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
    elif os.access(package, os.W_OK):
        out = package
        if not (folder.is_complete(out) and build.kernels_are_current(out)):
            with build.alone(out):
                folder.write_sidecar(out)
                build.prebuild_kernels(out, say)
    elif folder.is_complete(package):
        out = package
    else:
        out = _copy(package, say)
    if is_noexec(out):
        print(f"pydri: {out} is mounted noexec: programs will not load it", file=sys.stderr)
    return out


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
            _bring_up_to_date(out, package, say)
            return out
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or problem
            problems.append(f"{out} ({why})")
    raise SystemExit(
        f"pydri: no folder for the libraries: {', '.join(problems)}; name one in XDG_CACHE_HOME"
    )


def _bring_up_to_date(out: str, package: str, say: bool) -> None:
    """The copy in `out`; OSError if the folder is not safe, or cannot be had."""
    from pydri.util import place

    os.close(place.open_private(out))
    if unsafe := unsafe_ancestor(out):
        raise PermissionError(f"others may write {unsafe}")
    if is_noexec(out):
        raise PermissionError("mounted noexec")
    if all(_same(package, out, name) for name in PRODUCTS) and folder.is_complete(out):
        if build.kernels_are_current(out):
            return  # nothing is to be written: the disk may be full, or read-only
    with build.alone(out):
        build.make_folders(out)
        for name in PRODUCTS:
            if not _same(package, out, name):
                target = os.path.join(out, name)
                shutil.copy(os.path.join(package, name), f"{target}.new")
                os.replace(f"{target}.new", target)
        folder.write_sidecar(out)
        build.prebuild_kernels(out, say)


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
