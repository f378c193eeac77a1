# SPDX-License-Identifier: MIT
"""The object cache: what it returns, what it refuses to believe, and that none of it can fail."""

from __future__ import annotations

import ctypes
import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pydri.jit import Module, cache, cpu, i32, kernel, naming
from pydri.jit.cache import ObjectCache, object_cache
from pydri.util import source_tree
from pydri.util.options import options
from tests import host

BLOB = bytes(range(256)) * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "er" / cache.FOLDER


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_stored_objects_come_back_in_a_later_process(folder: Path) -> None:
    first = ObjectCache(str(folder))
    assert first.get(b"key") is None
    first.put(b"key", BLOB)
    first.put(b"", b"")
    later = ObjectCache(str(folder))
    assert later.get(b"key") == BLOB and later.get(b"") == b"" and later.get(b"other") is None
    assert (later.hits, later.misses) == (2, 1)
    assert "2 hits, 1 misses" in later.stats()


def test_folder_and_files_are_private(folder: Path) -> None:
    ObjectCache(str(folder)).put(b"key", BLOB)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [f.stat().st_mode & 0o777 for f in files(folder)] == [0o600]


def test_salt_separates(folder: Path) -> None:
    ObjectCache(str(folder), b"build 1").put(b"key", BLOB)
    assert ObjectCache(str(folder), b"build 2").get(b"key") is None
    assert ObjectCache(str(folder), b"build 1").get(b"key") == BLOB


def test_a_later_put_replaces_and_discard_removes(folder: Path) -> None:
    c = ObjectCache(str(folder))
    c.put(b"key", b"one")
    c.put(b"key", b"two")
    assert c.get(b"key") == b"two" and len(files(folder)) == 1
    c.discard(b"key")
    assert c.get(b"key") is None and files(folder) == []


def test_every_damage_is_a_miss_and_the_file_goes(folder: Path) -> None:
    c = ObjectCache(str(folder))
    c.put(b"key", b"some code")
    [path] = files(folder)
    good = path.read_bytes()
    damaged = [good[:n] for n in range(len(good))] + [good + b"x"]
    damaged += [good[:i] + bytes([good[i] ^ 1]) + good[i + 1 :] for i in range(len(good))]
    for data in damaged:
        path.write_bytes(data)
        assert c.get(b"key") is None
        assert not path.exists()
    c.put(b"key", b"some code")
    assert c.get(b"key") == b"some code"


def test_what_stays_is_sound(folder: Path) -> None:
    """An object that must not replace a better one is kept where there is none to be believed."""
    c = ObjectCache(str(folder))
    c.put(b"key", b"better")
    c.put(b"key", b"hurried", replace=False)
    assert ObjectCache(str(folder)).get(b"key") == b"better"
    [path] = files(folder)
    data = path.read_bytes()
    for spoilt in ("others may write it", "cut", "a link", "a pipe"):
        path.unlink()
        if spoilt == "a link":
            path.symlink_to("/dev/zero")
        elif spoilt == "a pipe":
            os.mkfifo(path)
        else:
            path.write_bytes(data[:-1] if spoilt == "cut" else data)
            path.chmod(0o666)
        c.put(b"key", b"hurried", replace=False)
        assert ObjectCache(str(folder)).get(b"key") == b"hurried", spoilt


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    c = ObjectCache(str(folder))
    c.put(b"key", BLOB)
    [path] = files(folder)
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert c.get(b"key") is None
    c.put(b"key", b"new")  # replaces the link, not what it points to
    assert c.get(b"key") == b"new" and elsewhere.read_bytes() != path.read_bytes()
    assert not path.is_symlink()


def test_a_linked_folder_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / cache.FOLDER).symlink_to(tmp_path / "real")
    c = ObjectCache(str(tmp_path / cache.FOLDER))
    c.put(b"key", BLOB)
    assert c.get(b"key") == BLOB and files(tmp_path / "real") == []


