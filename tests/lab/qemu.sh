# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The only QEMU command line of the lab. QEMU runs in the root tree (see
# enter.sh), so the paths are those of the tree: /mnt/tree is the guest's root
# and /mnt/lab the folder of the run. The guest sees the subfolder "share" of its
# own folder read-write.
#
# The uncompressed kernel boots through its PVH entry, some seconds sooner than
# the bzImage. The serial console goes to a file. Commands print elsewhere,
# since the console may hold NUL bytes and messages of the kernel.

# no_timer_check: the kernel's early test of the timer fails on a busy host.
QEMU_APPEND="console=ttyS0 loglevel=5 panic=-1 mitigations=off nokaslr"
QEMU_APPEND+=" audit=0 no_timer_check"

# qemu_folder TAG FOLDER: adds a folder that the guest can mount by TAG
qemu_folder() {
	QEMU_ARGS+=(
		-fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap${3:-}"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1"
	)
}

# qemu_lan HOST: joins the LAN of two hosts. Its frames are datagrams between two
# sockets, so neither host has to be there first.
qemu_lan() {
	local lan=/mnt/lab/lan
	QEMU_ARGS+=(
		-netdev "dgram,id=lan,local.type=unix,local.path=$lan$1.sock,remote.type=unix,remote.path=$lan$((3 - $1)).sock"
		-device "virtio-net-pci,netdev=lan,romfile=,mac=02:00:0a:4d:ff:0$1"
	)
}

# qemu_args HOST: sets QEMU_ARGS
qemu_args() {
	local i
	# shellcheck disable=SC2054 # commas are QEMU's
	QEMU_ARGS=(
		qemu-system-x86_64 -accel "$ACCEL" -cpu max -smp "$VM_SMP"
		-m "$VM_MEM"
		-object "memory-backend-memfd,id=ram,size=$VM_MEM,share=on"
		-machine q35,memory-backend=ram
		-nodefaults -no-reboot -display none
		-kernel /boot/vmlinux -initrd /boot/initramfs.gz
		-append "$QEMU_APPEND"
		-serial "file:$(vm_path "$1")/console.log"
	)
	qemu_folder tree /mnt/tree ,readonly=on
	qemu_folder lab "$(vm_path "$1")/share"
	if [ -n "$VM_HOST" ]; then
		qemu_folder host /mnt/host
	fi
	if [ "$VM_MODE" = shell ]; then
		QEMU_ARGS+=(-chardev "stdio,id=terminal,signal=off"
			-serial chardev:terminal)
	fi
	for ((i = 0; i < VM_HCAS; i++)); do
		QEMU_ARGS+=(
			-device "pcie-root-port,id=port$i,chassis=$((i + 1)),slot=$((i + 1))"
			-device "{'driver':'vfio-user-pci','bus':'port$i','rombar':0,'socket':{'path':'$(vm_socket "$1" "$i")','type':'unix'}}"
		)
	done
	if [ "$VM_VMS" = 2 ]; then
		qemu_folder share /mnt/lab/share
		qemu_lan "$1"
	fi
}
