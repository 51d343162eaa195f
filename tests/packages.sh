# Sourced by the scripts that check vac with packages for Python, which are installed from PyPI. They share
# the environment under target/python, unless `environment` names another one.
#
# VAC names a program to test instead of a debug build, VAC_PYTHON another environment for those that share
# one.

skip() { printf 'skipped: %s\n' "$*"; exit 0; }

command -v python3 > /dev/null || skip "no python3"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
environment=${environment:-${VAC_PYTHON:-$target/python/venv}}
python=$environment/bin/python
packages_log=$environment/install.log
[ -x "$python" ] || python3 -m venv "$environment" > /dev/null 2>&1 \
    || skip "python3 cannot make environments"

install() { "$python" -m pip install --quiet --disable-pip-version-check "$@" >> "$packages_log" 2>&1; }

# Installs packages, unless all of these modules (the first argument) can be imported.
has() {
    local modules=$1
    shift
    "$python" -c "import $modules" 2> /dev/null || install "$@"
}

# Builds the program, unless VAC names one.
build_vac() {
    if [ -z "${VAC:-}" ]; then
        cargo build --quiet --package vac-cli
        VAC=$target/debug/vac
    fi
    VAC=$(realpath "$VAC")
    export VAC
}
