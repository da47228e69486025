#!/bin/sh
# Installs the system packages that the window (and, with --test, its tests) need on Debian and its kin.
# Says what it installs, and does nothing when all is there. Other systems: it names what to look for.
set -eu

needed="libegl1 libgl1 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libdbus-1-3
libfontconfig1 libglib2.0-0 fonts-dejavu-core"
[ "${1:-}" = "--test" ] && needed="$needed xvfb fonts-wqy-microhei g++ openssh-server"

# A Python that can make virtual environments; Debian keeps that apart.
if ! "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null; then
    needed="$needed python3 python3-venv"
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "Not a Debian system: please see that these (or their likes) are installed: $needed"
    exit 0
fi

is_installed() {
    # Newer releases ship some of these under the name with t64, which provides the old one.
    dpkg-query -W -f='${Status}\n' "$1" "$1t64" 2>/dev/null | grep -q 'install ok installed'
}

missing=""
for package in $needed; do
    is_installed "$package" || missing="$missing $package"
done
if [ -z "$missing" ]; then
    exit 0
fi

as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "Please install as root:$missing" >&2
        exit 1
    fi
    as_root="sudo"
fi
echo "Installing system packages:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
echo "Installed."
