# SPDX-License-Identifier: MIT
"""The libraries of a checkout or an installed package, made ready where a program is started.

In: what the build or a wheel left. Out: a folder with libraries, sidecar and kernels of this place
and this CPU. Where the package's folder cannot be written (root's site-packages, a full disk) it is
a copy in the user's cache folder or, if there is none, in another one that is the user's alone; the
kernels that a wheel brought are used where they are. Where all is as it was when it was found right
(ready.py), which is nearly always, nothing of the build is imported.

The copies are loaded by every program that draws, by path. So nobody else may own or write the
folder (pydri/util/place.py holds it to what the object cache is held to), nor put another one in
its place: all folders above it are looked at, too.
"""

import os
import stat
import sys

from libgl_shim import machine, products, ready
from libgl_shim.products import OBJECTS, PRODUCTS, SIDECAR
from pydri.util import place


def is_package() -> bool:
    """Whether this is an installed package that carries its libraries."""
    return not products.is_checkout() and os.path.exists(
        os.path.join(products.default_out(), PRODUCTS[0])
    )


def _sha256(text: bytes) -> str:
    """By Python's own function: hashlib would load OpenSSL for it, which takes longer than all that
    is done here."""
    for module in ("_sha2", "_sha256", "hashlib"):  # of 3.12, of 3.11, of who was built otherwise
        try:
            return str(__import__(module).sha256(text).hexdigest())
        except (AttributeError, ImportError):
            continue
    raise ImportError("this Python has no sha256")


def own_folders(package: str) -> list[str]:
    """Where a user may keep what an installed package of somebody else's lacks, the best first:
    absolute paths, as the XDG base directory specification wants them."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not cache.startswith("/"):
        cache = os.path.join(os.path.expanduser("~"), ".cache")
    name = _sha256(package.encode("utf-8", "surrogateescape"))[:16]
    places = [os.path.join(cache, f"pydri-lib-{name}")]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    # The last two are in memory: a disk that is full keeps nobody from drawing.
    for temporary in (os.environ.get("TMPDIR", ""), "/tmp", "/var/tmp", runtime, "/dev/shm"):
        places.append(os.path.join(temporary, f"pydri-{os.geteuid()}-lib-{name}"))
    return [place for place in dict.fromkeys(places) if place.startswith("/")]


def current_folder() -> str:
    """The folder of libGL.so.1, as it is: build/lib, the package's own, or the user's copy."""
    from libgl_shim import folder

    out = products.default_out()
    if products.is_checkout() or os.access(out, os.W_OK) or folder.is_complete(out):
        return out
    places = own_folders(out)
    return next((place for place in places if os.path.exists(place)), places[0])


def prepare(say: bool = True) -> str:
    """Libraries, sidecar and kernels, brought up to date as far as they are not; their folder.

    SystemExit with one sentence where that cannot be had.
    """
    machine.check()
    package = products.default_out()
    if ready.holds(package):
        out = package
    else:
        out = _ready_copy(package) or _looked_over(package, say)
    if is_noexec(out):
        print(f"pydri: {out} is mounted noexec: programs will not load it", file=sys.stderr)
    return out


def _looked_over(package: str, say: bool) -> str:
    """The folder to be used, after a look at everything."""
    from libgl_shim import build

    if not is_package():
        out = build.build(package, say=say)
    elif _is_ready(package, say):
        out = package
    else:
        out = _copy(package, say)
    _note(out, package)
    return out


def _note(out: str, package: str) -> None:
    """Spare who comes next the look at everything. It is looked once more: who changes a file
    meanwhile shall find that it has changed."""
    from libgl_shim import build, folder

    paths = folder.looked_at(out) if os.access(out, os.W_OK) else []
    if not paths:
        return
    if out != package:
        paths += [os.path.join(package, name) for name in (*PRODUCTS, SIDECAR, OBJECTS)]
    looked = ready.rows((*paths, *build.kernel_folders(out)))
    if build.is_current(out) and (out == package or _is_copy(out, package)):
        ready.note(out, looked)


def _is_ready(package: str, say: bool) -> bool:
    """Whether an installed package can be used where it is, once it has its sidecar and kernels."""
    from libgl_shim import build, folder

    complete = folder.is_complete(package)
    if complete and build.kernels_are_current(package):
        return True
    if os.access(package, os.W_OK):
        try:
            with build.alone(package):
                folder.write_sidecar(package)
                _close_to_others(os.path.join(package, OBJECTS))
                build.prebuild_kernels(package, say)
                return True
        except OSError:
            pass
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


def _ready_copy(package: str) -> str:
    """A copy of a package whose own folder lacks what is of its place, as it was left; ""."""
    if not is_package() or os.path.exists(os.path.join(package, SIDECAR)):
        return ""
    for out in own_folders(package):
        if os.path.exists(os.path.join(out, ready.NAME)):
            try:
                _hold_to_be_safe(out)
            except (OSError, ValueError):
                continue
            if ready.holds(out):
                return out
    return ""


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


def _hold_to_be_safe(out: str) -> None:
    """OSError if a folder for a copy is not safe, or cannot be had; it is made."""
    os.close(place.open_private(out))
    if unsafe := unsafe_ancestor(out):
        raise PermissionError(f"others may write {unsafe}")
    if is_noexec(out):
        raise PermissionError("mounted noexec")


def _bring_up_to_date(out: str, package: str, say: bool) -> bool:
    """The copy in `out`; whether anything had to be written. OSError as `_hold_to_be_safe`."""
    import shutil

    from libgl_shim import build, folder

    _hold_to_be_safe(out)
    brought = build.kernels_are_current(package)
    if _is_copy(out, package) and folder.is_complete(out):
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
        return os.readlink(os.path.join(out, OBJECTS)) == os.path.join(package, OBJECTS)
    except OSError:
        return False


def _is_copy(out: str, package: str) -> bool:
    """Whether the libraries in `out` are those of a package."""
    return all(_same(package, out, name) for name in PRODUCTS)


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
