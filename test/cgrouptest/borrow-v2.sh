#!/bin/bash
# borrow-v2.sh on | off | with CMD...
#
# Lends the cpu, cpuset, blkio (io in v2) and pids controllers of a host with
# cgroup v1 hierarchies to its v2 mount, and takes them back. "with" holds the
# machine-wide lock, lends, runs CMD, takes back, and exits with CMD's status.
#
# A v1 hierarchy is never free to be unmounted: every Go process of version 1.25
# or later keeps its cpu.cfs_quota_us open. So each is remounted in place with a
# stand-in controller that nobody uses, and the wanted one falls to v2. No
# process changes its group: all must sit in the roots, which is checked first.
# memory is not lent, because its hierarchy usually has groups.
#
# Exit 77: not possible on this host, with the reason; a test skips on it.
# A run that was killed leaves the controllers in v2; "off" or the next "with" repairs it.
set -u
root=/sys/fs/cgroup
unified=$root/unified
lock=/run/qos-cgroup.lock
tries=50 # of 0.1 s, for a removed group that is still dying
controllers=(cpu cpuset blkio pids)
declare -A standin=([cpu]=net_cls [cpuset]=perf_event [blkio]=hugetlb [pids]=net_prio)

in_v2() { [ "$1" = blkio ] && echo io || echo "$1"; }
in_v1() { findmnt -no FS-OPTIONS "$root/$1" | tr , '\n' | grep -qx "$1"; }
pure_v2() { [ "$(stat -fc %T $root)" = cgroup2fs ]; }
skip() {
	echo "SKIP: $*"
	off >/dev/null
	exit 77
}

on() {
	local c group
	pure_v2 && return 0
	[ "$(id -u)" = 0 ] || skip "not root"
	[ -d $unified ] || skip "no $unified"
	for c in "${controllers[@]}"; do
		if ! in_v1 "$c"; then
			grep -qw "$(in_v2 "$c")" $unified/cgroup.controllers && continue
			skip "$c is neither in v1 nor in v2"
		fi
		group=$(find "$root/$c" -mindepth 1 -type d -print -quit)
		[ -z "$group" ] || skip "the v1 $c hierarchy has groups: $group"
		# With only a source or only a target mount(8) would merge the old options.
		for _ in $(seq $tries); do
			mount -t cgroup -o "remount,${standin[$c]}" cgroup "$root/$c" 2>/dev/null && break
			sleep .1
		done
		in_v1 "$c" && skip "the kernel keeps $c in v1"
	done
	for c in "${controllers[@]}"; do
		echo "+$(in_v2 "$c")" >$unified/cgroup.subtree_control || skip "v2 does not take $(in_v2 "$c")"
	done
}

off() {
	local rc=0 c
	pure_v2 && return 0
	for c in "${controllers[@]}"; do echo "-$(in_v2 "$c")" >$unified/cgroup.subtree_control 2>/dev/null; done
	for c in "${controllers[@]}"; do
		for _ in $(seq $tries); do
			in_v1 "$c" && break
			mount -t cgroup -o "remount,$c" cgroup "$root/$c" 2>/dev/null || sleep .1
		done
		in_v1 "$c" || { echo "$c is still in v2: a dying group holds it"; rc=1; }
	done
	return $rc
}

case "${1:-}" in
on | off) "$1" ;;
with)
	shift
	exec 9>$lock
	flock 9
	on
	"$@" 9>&-
	rc=$?
	off
	exit $rc
	;;
*)
	echo "usage: $0 on | off | with CMD..." >&2
	exit 2
	;;
esac
