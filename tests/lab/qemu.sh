# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The only QEMU command line of the lab. QEMU runs in the root tree (see
# enter.sh), so the paths are those of the tree: /mnt/tree is the guest's root
# and /mnt/lab the folder of the run. The guest sees its subfolder "share"
# read-write.
#
# The uncompressed kernel boots through its PVH entry, some seconds sooner than
# the bzImage. The serial console goes to a file. Commands print elsewhere,
# since the console may hold NUL bytes and messages of the kernel.

# no_timer_check: the kernel's early test of the timer fails on a busy host.
QEMU_APPEND="console=ttyS0 loglevel=5 panic=-1 mitigations=off nokaslr"
QEMU_APPEND+=" audit=0 no_timer_check"

# qemu_args MEM SMP HCAS MODE: sets QEMU_ARGS
qemu_args() {
	local mem=$1 smp=$2 hcas=$3 mode=$4 i
	# shellcheck disable=SC2054 # commas are QEMU's
	QEMU_ARGS=(
		qemu-system-x86_64 -accel "$ACCEL" -cpu max -smp "$smp" -m "$mem"
		-object "memory-backend-memfd,id=ram,size=$mem,share=on"
		-machine q35,memory-backend=ram
		-nodefaults -no-reboot -display none
		-kernel /boot/vmlinux -initrd /boot/initramfs.gz
		-append "$QEMU_APPEND"
		-serial file:/mnt/lab/console.log
		-fsdev "local,id=tree,path=/mnt/tree,security_model=none,multidevs=remap,readonly=on"
		-device virtio-9p-pci,fsdev=tree,mount_tag=tree
		-fsdev "local,id=lab,path=/mnt/lab/share,security_model=none,multidevs=remap"
		-device virtio-9p-pci,fsdev=lab,mount_tag=lab
	)
	if [ "$mode" = shell ]; then
		QEMU_ARGS+=(-chardev "stdio,id=terminal,signal=off"
			-serial chardev:terminal)
	fi
	for ((i = 0; i < hcas; i++)); do
		QEMU_ARGS+=(
			-device "pcie-root-port,id=port$i,chassis=$((i + 1)),slot=$((i + 1))"
			-device "{'driver':'vfio-user-pci','bus':'port$i','rombar':0,'socket':{'path':'/mnt/lab/hca$i.sock','type':'unix'}}"
		)
	done
}
