# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The lab needs a Debian host, root, mmdebstrap and util-linux. It installs
# missing packages, and says so.

host_check() {
	if [ "$(id -u)" != 0 ]; then
		die "the lab mounts and changes roots: run it as root"
	fi
	if [ "$(uname -m)" != x86_64 ]; then
		die "the lab's root tree is for x86_64, not for $(uname -m)"
	fi
	if ! command -v apt-get >/dev/null; then
		die "the lab needs a Debian host: apt-get is missing"
	fi
}

# host_needs COMMAND PACKAGE ...: appends each PACKAGE whose COMMAND is missing
# to HOST_MISSING
host_needs() {
	while [ $# -ge 2 ]; do
		if ! command -v "$1" >/dev/null; then
			HOST_MISSING+=("$2")
		fi
		shift 2
	done
}

host_install() {
	export DEBIAN_FRONTEND=noninteractive
	if ! apt-get install -y --no-install-recommends "$@"; then
		apt-get update
		apt-get install -y --no-install-recommends "$@"
	fi
}

host_packages() {
	HOST_MISSING=()
	host_needs mmdebstrap mmdebstrap flock util-linux \
		unshare util-linux setpriv util-linux mount mount
	if [ ! -e /usr/share/keyrings/debian-archive-keyring.gpg ]; then
		HOST_MISSING+=(debian-archive-keyring)
	fi
	if [ ${#HOST_MISSING[@]} -gt 0 ]; then
		say "installing on this host: ${HOST_MISSING[*]}"
		step "host packages" "$(log_file host-packages)" \
			host_install "${HOST_MISSING[@]}" ||
			die "the host's packages cannot be installed"
	fi
}

# Prints the address of the Debian mirror that the host's apt uses.
host_mirror_line() {
	# shellcheck disable=SC2016 # expanded by apt
	apt-get indextargets \
		--format '$(REPO_URI)|$(ORIGIN)|$(LABEL)|$(SUITE)' \
		'Identifier: Packages' | awk -F'|' '
		$2 == "Debian" && $3 == "Debian" &&
		$1 ~ /^(http|https|file|copy):/ && $4 !~ /updates|backports/ {
			print $1
			exit
		}'
}

host_mirror() {
	local mirror=${MLX5X_MIRROR:-}
	if [ -z "$mirror" ]; then
		mirror=$(host_mirror_line)
	fi
	if [ -z "$mirror" ]; then
		apt-get update >&2
		mirror=$(host_mirror_line)
	fi
	if [ -z "$mirror" ]; then
		echo "no Debian mirror in the host's apt configuration:" \
			"set MLX5X_MIRROR" >&2
		return 1
	fi
	echo "$mirror"
}

# Prints the host's settings for proxies and certificates, one option a line.
host_apt_options() {
	apt-config dump | grep -E '^Acquire::(http|https)::' |
		grep -E '::(Proxy|CaInfo|CaPath|Verify-Peer)' || true
}
