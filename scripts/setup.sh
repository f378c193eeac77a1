# SPDX-License-Identifier: MIT
# Sourced by scripts/run, scripts/test and their like: `setup` makes .venv and installs what is
# missing, once; says what it does. `setup dev` adds what tests need (pytest, ruff, mypy, ...).
# Afterwards $PYTHON is the virtual environment's Python. Stamps make the second time quick.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PYTHON=$ROOT/.venv/bin/python
# The Pythons that will do, as ">=3.11,<3.15"; pyproject.toml is the one place that says it.
BOUNDS=$(sed -n 's/^requires-python = "\(.*\)"$/\1/p' "$ROOT/pyproject.toml")
say() { echo "pydri: $*" >&2; }

# Elsewhere nothing below could end well; libgl_shim/machine.py says the same.
check_machine() {
    case $OSTYPE-$HOSTTYPE in
        linux-gnu-x86_64) return ;;
    esac
    say "runs on Linux on x86-64 with glibc, and this is $OSTYPE on $HOSTTYPE"
    exit 1
}

# Installs packages as root on Debian; for others one line says what to install, and the caller goes
# on with what is there.
install_packages() {
    if ! command -v apt-get >/dev/null; then
        say "please install what Debian calls: $*"
        return 1
    elif [ "$(id -u)" != 0 ]; then
        say "please have this done as root: apt-get install $*"
        return 1
    fi
    say "installing Debian packages: $*"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
        >/dev/null 2>&1 && return 0
    apt-get update -qq >/dev/null 2>&1
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

check_packages() {
    local when package what missing=""
    while read -r when package what; do
        [ "$when" = start ] || continue
        case $what in
            /*) compgen -G "$what" >/dev/null || missing="$missing $package" ;;
            *) command -v "$what" >/dev/null || missing="$missing $package" ;;
        esac
    done <"$ROOT/scripts/packages"
    find_python >/dev/null || missing="$missing python3-venv python3-dev"
    [ -z "$missing" ] || install_packages $missing && return
    case $missing in
        *python3-dev*) exit 1 ;; # without it nothing goes on, and the line says so
    esac
}

# A CPython within the bounds, with Python.h, a shared libpython, venv and pip: what the shim is built
# for and starts. Python is always called with -P, so that no module of the current directory is
# imported; one too old to know -P does not fit.
python_fits() {
    "$1" -P - "$BOUNDS" 2>/dev/null <<'END'
import os, re, sys, sysconfig, ensurepip, venv
v = sysconfig.get_config_var
bounds = re.findall(r"(>=|<)(\d+)\.(\d+)", sys.argv[1])
within = all(
    (sys.version_info >= (int(a), int(b))) == (sign == ">=") for sign, a, b in bounds
)
names = {v("INSTSONAME"), v("LDLIBRARY"), f"libpython{v('VERSION')}.so.1.0"}
dirs = {v("LIBDIR"), f"/usr/lib/{v('MULTIARCH')}"}
shared = any(n and ".so" in n and os.path.exists(f"{d}/{n}") for n in names for d in dirs)
header = os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
usual = sys.implementation.name == "cpython" and not v("Py_GIL_DISABLED")
sys.exit(not (bounds and within and shared and header and usual))
END
}

# The machine's ordinary python3 if it fits, else the newest that does. PYDRI_PYTHON decides alone.
find_python() {
    local name others
    others=$(compgen -c python3. | grep -x 'python3\.[0-9]*' | sort -urV)
    for name in ${PYDRI_PYTHON:-python3 /usr/bin/python3 $others}; do
        if command -v "$name" >/dev/null && python_fits "$name"; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

# Whether .venv is of that Python: after an upgrade of the system its python3 may be another one.
venv_is_of() {
    local ask='import sys; print(sys.base_prefix, sys.version)'
    [ "$("$PYTHON" -P -c "$ask" 2>/dev/null)" = "$("$1" -P -c "$ask")" ] &&
        "$PYTHON" -P -c "import pip" 2>/dev/null
}

# new_venv BASE: an empty .venv of that Python, with pip. uv makes it in a moment where it is there.
new_venv() {
    say "making .venv with $1"
    if command -v uv >/dev/null &&
        uv venv -q --seed --no-project --clear --python "$1" "$ROOT/.venv" 2>/dev/null; then
        return
    fi
    "$1" -P -m venv --clear "$ROOT/.venv"
}

# install PACKAGES: into .venv, by uv where it is there (and knows a way to the packages: it reads
# no pip.conf), else by pip. No byte code is made of thousands of modules that nobody may import:
# Python makes it where one is imported.
install() {
    if command -v uv >/dev/null &&
        (cd "$ROOT" && uv pip install -q --python "$PYTHON" "$@" 2>/dev/null); then
        return
    fi
    (cd "$ROOT" && "$PYTHON" -P -m pip --disable-pip-version-check -q install --no-compile "$@" \
        2> >(grep -v WARNING >&2))
}

# The C libraries, which need nothing but cffi: they are compiled while packages are fetched.
build_libraries() {
    "$PYTHON" -P -c 'import sys; sys.path.insert(0, sys.argv[1])
from libgl_shim import build; build.build(sidecar=False)' "$ROOT"
}

# make_venv EXTRA: with the packages that the driver needs, and those of an extra of pyproject.toml.
make_venv() {
    local base libraries what=.${1:+[$1]}
    if [ -z "${PYDRI_PYTHON:-}" ] && python_fits "$PYTHON" && "$PYTHON" -P -c "import pip" 2>/dev/null; then
        base=$PYTHON # what is there and fits stays
    elif ! base=$(find_python); then
        say "no CPython $BOUNDS with Python.h, venv and a shared libpython was found" \
            "(PYDRI_PYTHON=/path/to/python names one)"
        exit 1
    elif ! venv_is_of "$base"; then
        new_venv "$base" || exit 1
    fi
    say "installing Python packages into .venv (numpy, llvmlite, cffi ...${1:+, and for $1})"
    install setuptools wheel cffi || exit 1
    build_libraries &
    libraries=$!
    if ! install --no-build-isolation -e "$what"; then
        wait "$libraries"
        exit 1
    fi
    wait "$libraries" || exit 1
    echo "${PYDRI_PYTHON:-}" >"$ROOT/.venv/.asked"
}

# What .venv was made of. The interpreter counts: an upgrade of the system may put another one there.
fingerprint() {
    cksum <"$ROOT/pyproject.toml"
    cksum <"$ROOT/scripts/setup.sh"
    cksum <"$ROOT/scripts/packages"
    echo "$ROOT"
    readlink -f "$PYTHON"
}

# The stamp of what was asked for.
stamp_of() {
    echo "$ROOT/.venv/.stamp${1:+-$1}"
}

is_set_up() {
    local stamp
    stamp=$(stamp_of "$1")
    [ -x "$PYTHON" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ] &&
        [ "${PYDRI_PYTHON:-$(cat "$ROOT/.venv/.asked")}" = "$(cat "$ROOT/.venv/.asked")" ]
}

# Whether everything that is built can be built before Debian packages are installed: those for X
# and the programs to try are then installed meanwhile.
can_build() {
    find_python >/dev/null && command -v cc >/dev/null && [ -e /usr/include/stdio.h ]
}

# setup [EXTRA]
setup() {
    local extra=${1:-} packages=
    check_machine
    if ! is_set_up "$extra"; then
        [ -d "$ROOT/build/lib" ] ||
            say "setting up, once: packages, the C libraries, the driver's kernels;" \
                "about a minute in all on two cores"
        if ! [ -w "$ROOT" ]; then
            say "$ROOT is not set up, or no longer, and not yours to write:" \
                "have its owner call scripts/run once, or clone the tree for yourself"
            exit 1
        fi
        mkdir -p "$ROOT/build"
        exec 9>"$ROOT/build/.setup.lock"
        flock 9
        if ! is_set_up "$extra"; then
            if can_build; then
                check_packages &
                packages=$!
            else
                check_packages
            fi
            make_venv "$extra"
            [ -z "$packages" ] || wait "$packages"
            fingerprint >"$(stamp_of "$extra")"
            [ -z "$extra" ] || cp "$(stamp_of "$extra")" "$(stamp_of "")"
        fi
        exec 9>&-
    fi
}
