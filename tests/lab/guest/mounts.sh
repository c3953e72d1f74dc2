# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The guest's file systems. The root is read-only, since several guests may share
# it. The folders that programs write to are in memory.

# mount_tmp MODE FOLDER. All this uses the static busybox, which starts several
# times faster than dynamic programs.
mount_tmp() {
	busybox mount -t tmpfs -o "mode=$1" tmp "$2"
}

# mount_9p TAG FOLDER: a folder of the lab's
mount_9p() {
	busybox mount -t 9p \
		-o trans=virtio,version=9p2000.L,msize=512000,cache=mmap "$@"
}

mount_first() {
	busybox mount -t devtmpfs dev /dev &&
	exec >/dev/console 2>&1 &&
	busybox mount -t proc proc /proc &&
	busybox mount -t sysfs sys /sys &&
	mount_9p lab /mnt/lab
}

mount_rest() {
	busybox mount -t tracefs trace /sys/kernel/tracing &&
	busybox mkdir -p /dev/pts /dev/shm &&
	busybox mount -t devpts -o mode=620,ptmxmode=666 pts /dev/pts &&
	mount_tmp 1777 /dev/shm &&
	mount_tmp 755 /run &&
	mount_tmp 1777 /tmp &&
	mount_tmp 1777 /var/tmp &&
	mount_tmp 755 /var/log &&
	mount_tmp 755 /home &&
	mount_tmp 700 /root &&
	busybox install -d -o alice -g alice /home/alice &&
	busybox install -d -o bob -g bob /home/bob &&
	busybox mkdir -p /run/lab &&
	busybox ln -s /proc/self/fd /proc/self/fd/0 /proc/self/fd/1 \
		/proc/self/fd/2 /dev/ &&
	busybox mv /dev/0 /dev/stdin &&
	busybox mv /dev/1 /dev/stdout &&
	busybox mv /dev/2 /dev/stderr &&
	if [ "$LAB_MOUNT" = 1 ]; then
		mount_9p host /mnt/host
	fi &&
	if [ -n "$LAB_HOST" ]; then
		mount_9p share /mnt/lab/share
	fi
}
