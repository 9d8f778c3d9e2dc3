//go:build linux

package guest

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed init.sh
var initScript []byte

const (
	filesName = "files"
	diskSize  = 512 << 20        // with holes
	patience  = 30 * time.Minute // for a kernel that hangs
)

// Result is what a program in a guest printed and how it ended.
type Result struct {
	Output string
	Up     string // release of the kernel and seconds until the program began
	Exit   string // status, "" if the guest ended first
}

// Missing says what this host lacks to run a guest.
type Missing struct{ error }

// fetched returns where fetch.sh unpacks the kernel, and packages beside it.
func fetched() (dir string, err error) {
	cache := os.Getenv("DAROS_CACHE")
	if cache == "" {
		return "", Missing{errors.New("DAROS_CACHE names no directory that could have a kernel for a guest: make qos-guest fetches one")}
	}
	return filepath.Join(cache, "guest"), nil
}

// Package returns where fetch.sh has unpacked a package.
func Package(name string) (dir string, err error) {
	if dir, err = fetched(); err != nil {
		return "", err
	}
	dir = filepath.Join(dir, name)
	if _, err := os.Stat(dir); err != nil {
		return "", Missing{fmt.Errorf("the package %s is not there for a guest: make qos-kubelet fetches it: %w", name, err)}
	}
	return dir, nil
}

// kernel returns where the kernel is unpacked.
func kernel() (dir, image string, err error) {
	if dir, err = fetched(); err != nil {
		return "", "", err
	}
	images, err := filepath.Glob(filepath.Join(dir, "boot", "vmlinuz-*"))
	if err == nil && len(images) == 0 {
		err = Missing{fmt.Errorf("there is no kernel for a guest in %s: make qos-guest fetches one", dir)}
	}
	if err != nil {
		return "", "", err
	}
	return dir, images[0], nil
}

// A Machine is what a guest has. The zero one is enough for most.
type Machine struct {
	Memory  int               // MiB; 0: 512
	Modules []string          // of the kernel, besides those that every guest has
	Files   map[string]string // of this host, by their paths in the guest; programs come with their libraries
	Network bool              // eth0, through which 10.0.2.2 is the loopback of this host
}

// Run runs a program in a [Machine] that has nothing but the program.
func Run(ctx context.Context, program string, args ...string) (r Result, err error) {
	return Machine{}.Run(ctx, program, args...)
}

// Run runs a program of this host with its libraries in a guest, as root in the directory of the program.
func (m Machine) Run(ctx context.Context, program string, args ...string) (r Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	dir, image, err := kernel()
	if err != nil {
		return r, err
	}
	qemu, err := exec.LookPath("qemu-system-x86_64")
	if err != nil {
		return r, Missing{err}
	}
	work, err := os.MkdirTemp("", "daros-guest-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(work)
	files, disk := filepath.Join(work, filesName), filepath.Join(work, "disk")
	if err := m.pack(ctx, work, dir, program, args); err != nil {
		return r, err
	}
	if err := os.WriteFile(disk, nil, 0o600); err != nil {
		return r, err
	}
	if err := os.Truncate(disk, diskSize); err != nil {
		return r, err
	}
	// Without -nodefaults the firmware looks for ways to start for seconds. What is emulated runs on every host.
	cmd := exec.CommandContext(ctx, qemu, "-M", "q35", "-nodefaults", "-serial", "stdio", "-display", "none", "-accel", "tcg,thread=multi", "-cpu", "max",
		"-smp", "2", "-m", strconv.Itoa(cmp.Or(m.Memory, 512)), "-no-reboot", "-kernel", image, "-initrd", files,
		"-drive", "file="+disk+",format=raw,if=virtio,cache=unsafe", "-append", "console=ttyS0 panic=-1 quiet psi=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // a test that is killed leaves no machine behind
	if m.Network {
		cmd.Args = append(cmd.Args, "-nic", "user,model=virtio-net-pci")
	}
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	r.Output = string(bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")))
	if m := regexp.MustCompile(`(?m)^GUEST-UP (.*)$`).FindStringSubmatch(r.Output); m != nil {
		r.Up = m[1]
		_, r.Output, _ = strings.Cut(r.Output, m[0]+"\n")
	}
	if m := regexp.MustCompile(`(?m)^GUEST-EXIT (\d+)$`).FindStringSubmatch(r.Output); m != nil {
		r.Exit = m[1]
		r.Output, _, _ = strings.Cut(r.Output, m[0])
	}
	if err == nil && r.Exit == "" {
		err = errors.New("the guest ended before its program")
	}
	if err != nil {
		return r, fmt.Errorf("run a guest: %w: %s", err, r.Output)
	}
	return r, nil
}

// pack writes what a guest starts with: an archive in the form that kernels read, which busybox makes of a directory of links.
func (m Machine) pack(ctx context.Context, work, dir, program string, args []string) error {
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		return Missing{err}
	}
	list := func(program string) ([]byte, error) { return exec.CommandContext(ctx, "ldd", program).Output() }
	if linked, err := libraries(busybox, list); err != nil || len(linked) > 0 {
		return Missing{errors.Join(errors.New("busybox has to be static, as in Debian's busybox-static"), err)}
	}
	names := []string{"virtio_pci", "virtio_blk", "ext4", "veth", "sch_fq", "sch_htb", "sch_ingress", "cls_bpf"}
	if m.Network {
		names = append(names, "virtio_net")
	}
	drivers, err := modules(filepath.Join(dir, "lib", "modules"), append(names, m.Modules...)...)
	if err != nil {
		return err
	}
	files := map[string]string{"bin/busybox": busybox, "guest/program": program}
	order := ""
	for _, d := range drivers {
		files["modules/"+filepath.Base(d)] = d
		order += filepath.Base(d) + "\n"
	}
	maps.Copy(files, m.Files)
	for _, file := range slices.Collect(maps.Values(files)) {
		linked, err := libraries(file, list)
		if err != nil {
			return err
		}
		for _, l := range linked {
			files[l] = l
		}
	}
	root := filepath.Join(work, "root")
	for _, d := range []string{"proc", "sys", "dev", "tmp", "run", "guest", "var/tmp", "bin", "modules"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			return err
		}
	}
	for name, from := range files {
		name = filepath.Join(root, name)
		if from, err = filepath.Abs(from); err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.Symlink(from, name))
		}
		if err != nil {
			return err
		}
	}
	arguments := ""
	for _, arg := range args {
		arguments += arg + "\n"
	}
	for name, content := range map[string]string{"modules/order": order, "arguments": arguments, "init": string(initScript)} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o755); err != nil {
			return err
		}
	}
	var listed strings.Builder
	err = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if path != root {
			fmt.Fprintln(&listed, strings.TrimPrefix(path, root+"/"))
		}
		return err
	})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, busybox, "cpio", "-o", "-H", "newc", "-L", "-F", filepath.Join("..", filesName))
	cmd.Dir, cmd.Stdin = root, strings.NewReader(listed.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pack the files of a guest: %w: %s", err, out)
	}
	return nil
}