@pytest.mark.parametrize("kind", ["fifo", "folder", "socket"])
def test_other_kinds_of_file_are_a_miss(folder: Path, kind: str) -> None:
    c = ObjectCache(str(folder))
    path = folder / c.name(b"key")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        os.mknod(path, 0o140600)
    assert c.get(b"key") is None
    c.put(b"key", BLOB)
    assert c.get(b"key") == BLOB


def test_a_file_others_may_write_is_not_believed(folder: Path) -> None:
    c = ObjectCache(str(folder))
    c.put(b"key", BLOB)
    [path] = files(folder)
    for mode in (0o620, 0o602):
        path.chmod(mode)
        assert c.get(b"key") is None
    path.chmod(0o644)
    assert c.get(b"key") == BLOB


def test_a_folder_others_may_write_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    c = ObjectCache(str(folder))
    c.put(b"key", BLOB)
    assert c.get(b"key") == BLOB and files(folder) == []


def test_foreign_owner(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    c = ObjectCache(str(folder))
    c.put(b"key", BLOB)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert c.get(b"key") is None
    assert len(files(folder)) == 1  # not ours: not ours to remove either
    stranger = ObjectCache(str(folder))
    stranger.put(b"key", b"x")
    monkeypatch.undo()
    assert c.get(b"key") == BLOB


def test_unwritable_folder_leaves_a_cache_in_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    with options(LIBGL_DEBUG="verbose", MESA_LOG_FILE=None):
        for place in (str(tmp_path / "file" / "x"), "/proc/nowhere/x", "/dev/null", "\0"):
            c = ObjectCache(place)
            c.put(b"key", BLOB)
            assert c.get(b"key") == BLOB and c.get(b"other") is None
            assert "memory" in c.stats()
    assert "not kept" in capsys.readouterr().err


def test_the_folder_may_disappear(folder: Path) -> None:
    c = ObjectCache(str(folder))
    c.put(b"one", BLOB)
    for path in files(folder):
        path.unlink()
    folder.rmdir()
    assert c.get(b"one") is None
    c.put(b"two", BLOB)
    assert c.get(b"two") == BLOB


def test_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    c = ObjectCache(str(folder))

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    c.put(b"key", BLOB)
    monkeypatch.undo()
    assert c.get(b"key") == BLOB and files(folder) == []


def test_short_writes_are_continued(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    c = ObjectCache(str(folder))
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data)[:1000]))
    c.put(b"key", BLOB)
    monkeypatch.undo()
    assert ObjectCache(str(folder)).get(b"key") == BLOB


def test_size_is_bounded_and_the_oldest_go(folder: Path) -> None:
    c = ObjectCache(str(folder), max_size=100_000)
    for n in range(30):
        c.put(b"%d" % n, BLOB)
        path = folder / c.name(b"%d" % n)
        if path.exists():
            os.utime(path, (1000 + n, 1000 + n))
        assert sum(f.stat().st_size for f in files(folder)) <= 100_000
    kept = [n for n in range(30) if (folder / c.name(b"%d" % n)).exists()]
    assert kept == list(range(kept[0], 30)) and len(kept) >= 7


def test_use_keeps_an_object_young(folder: Path) -> None:
    c = ObjectCache(str(folder))
    c.put(b"key", BLOB)
    [path] = files(folder)
    os.utime(path, (1000, 1000))
    c.get(b"key")
    assert time.time() - path.stat().st_mtime < 60


