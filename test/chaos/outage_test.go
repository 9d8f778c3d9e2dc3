package chaos

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// gitAway takes the repo away until the reconciler says so.
func (w *world) gitAway() (func() error, error) {
	away, log := w.bare.Dir+".away", w.reconciler.written()
	require.NoError(w.t, os.Rename(w.bare.Dir, away))
	return func() error {
		err := w.says("source unavailable", log)
		return errors.Join(err, os.Rename(away, w.bare.Dir))
	}, nil
}

// apiAway closes the way to the API server, with a change on its way.
func (w *world) apiAway() (func() error, error) {
	w.gate.shut()
	image := w.image(fmt.Sprint("shop:away", w.number))
	w.commit("shop: "+image, shop(image))
	return func() error {
		defer w.gate.reopen()
		return w.until("the reconciler asks in vain", func() error {
			if _, refused, _ := w.gate.counted(); refused < 5 {
				return fmt.Errorf("%d times", refused)
			}
			return nil
		})
	}, nil
}

// mount gives a directory a disk of its own, small enough to fill it.
func mount(t *testing.T, dir string) {
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"))
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// diskFull fills the disk of the state directory.
func (w *world) diskFull() (func() error, error) {
	if os.Getuid() != 0 {
		w.tell("left out: only root can mount a disk that is small enough to fill it")
		return nil, nil
	}
	log, ballast := w.reconciler.written(), filepath.Join(w.reconciler.state, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, size := range []int{1 << 16, 1 << 12, 1} {
		for block := make([]byte, size); err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return nil, err
		}
		err = nil
	}
	image := w.image(fmt.Sprint("shop:full", w.number))
	w.commit("shop: "+image, shop(image))
	return func() error {
		err := w.says("no space left on device", log)
		return errors.Join(err, os.Remove(ballast))
	}, nil
}

// The hooks of the repo kill the reconciler before or after a save, once the file of that name is there.
const (
	beforeSave = "kill-before-save"
	afterSave  = "kill-after-save"
)

func (w *world) installHooks() {
	for hook, file := range map[string]string{"update": beforeSave, "post-receive": afterSave} {
		require.NoError(w.t, os.MkdirAll(filepath.Join(w.bare.Dir, "hooks"), 0o755))
		script := "#!/bin/sh\nif [ -f " + file + " ]; then rm -f " + file + "; kill -9 $(cat '" + w.reconciler.pidFile + "'); fi\nexit 0\n"
		require.NoError(w.t, os.WriteFile(filepath.Join(w.bare.Dir, "hooks", hook), []byte(script), 0o755))
	}
}

// arm kills the reconciler at a drawn moment of what it does next.
func (w *world) arm() {
	switch n := w.rng.IntN(6); n {
	case 0:
		w.kills(beforeSave)
	case 1:
		w.kills(afterSave)
	default:
		w.tell("it will be killed at write %d", n-1)
		w.gate.at(n-1, w.reconciler.kill)
	}
}

func (w *world) kills(moment string) {
	w.tell("it will be killed: %s", moment)
	require.NoError(w.t, os.WriteFile(filepath.Join(w.bare.Dir, moment), nil, 0o644))
}

func (w *world) disarm() {
	w.gate.at(0, func() {})
	_ = os.Remove(filepath.Join(w.bare.Dir, beforeSave))
	_ = os.Remove(filepath.Join(w.bare.Dir, afterSave))
}

// killed kills the reconciler at three moments, in each of which a change is on its way.
func (w *world) killed() (func() error, error) {
	for _, arm := range []func(){
		func() { w.kills(beforeSave) }, func() { w.kills(afterSave) }, func() { w.gate.at(1+w.rng.IntN(2), w.reconciler.kill) },
	} {
		pid := w.reconciler.pid()
		arm()
		if err := w.change(); err != nil {
			return nil, err
		}
		if err := w.until("the reconciler is killed", func() error {
			if w.reconciler.pid() == pid {
				return fmt.Errorf("it lives")
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
