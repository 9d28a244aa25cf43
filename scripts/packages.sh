# Installs system packages where that is possible; fails, without noise, where it is not.
install_packages() {
    command -v apt-get >/dev/null || return 1
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return 1
        as_root=(sudo -n)
    fi
    echo "set-up: installing $*" >&2
    "${as_root[@]}" apt-get update -qq >/dev/null 2>&1 || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}