def test_a_cache_that_is_old_and_read_only_serves(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As nodes of a cluster share one: that a file was used cannot be noted."""
    ObjectCache(str(folder)).put(b"key", BLOB)
    os.utime(files(folder)[0], (1000, 1000))

    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "utime", refuse)
    assert ObjectCache(str(folder)).get(b"key") == BLOB


def test_left_over_temporaries_are_cleaned_up(folder: Path) -> None:
    c = ObjectCache(str(folder), max_size=25_000)
    (folder / ".tmp-1-1-1").write_bytes(bytes(9000))
    os.utime(folder / ".tmp-1-1-1", (1000, 1000))
    (folder / ".tmp-2-2-2").write_bytes(b"being written")
    for n in range(3):
        c.put(b"%d" % n, BLOB)
    names = {f.name for f in files(folder)}
    assert ".tmp-1-1-1" not in names and ".tmp-2-2-2" in names


def test_an_object_larger_than_the_cache_stays_in_memory(folder: Path) -> None:
    c = ObjectCache(str(folder), max_size=1000)
    c.put(b"key", BLOB)
    assert c.get(b"key") == BLOB and files(folder) == []


def test_two_processes_write_the_same_keys(folder: Path) -> None:
    script = (
        "import sys\n"
        "from pydri.jit.cache import ObjectCache\n"
        "c = ObjectCache(sys.argv[1])\n"
        "blob = sys.argv[2].encode() * 20000\n"
        "for n in range(200):\n"
        "    c.put(b'same', blob)\n"
        "    got = c.get(b'same')\n"
        "    assert got and len(set(got)) == 1 and len(got) == 20000, got and len(got)\n"
    )
    root = Path(__file__).parents[3]
    children = [
        subprocess.Popen([sys.executable, "-c", script, str(folder), name], cwd=root)
        for name in "ab"
    ]
    assert [child.wait(60) for child in children] == [0, 0]
    assert len(files(folder)) == 1


def test_threads(folder: Path) -> None:
    c = ObjectCache(str(folder), max_size=60_000)
    wrong: list[object] = []

    def work(number: int) -> None:
        for n in range(60):
            key = b"%d" % (n % 7)
            c.put(key, key * 4000)
            got = c.get(key)
            if got is not None and got != key * 4000:
                wrong.append(got)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == [] and c.hits + c.misses == 240 and c.stored == 240


# -- where and for what --------------------------------------------------------------------------


def test_directory_follows_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    with options(MESA_SHADER_CACHE_DIR=None, XDG_CACHE_HOME=None, MESA_SHADER_CACHE_DISABLE=None):
        assert cache.cache_directory() == "/home/me/.cache/pydri_cache"
        with options(XDG_CACHE_HOME="/xdg"):
            assert cache.cache_directory() == "/xdg/pydri_cache"
            with options(MESA_SHADER_CACHE_DIR="/mesa"):
                assert cache.cache_directory() == "/mesa/pydri_cache"
        with options(XDG_CACHE_HOME="relative"):
            assert cache.cache_directory() is None
        with options(MESA_SHADER_CACHE_DISABLE="true"):
            assert cache.cache_directory() is None
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert cache.cache_directory() is None


def test_users_of_one_folder(tmp_path: Path) -> None:
    """A cache folder may be set for everybody: who comes second has a folder beside the first's."""
    if os.getuid():
        host.does_not_apply("needs root to give a folder away")
    with options(MESA_SHADER_CACHE_DIR=tmp_path, MESA_SHADER_CACHE_DISABLE=None):
        first = cache.cache_directory()
        assert first == str(tmp_path / cache.FOLDER)
        (tmp_path / cache.FOLDER).mkdir(mode=0o700)
        assert cache.cache_directory() == first
        os.chown(first, host.NOBODY, host.NOBODY)
        second = cache.cache_directory()
    assert second == f"{first}-0"
    ObjectCache(second).put(b"key", BLOB)
    assert ObjectCache(second).get(b"key") == BLOB
    assert files(Path(second)) and not files(Path(first))


@pytest.fixture
def own_process_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cache, "_cache", None)
    yield


