# SPDX-License-Identifier: MIT
"""The body of scripts/try-release: the README's commands on a bare Debian system in a folder.

In: names of Debian releases; the committed tree; this machine's configuration of apt and pip, which
is copied at run time (sources, proxies, certificates: the registries are reached as from here).
Out: minimal systems a release: with nothing but python3 and gcc, one for a new ordinary user and
one for root; and one without gcc, where a wheel is installed that the first one made; a table of
the steps with the time each took; the last lines of those that failed; exit status 1 if one did.
Everything runs in namespaces of its own, so nothing stays mounted and no process stays behind,
however this ends. Runs on any python3: it uses the standard library alone.
"""

import argparse
import contextlib
import glob
import os
import re
import shutil
import stat
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HAVE = "python3,gcc,ca-certificates"  # what the README asks of a user, and whom to trust
BARE = "python3,ca-certificates"
#: prints the first program in Python of a page
FIRST_EXAMPLE = "awk '/^```$/ { exit } shown; /^```python$/ { shown = 1 }'"
USER, UID = "newcomer", 1000
PARTS = ("run", "wheel", "test")
_LIMIT = {"run": 1200, "wheel": 1800, "test": 3600}
_ASKED = re.compile(r"please have this done as root: apt-get install (.+)")
_CLIENT_VARIABLES = re.compile(r"PIP_|.*_proxy$|SSL_CERT_|.*CA_BUNDLE$", re.IGNORECASE)
_HOST_FILES = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/apt/apt.conf",
               "/etc/apt/auth.conf", "/etc/ssl/certs/ca-certificates.crt")  # fmt: skip


class Step(NamedTuple):
    """One thing that was done: its name, "" or what is wrong, seconds, where its output is."""

    name: str
    problem: str
    seconds: float
    log: str


def call(*command: str, **more: str) -> None:
    """A command of this machine; CalledProcessError if it fails."""
    subprocess.run(command, check=True, env={**os.environ, **more})


def debian_mirror() -> str:
    """Where this machine's apt gets Debian from."""
    form = "$(ORIGIN) $(SITE)"
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", form], capture_output=True, text=True, check=True
    )
    sites = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("Debian ")]
    if not sites:
        raise SystemExit("scripts/try-release: apt here knows no Debian; give --mirror")
    return next((site for site in sites if "security" not in site), sites[0])


def own_folder(path: str) -> str:
    """A folder of root's alone, absolute, which is made if need be. Others may write to /var/tmp:
    one of theirs, or a link, could have us write, unpack and mount wherever they like."""
    path = os.path.abspath(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise SystemExit(f"scripts/try-release: {path} is not a folder of root's alone")
    os.chmod(path, 0o700)  # an ordinary user of the systems in it enters by chroot
    return path


def base_archive(release: str, folder: str, mirror: str, have: str = HAVE) -> str:
    """The bare system as a tar file, made once."""
    name = release if have == HAVE else f"{release}-bare"
    archive = os.path.join(folder, f"{name}.tar")
    if os.path.exists(archive):
        return archive
    if not shutil.which("debootstrap"):
        raise SystemExit("scripts/try-release: needs the Debian package debootstrap")
    print(f"making a bare {release} (kept in {archive})", flush=True)
    system = os.path.join(folder, f"{name}.new")
    shutil.rmtree(system, ignore_errors=True)
    scripts = "/usr/share/debootstrap/scripts"
    script = [] if os.path.exists(f"{scripts}/{release}") else [f"{scripts}/sid"]
    with open(os.path.join(folder, f"{name}.log"), "w") as log:
        done = subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={have}", release, system, mirror,
             *script], stdout=log, stderr=log, check=False,
        )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"scripts/try-release: debootstrap failed, see {log.name}")
    call("tar", "-C", system, "-cf", f"{archive}.new", ".")
    os.replace(f"{archive}.new", archive)
    shutil.rmtree(system)
    return archive


