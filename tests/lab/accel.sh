# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# QEMU's accelerator: KVM if a probe proves that it works here, else TCG.
#
# On some machines /dev/kvm exists but guests hang, so the probe boots one. Its
# result is kept in the cache for this host and kernel. The environment variable
# MLX5X_ACCEL, tcg or kvm, overrides it.

ACCEL_TCG=tcg,thread=multi

# accel_probe FILE: writes the accelerator to FILE
accel_probe() {
	local out
	out=$(enter "$LAB_SRC" "$LAB_TMP" '' timeout -s KILL "$(limit 6)" \
		qemu-system-x86_64 -accel kvm -cpu max -m 256M -machine q35 \
		-nodefaults -no-reboot -display none -serial stdio \
		-kernel /boot/vmlinux -initrd /boot/initramfs.gz \
		-append "console=ttyS0 quiet panic=-1 lab.probe" \
		2>&1 </dev/null | tr -d '\0') || true
	case $out in
	*"this accelerator works"*) echo kvm >"$1" ;;
	*) echo "$ACCEL_TCG" >"$1" ;;
	esac
}

# accel_choose: sets ACCEL
accel_choose() {
	local key file
	case ${MLX5X_ACCEL:-} in
	tcg) ACCEL=$ACCEL_TCG && return ;;
	kvm) ACCEL=kvm && return ;;
	'') ;;
	*) die "MLX5X_ACCEL is tcg or kvm, not '$MLX5X_ACCEL'" ;;
	esac
	ACCEL=$ACCEL_TCG
	if [ ! -c /dev/kvm ]; then
		return
	fi
	key=$( (uname -nrv && grep -m 1 'model name' /proc/cpuinfo) | sha256sum)
	file=$LAB_CACHE/accel-${key:0:16}
	if [ ! -s "$file" ]; then
		step "probing KVM (once)" "$(log_file kvm-probe)" \
			accel_probe "$file.$$"
		mv "$file.$$" "$file"
	fi
	read -r ACCEL <"$file"
}