def test_the_process_has_one_cache(own_process_cache: None, tmp_path: Path) -> None:
    with options(MESA_SHADER_CACHE_DIR=tmp_path, MESA_SHADER_CACHE_MAX_SIZE="5M"):
        c = cache.object_cache()
    assert c is cache.object_cache()
    assert c.directory == str(tmp_path / cache.FOLDER) and c.max_size == 5 << 20


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Sources."""
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "a.py").write_text("one")
    (package / "inner" / "b.py").write_text("two")
    return package


def test_names_follow_the_contents_of_sources(package: Path) -> None:
    """Not their times: a copy, or a version whose files look the same, is told by what it says."""
    ids = [source_tree.contents([str(package)])]
    os.utime(package / "a.py", (5, 5))
    (package / "note.txt").write_text("no code")
    assert source_tree.contents([str(package)]) == ids[0]
    before = source_tree.appearance([str(package)])
    (package / "a.py").write_text("two")  # of one size, at one time
    os.utime(package / "a.py", (5, 5))
    assert source_tree.appearance([str(package)]) == before
    ids.append(source_tree.contents([str(package)]))
    (package / "inner" / "table.csv").write_text("x")
    ids.append(source_tree.contents([str(package)]))
    (package / "inner" / "b.py").rename(package / "inner" / "c.py")
    ids.append(source_tree.contents([str(package)]))
    assert len(set(ids)) == len(ids)


def test_commands_for_people_are_no_sources_of_code() -> None:
    """Who mends `pydri doctor` need not compile the driver."""
    names = {name for root in source_tree.source_roots() for name, _ in source_tree._files(root)}
    assert {"boot.py", "jit/emitter.py", "context.py"} <= names
    assert not [name for name in names if name.startswith("tools")]


def test_a_start_believes_the_build_while_sources_look_the_same(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And reads them where they don't: whoever edits a checkout gets other names."""
    roots = [str(package)]
    facts = {"sources": "noted", "seen": source_tree.appearance(roots)}
    monkeypatch.setattr(source_tree, "source_roots", lambda: roots)
    monkeypatch.setattr(source_tree.place, "fact", lambda key: facts.get(key, ""))
    assert source_tree.noted_contents() == "noted"
    os.utime(package / "a.py", (5, 5))
    real = source_tree.contents(roots)
    assert source_tree.noted_contents() == real
    facts["seen"] = ""
    assert source_tree.noted_contents() == real
    facts.clear()
    assert source_tree.noted_contents() == real


def test_the_interpreter_is_in_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "_id", b"")
    here = naming.build_id()
    monkeypatch.setattr(naming, "_id", b"")
    monkeypatch.setattr(sys, "version", "3.99.1 (another one)")
    assert naming.build_id() == here
    monkeypatch.setattr(naming, "_id", b"")
    monkeypatch.setattr(naming, "llvmlite_version", lambda: b"another LLVM")
    assert naming.build_id() != here