class System:
    """One bare system, unpacked, with this machine's ways to the registries and our tree in it."""

    def __init__(self, path: str, release: str, archive: str, mirror: str, user: str) -> None:
        self.path = path
        self.release = release
        self.user = user
        self.home = f"/home/{user}" if user != "root" else "/root"
        self.tree = f"{self.home}/pydri"
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        call("tar", "-C", path, "-xf", archive)
        self.secrets: list[str] = []  # copies of files in which passwords may be
        self._copy_client_configuration(release, mirror)
        if user != "root":
            call("chroot", path, "useradd", "-m", "-u", str(UID), "-s", "/bin/bash", user)
        call("git", "clone", "-q", "--no-hardlinks", ROOT, path + self.tree)
        if user != "root":
            call("chown", "-R", f"{UID}:{UID}", path + self.tree)

    def _copy_client_configuration(self, release: str, mirror: str) -> None:
        settings = [f for f in glob.glob("/etc/apt/apt.conf.d/*") if "Acquire" in _text(f)]
        folders = ("/etc/apt/auth.conf.d", "/usr/local/share/ca-certificates")
        more = [file for folder in folders for file in glob.glob(f"{folder}/*")]
        for name in [*_HOST_FILES, *settings, *more]:
            if os.path.isfile(name):
                os.makedirs(os.path.dirname(self.path + name), exist_ok=True)
                shutil.copy(name, self.path + name)
                if "auth" in name or "pip" in name or name.startswith("/etc/apt/apt.conf"):
                    self.secrets.append(self.path + name)
        for own in ("~/.pip/pip.conf", "~/.config/pip/pip.conf"):
            if os.path.isfile(os.path.expanduser(own)):
                os.makedirs(f"{self.path}/etc/xdg/pip", exist_ok=True)  # for every user there
                target = f"{self.path}/etc/xdg/pip/pip.conf"
                shutil.copy(os.path.expanduser(own), target)
                self.secrets.append(target)
        shutil.rmtree(f"{self.path}/etc/apt/sources.list.d", ignore_errors=True)
        with open(f"{self.path}/etc/apt/sources.list", "w") as file:
            file.write(f"deb {mirror} {release} main\n")
        if "@" in mirror:
            self.secrets.append(f"{self.path}/etc/apt/sources.list")

    def forget_secrets(self) -> None:
        """Delete the copies of what tells this machine's passwords: the system stays for a look."""
        for path in self.secrets:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def mount(self) -> None:
        """What programs expect; in a namespace of ours, so nobody has to take it away."""
        for kind, where in (("proc", "proc"), ("sysfs", "sys"), ("tmpfs", "dev"), ("tmpfs", "tmp")):
            call("mount", "-t", kind, kind, f"{self.path}/{where}")
        for name in ("null", "zero", "full", "random", "urandom", "tty"):
            with open(f"{self.path}/dev/{name}", "w"):
                pass
            call("mount", "--bind", f"/dev/{name}", f"{self.path}/dev/{name}")
        for name in ("shm", "pts"):
            os.mkdir(f"{self.path}/dev/{name}")
        call("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", f"{self.path}/dev/shm")
        call("mount", "-t", "devpts", "-o", "newinstance,ptmxmode=0666", "devpts",
             f"{self.path}/dev/pts")  # fmt: skip
        links = {"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
                 "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}  # fmt: skip
        for name, target in links.items():
            os.symlink(target, f"{self.path}/dev/{name}")
        os.chmod(f"{self.path}/tmp", 0o1777)

    def run(self, command: str, log: str, limit: float, user: str = "") -> int:
        """A shell command in our tree, as that user; its exit status. Output goes to the log."""
        user = user or self.user
        env = {k: v for k, v in os.environ.items() if _CLIENT_VARIABLES.match(k)}
        env |= {"HOME": self.home if user == self.user else "/root", "USER": user}
        admin = ":/usr/sbin:/sbin" if user == "root" else ""
        env["PATH"] = f"/usr/local/bin:/usr/bin:/bin{admin}"
        who = [] if user == "root" else [f"--userspec={UID}:{UID}"]
        with open(log, "a") as file:
            file.write(f"$ {command}\n")
            file.flush()
            try:
                return subprocess.run(
                    ["/usr/sbin/chroot", *who, self.path, "/bin/sh", "-c",
                     f"cd {self.tree} && {command}"],
                    env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=limit,
                    check=False,
                ).returncode  # fmt: skip
            except subprocess.TimeoutExpired:
                file.write(f"no end after {limit:.0f} s\n")
                return 124


def _text(path: str) -> str:
    if not os.path.exists(path):  # the step ended before it ran anything
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def colours(path: str) -> int:
    """How many colours a PNG of 8 bits a channel has whose rows are not filtered (as we write)."""
    with open(path, "rb") as file:
        data = file.read()
    width, height = (int.from_bytes(data[n : n + 4], "big") for n in (16, 20))
    body, at = b"", 8
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        body += data[at + 8 : at + 8 + size] if data[at + 4 : at + 8] == b"IDAT" else b""
        at += size + 12
    pixels, row = zlib.decompress(body), 3 * width + 1
    lines = [pixels[y * row + 1 : (y + 1) * row] for y in range(height)]
    return len({line[x : x + 3] for line in lines for x in range(0, 3 * width, 3)})


# -- what the README says --------------------------------------------------------------------------


def first_picture(system: System, log: str) -> str:
    """`scripts/run glxgears`. For an ordinary user its one line says what root shall install."""
    command = "scripts/run --screenshot gears.png glxgears"
    status = system.run(command, log, _LIMIT["run"])
    asked = _ASKED.search(_text(log))
    if system.user != "root":
        if not asked:
            return "a bare system, and nothing was asked for"
        order = f"DEBIAN_FRONTEND=noninteractive apt-get install -y -qq {asked[1]}"
        if system.run(f"apt-get update -qq && {order}", log, _LIMIT["run"], "root"):
            return f"cannot be installed: {asked[1]}"
        status = system.run(command, log, _LIMIT["run"])
    if status:
        return f"exit status {status}"
    seen = colours(system.path + system.tree + "/gears.png")
    return "" if seen > 16 else f"the picture has {seen} colours"


def warm(system: System, log: str) -> str:
    """The second time."""
    status = system.run("scripts/run --seconds 1 --stats glxgears", log, 60)
    return f"exit status {status}" if status else ""


def wheel(system: System, log: str) -> str:
    """The README's other way: scripts/wheel, pip, `pydri run`, in an environment that is not ours
    to write (root's, used by an ordinary user). (The kernels of the first call serve the wheel.)"""
    steps = (
        (system.user, "scripts/wheel --python /usr/bin/python3 --out ~/wheel"),
        ("root", f"python3 -m venv /opt/pydri && {_install(system)}"),
        *_USE,
    )
    return _wheel_steps(system, log, steps)


_PYDRI = "cd && /opt/pydri/bin/pydri"
_USE = (  # by an ordinary user
    (USER, f"{_PYDRI} doctor glxgears"),
    (USER, f"{_PYDRI} info"),
    (USER, f"{_PYDRI} run --screenshot pip.png glxgears"),
)


def _install(system: System) -> str:
    return f"/opt/pydri/bin/pip install -q {system.home}/wheel/*"


def _wheel_steps(system: System, log: str, steps: Iterable[tuple[str, str]]) -> str:
    for user, command in steps:
        if status := system.run(command, log, _LIMIT["wheel"], user):
            return f"exit status {status}: {command}"
    if "compiling the driver's kernels for" in _text(log).partition(_PYDRI)[2]:
        return "the kernels that the wheel brought are not used"
    seen = colours(system.path + system.home + "/pip.png")
    return "" if seen > 16 else f"the picture has {seen} colours"


def bare_wheel(system: System, log: str) -> str:
    """The same wheel where there is no compiler: a program with a window, and the lines of
    docs/python.md, which draw without a display. root installs what a desktop has."""
    made = f"{os.path.dirname(system.path)}/{system.release}-{USER}/home/{USER}/wheel"
    if not os.path.isdir(made):
        return f"no wheel in {made}: the part wheel of {USER} makes it"
    shutil.copytree(made, f"{system.path}{system.home}/wheel")
    python = "libpython$(python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])')"
    lines = f"{FIRST_EXAMPLE} docs/python.md >~/picture.py"
    steps = (
        ("root", "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq"
                 f" --no-install-recommends python3-venv {python} xvfb mesa-utils"),
        ("root", "! command -v gcc && ! command -v cc && python3 -m venv /opt/pydri"),
        ("root", _install(system)),
        *_USE,
        (USER, f"{lines} && cd && /opt/pydri/bin/python picture.py && test -s triangle.png"),
    )  # fmt: skip
    return _wheel_steps(system, log, steps)


def tests(system: System, log: str) -> str:
    """`scripts/test`."""
    status = system.run("scripts/test " + " ".join(TEST_ARGUMENTS), log, _LIMIT["test"])
    return f"exit status {status}" if status else ""


class Setting(NamedTuple):
    """A kind of system: who uses it, what it has from the beginning, and the steps there, each a
    part, a name and what does it."""

    user: str
    have: str
    steps: tuple[tuple[str, str, Callable[[System, str], str]], ...]


TEST_ARGUMENTS: list[str] = []
SETTINGS = {  # in this order
    USER: Setting(USER, HAVE, (
        ("run", "scripts/run glxgears", first_picture), ("run", "the second time", warm),
        ("wheel", "wheel, pip, pydri run", wheel))),
    "bare": Setting(USER, BARE, (("wheel", "the wheel without gcc", bare_wheel),)),
    "root": Setting("root", HAVE, (
        ("run", "scripts/run glxgears", first_picture), ("run", "the second time", warm),
        ("test", "scripts/test", tests))),
}  # fmt: skip


def try_setting(system: System, title: str, kind: str, args: argparse.Namespace) -> list[Step]:
    """The steps on a system of a kind."""
    done: list[Step] = []
    for number, (part, name, act) in enumerate(SETTINGS[kind].steps):
        if part not in (args.only or PARTS):
            continue
        log = os.path.join(args.folder, f"{title.replace(', ', '-')}-{number}.log")
        if os.path.exists(log):
            os.unlink(log)
        begin = time.monotonic()
        problem = act(system, log)
        step = Step(f"{title}: {name}", problem, time.monotonic() - begin, log)
        print(f"{step.name:50} {step.seconds:7.1f} s  {problem or 'ok'}", flush=True)
        done.append(step)
        if problem and number == 0:
            break
    return done


def try_release(release: str, args: argparse.Namespace) -> list[Step]:
    """All steps of one release; what needs the first one is left out if that fails."""
    done: list[Step] = []
    for kind in args.user or SETTINGS:
        setting = SETTINGS[kind]
        archive = base_archive(release, args.folder, args.mirror, setting.have)
        system = System(os.path.join(args.folder, f"{release}-{kind}"), release, archive,
                        args.mirror, setting.user)  # fmt: skip
        try:
            system.mount()
            done += try_setting(system, f"{release}, {kind}", kind, args)
        finally:
            system.forget_secrets()
    return done


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/try-release", description="what the README says, on a bare Debian"
    )
    add = parser.add_argument
    add("--only", action="append", choices=PARTS, help="this part; may be repeated")
    add("--user", action="append", choices=tuple(SETTINGS),
        help="as that user alone; bare: on a system without gcc, with the wheel of the first")
    add("--mirror", metavar="URL", help="of Debian (default: what apt here uses)")
    add("--folder", default="/var/tmp/pydri-releases", metavar="DIR",
        help="for the systems, archives and logs; root's alone (default %(default)s)")  # fmt: skip
    add("--inside", action="store_true", help=argparse.SUPPRESS)
    add("--test", default="", metavar="ARGS", help="given to scripts/test: --test='--quick'")
    add("release", nargs="+", help="bookworm, trixie, forky, ...")
    return parser.parse_args()


def main() -> int:
    """0 if every step of every release is fine."""
    args = arguments()
    if os.getuid():
        print("scripts/try-release: only root may make a system in a folder", file=sys.stderr)
        return 2
    if not args.inside:  # mounts and processes of our own, gone when this process is
        namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        command = [*namespaces, sys.executable, __file__, "--inside", *sys.argv[1:]]
        return subprocess.run(command, check=False).returncode
    args.folder = own_folder(args.folder)
    args.mirror = args.mirror or debian_mirror()
    TEST_ARGUMENTS[:] = args.test.split()
    done = [step for release in args.release for step in try_release(release, args)]
    failed = [step for step in done if step.problem]
    for step in failed:
        print(f"\n-- {step.name}: {step.problem}; the end of {step.log}:")
        print("\n".join(_text(step.log).splitlines()[-40:]))
    print(f"\n{len(done) - len(failed)} of {len(done)} steps are fine")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
