# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The guest's file systems. The root is read-only and shared by guests; what
# programs write to is in memory.

mount_all() {
	mount -t devtmpfs dev /dev
	exec >/dev/console 2>&1
	mkdir -p /dev/pts /dev/shm
	mount -t devpts -o mode=620,ptmxmode=666 pts /dev/pts
	mount -t proc proc /proc
	mount -t sysfs sys /sys
	mount -t tracefs trace /sys/kernel/tracing
	mount -t tmpfs -o mode=1777 tmp /dev/shm
	mount -t tmpfs -o mode=755 tmp /run
	mount -t tmpfs -o mode=1777 tmp /tmp
	mount -t tmpfs -o mode=1777 tmp /var/tmp
	mount -t tmpfs -o mode=755 tmp /var/log
	mount -t tmpfs -o mode=755 tmp /home
	mount -t tmpfs -o mode=700 tmp /root
	install -d -o alice -g alice /home/alice
	install -d -o bob -g bob /home/bob
	mkdir -p /run/lab
	ln -s /proc/self/fd /dev/fd
	ln -s /proc/self/fd/0 /dev/stdin
	ln -s /proc/self/fd/1 /dev/stdout
	ln -s /proc/self/fd/2 /dev/stderr
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=mmap \
		lab /mnt/lab || return 1
	if [ -d /mnt/lab/host ]; then
		mount --bind /mnt/lab/host /mnt/host || return 1
	fi
}
