//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/nodeagent"
)

// roles are what this program is in the groups of a rig.
var roles map[string]func(argument string) error

func init() { // not above: a role measures, too
	roles = map[string]func(string) error{
		"serve": serve, "spin": spin, "agent": agent, "write": write, "read": read, "hold": hold, "grow": grow, "shape": shape, "send": sendTo, "look": look, "v2": measureV2, "guest": measureInGuest,
	}
}

// work is the processor time that a request takes.
const work = 2 * time.Millisecond

// serve answers each number that it reads with the same one, after some work, and has 16 MiB of its own to do it in.
func serve(string) error {
	held := make([]byte, 16<<20)
	turns := 0
	began := cpuTime()
	for cpuTime()-began < 100*work {
		toil(held, 1)
		turns++
	}
	turns /= 100
	in, out := bufio.NewReader(os.Stdin), os.Stdout
	if err := binary.Write(out, binary.LittleEndian, uint64(0)); err != nil { // it is ready
		return err
	}
	var number [8]byte
	for {
		if _, err := io.ReadFull(in, number[:]); err != nil {
			return nil // nobody asks any more
		}
		toil(held, turns)
		if _, err := out.Write(number[:]); err != nil {
			return err
		}
	}
}

// toil does some microseconds of work a turn.
func toil(held []byte, turns int) {
	for range turns {
		at := rand.IntN(len(held) - 4096)
		for i := range 4096 {
			held[at+i] = held[at+i]*31 + byte(i)
		}
	}
}

func cpuTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}

// spin takes all that it gets.
func spin(string) error {
	held := make([]byte, 8<<10)
	for {
		toil(held, 1)
	}
}

// agent is a node agent whose plan and state are in a directory.
func agent(dir string) error {
	return nodeagent.Run(context.Background(), enforcing(dir))
}

func enforcing(dir string) nodeagent.Config {
	return nodeagent.Config{
		Plan: filepath.Join(dir, "plan.yaml"), Root: cgroupRoot, StateDir: filepath.Join(dir, "state"),
		Interval: time.Second, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
}

// block is what is read or written at once, past the page cache.
const block = 64 << 10

// write writes a file again and again, as fast as it may.
func write(name string) error {
	f, buf, err := openDirect(name, unix.O_WRONLY)
	if err != nil {
		return err
	}
	for {
		if _, err := f.WriteAt(buf, rand.Int64N(fileSize/block)*block); err != nil {
			return err
		}
	}
}

// read reads somewhere in a file, a hundred times a second, and prints how long each took in nanoseconds.
func read(name string) error {
	f, buf, err := openDirect(name, unix.O_RDONLY)
	if err != nil {
		return err
	}
	tick := time.NewTicker(10 * time.Millisecond)
	for range tick.C {
		began := time.Now()
		if _, err := f.ReadAt(buf[:4096], rand.Int64N(fileSize/block)*block); err != nil {
			return err
		}
		if _, err := fmt.Println(time.Since(began).Nanoseconds()); err != nil {
			return err
		}
	}
	return nil
}

// openDirect opens a file past the page cache, with a buffer that such a file takes.
func openDirect(name string, flags int) (*os.File, []byte, error) {
	f, err := os.OpenFile(name, flags|unix.O_DIRECT, 0)
	if err != nil {
		return nil, nil, err
	}
	buf, err := unix.Mmap(-1, 0, block, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	return f, buf, err
}