def test_the_shipped_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The highest that this machine can run; of this version of the sources alone."""
    v2, v3, v4 = cpu.LEVELS[1:]
    for level in (v2, v4):
        (tmp_path / cpu.level_folder(level)).mkdir()
    assert cpu.shipped_level(str(tmp_path), v4) is v4
    assert cpu.shipped_level(str(tmp_path), v3) is v2  # an image that a greater machine made
    assert cpu.shipped_level(str(tmp_path), cpu.LEVELS[0]) is None
    assert cpu.shipped_level(str(tmp_path / "nowhere"), v4) is None
    monkeypatch.setattr(naming, "_id", b"another")
    assert cpu.shipped_level(str(tmp_path), v4) is None


def shipped(folder: Path) -> bytes | None:
    """What a cache whose shipped folder this is finds there."""
    return ObjectCache(None, shipped=str(folder / "level")).get(b"key")


def test_shipped_objects_are_those_of_the_librarys_owner(tmp_path: Path) -> None:
    """Neither a file nor a folder that others may have written counts, nor what is a link."""
    folder = tmp_path / "level"
    ObjectCache(str(folder)).put(b"key", BLOB)
    [path] = files(folder)
    path.chmod(0o644)
    folder.chmod(0o755)
    assert shipped(tmp_path) == BLOB
    for place in (path, folder):
        mode = place.stat().st_mode
        for writable in (0o20, 0o2):
            place.chmod(mode | writable)
            assert shipped(tmp_path) is None
        place.chmod(mode)
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    assert shipped(tmp_path) is None
    folder.unlink()
    elsewhere.rename(folder)
    assert shipped(tmp_path) == BLOB
    path.rename(tmp_path / "object")
    path.symlink_to(tmp_path / "object")
    assert shipped(tmp_path) is None


@pytest.mark.parametrize("what", ["file", "folder"])
def test_shipped_objects_of_somebody_else(tmp_path: Path, what: str) -> None:
    if os.getuid():
        host.does_not_apply("needs root to give a file away")
    folder = tmp_path / "level"
    ObjectCache(str(folder)).put(b"key", BLOB)
    folder.chmod(0o755)
    place = folder if what == "folder" else files(folder)[0]
    os.chown(place, host.NOBODY, host.NOBODY)
    assert shipped(tmp_path) is None
    os.chown(tmp_path, host.NOBODY, host.NOBODY)  # whose library it is
    assert shipped(tmp_path) == BLOB


def test_llvmlite_is_identified_without_loading_it() -> None:
    script = (
        "import sys\nfrom pydri.jit import cache, naming\n"
        "assert b'version' in naming.llvmlite_version()\n"
        "assert 'llvmlite' not in sys.modules and 'hashlib' not in sys.modules\n"
    )
    subprocess.run(
        [sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[3], timeout=60
    )


def test_names_depend_on_the_cpu() -> None:
    """A width that the CPU has not is code of its best level."""
    had = {min(width, cpu.host().level.width) for width in cpu.WIDTHS}
    assert len({cpu.cpu_id(w) for w in cpu.WIDTHS}) == len(had) > 1


def test_code_is_shared_and_goes_with_its_last_user() -> None:
    @kernel(i32, ())
    def answer(b: Any) -> Any:
        return b.const(i32, 42)

    def load() -> Any:
        return Module("shared", [answer]).compile()

    def call(image: Any) -> int:
        return int(ctypes.CFUNCTYPE(ctypes.c_int)(image.address("answer"))())

    def mapped(address: int) -> bool:
        return f"{address:x}-" in Path("/proc/self/maps").read_text()

    first, second = load(), load()
    assert first is second and first.users == 2 and call(first) == 42
    object_cache().release(first)
    assert mapped(first.base) and call(second) == 42
    object_cache().release(second)
    assert not mapped(first.base)
    assert call(load()) == 42


def test_memory_is_bounded_where_there_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pydri.jit.cache._MEMORY_SIZE", 1000)
    cache = ObjectCache(None)
    for n in range(10):
        cache.put(b"%d" % n, bytes([n]) * 300)
    assert [cache.get(b"%d" % n) is not None for n in range(10)] == [False] * 7 + [True] * 3
    cache.put(b"large", bytes(5000))  # what was made last is always there
    assert cache.get(b"large") == bytes(5000)


def test_files_that_another_thread_shall_write(folder: Path) -> None:
    """What waits to be written is there at once; flush writes it, and nothing twice."""
    asked: list[Callable[[], None]] = []
    c = ObjectCache(str(folder), later=asked.append)
    c.put(b"key", BLOB)
    c.put(b"gone", BLOB)
    c.discard(b"gone")
    assert c.get(b"key") == BLOB
    assert ObjectCache(str(folder)).get(b"key") is None
    for work in asked:
        work()
    assert len(list(folder.iterdir())) == 1
    assert ObjectCache(str(folder)).get(b"key") == BLOB == c.get(b"key")
    assert c.get(b"gone") is None
