//go:build !linux

package wasm

import (
	"errors"
	"syscall"
)

// confine refuses: what bounds modules is there on Linux only.
func confine(uint64) error { return errors.New("modules run on Linux only") }

func dieWithParent() *syscall.SysProcAttr { return nil }
