//go:build linux

// Package guest runs a program in a virtual machine with cgroup v2 alone, where memory is a controller of v2: most hosts with
// cgroup v1 cannot lend that one. It is for tests and benchmarks only. The kernel is a package of Debian, which fetch.sh
// unpacks into $DAROS_CACHE/guest; nothing is fetched here. The machine is emulated, has two processors, 512 MiB of memory
// and an empty disk at /var/tmp, and sees no file and no network of the host, unless a [Machine] says so.
package guest
