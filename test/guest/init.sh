#!/bin/busybox sh
# The first process of a guest: mounts, runs the program with the arguments in /arguments, one a line, and says how it ended.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp QOS_REAL=require
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir /dev/shm
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
for module in $(cat /modules/order); do
	insmod "/modules/$module" || echo "the kernel refuses $module"
done
mount -t cgroup2 none /sys/fs/cgroup
mke2fs /dev/vda >/dev/null 2>&1 && mount -t ext4 /dev/vda /var/tmp || echo "no disk at /var/tmp"
echo "GUEST-UP $(uname -r) $(cut -d' ' -f1 /proc/uptime)"
set --
while IFS= read -r argument; do
	set -- "$@" "$argument"
done </arguments
cd /guest
/guest/program "$@" 2>&1
echo "GUEST-EXIT $?"
poweroff -f
