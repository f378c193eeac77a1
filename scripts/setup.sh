# SPDX-License-Identifier: MIT
# Sourced by scripts/run and scripts/test: makes .venv and installs what is missing, once; says what
# it does. Afterwards $PYTHON is the virtual environment's Python. Stamps make the second time quick.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PYTHON=$ROOT/.venv/bin/python
say() { echo "pydri: $*" >&2; }

# What a Debian system needs; "command:package" or "file:package".
WANTED="Xvfb:xvfb gcc:gcc glxgears:mesa-utils
/usr/include/stdio.h:libc6-dev
/usr/lib/x86_64-linux-gnu/libX11.so.6:libx11-6
/usr/lib/x86_64-linux-gnu/libXext.so.6:libxext6
/usr/lib/x86_64-linux-gnu/libX11-xcb.so.1:libx11-xcb1
/usr/lib/x86_64-linux-gnu/libxcb-shm.so.0:libxcb-shm0
/usr/lib/x86_64-linux-gnu/libGL.so.1:libgl1
/usr/lib/x86_64-linux-gnu/dri/swrast_dri.so:libgl1-mesa-dri"

install_packages() {
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        say "please install: $* (on Debian as root: apt-get install $*)"
        return 1
    fi
    say "installing Debian packages: $*"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
        >/dev/null 2>&1 && return 0
    apt-get update -qq >/dev/null 2>&1
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

check_packages() {
    local row what missing=""
    for row in $WANTED; do
        what=${row%%:*}
        case $what in
            /*) [ -e "$what" ] || missing="$missing ${row##*:}" ;;
            *) command -v "$what" >/dev/null || missing="$missing ${row##*:}" ;;
        esac
    done
    [ -z "$missing" ] || install_packages $missing || true
}

# Python.h, a shared libpython and venv: what the shim is built for and starts.
python_fits() {
    "$1" - 2>/dev/null <<'END'
import os, sys, sysconfig, ensurepip, venv
v = sysconfig.get_config_var
names = {v("INSTSONAME"), v("LDLIBRARY"), f"libpython{v('VERSION')}.so.1.0"}
dirs = {v("LIBDIR"), f"/usr/lib/{v('MULTIARCH')}"}
shared = any(n and ".so" in n and os.path.exists(f"{d}/{n}") for n in names for d in dirs)
header = os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
sys.exit(not (sys.version_info >= (3, 11) and shared and header))
END
}

find_python() {
    local name
    for name in ${PYDRI_PYTHON:-} python3.11 /usr/bin/python3.11 python3 /usr/bin/python3; do
        if command -v "$name" >/dev/null && python_fits "$name"; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

make_venv() {
    local base
    if ! base=$(find_python); then
        install_packages python3-venv python3-dev || exit 1
        base=$(find_python) || { say "no Python 3.11 with headers and libpython found"; exit 1; }
    fi
    if ! "$PYTHON" -c "" 2>/dev/null; then
        say "making .venv with $base"
        "$base" -m venv --clear "$ROOT/.venv" || exit 1
    fi
    say "installing Python packages into .venv"
    local pip=("$PYTHON" -m pip --disable-pip-version-check -q)
    "${pip[@]}" install setuptools wheel cffi 2> >(grep -v WARNING >&2) || exit 1
    (cd "$ROOT" && "${pip[@]}" install --no-build-isolation -e ".[dev]" \
        2> >(grep -v WARNING >&2)) || exit 1
}

setup() {
    local stamp=$ROOT/.venv/.stamp want have=""
    want="$(cksum <"$ROOT/pyproject.toml") $(cksum <"$ROOT/scripts/setup.sh") $ROOT"
    [ -f "$stamp" ] && have=$(cat "$stamp")
    if [ "$have" != "$want" ] || ! [ -x "$PYTHON" ]; then
        mkdir -p "$ROOT/build"
        exec 9>"$ROOT/build/.setup.lock"
        flock 9
        if ! [ -f "$stamp" ] || [ "$(cat "$stamp")" != "$want" ]; then
            check_packages
            make_venv
            echo "$want" >"$stamp"
        fi
        exec 9>&-
    fi
}
