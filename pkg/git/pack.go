package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// incoming starts the name of a pack that has not been checked yet.
const incoming = "incoming-"

// addPack adds a pack within the limits. With all set the pack holds every
// object that is needed and replaces the packs before it.
func (d *disk) addPack(r io.Reader, limits Limits, all bool) error {
	file, err := os.CreateTemp(d.dir, incoming)
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	n, err := io.Copy(file, io.LimitReader(r, limits.Pack+1))
	if err != nil {
		return err
	}
	if n > limits.Pack {
		return fmt.Errorf("the pack is larger than %d bytes", limits.Pack)
	}
	if err := checkPack(file, limits.Object); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	before, err := d.objects.ObjectPacks()
	if err != nil {
		return err
	}
	err = packfile.UpdateObjectStorage(d.objects, file)
	if errors.Is(err, packfile.ErrEmptyPackfile) {
		return nil
	}
	if err != nil {
		_ = removeUnfinished(d.packs())
		return err
	}
	if after, err := d.objects.ObjectPacks(); all && err == nil && len(before) > 0 && len(after) > len(before) {
		return d.drop(before)
	}
	return nil
}

// drop removes packs.
func (d *disk) drop(packs []Hash) error {
	_ = d.objects.Close()
	for _, h := range packs {
		for _, suffix := range []string{".pack", ".idx"} {
			if err := os.Remove(filepath.Join(d.packs(), "pack-"+h.String()+suffix)); err != nil {
				return err
			}
		}
	}
	return d.start()
}

// removeUnfinished removes packs that were being written when a process died:
// temporary files, and an index without its pack or a pack without its index.
func removeUnfinished(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	present := map[string]bool{}
	for _, f := range files {
		present[f.Name()] = true
	}
	for _, f := range files {
		name := f.Name()
		base := strings.TrimSuffix(strings.TrimSuffix(name, ".idx"), ".pack")
		if !present[base+".idx"] || !present[base+".pack"] {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPack reads a pack once and refuses it if an object, or the result of a delta, is
// larger than max. It runs before the pack is indexed,
// because indexing holds whole objects in memory: a few kilobytes of zeros,
// well compressed, would otherwise be enough to end the process.
func checkPack(r io.ReadSeeker, max int64) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	scan := packfile.NewScanner(r)
	_, count, err := scan.Header()
	if err != nil {
		if errors.Is(err, packfile.ErrEmptyPackfile) {
			return nil
		}
		return err
	}
	for range count {
		header, err := scan.NextObjectHeader()
		if err != nil {
			return err
		}
		grows := header.Length
		if grows <= max && (header.Type == plumbing.OFSDeltaObject || header.Type == plumbing.REFDeltaObject) {
			head := &beginning{max: 2 * binary.MaxVarintLen64}
			if _, _, err := scan.NextObject(head); err != nil {
				return err
			}
			if grows, err = head.deltaResult(); err != nil {
				return err
			}
		}
		if grows > max || grows < 0 {
			return fmt.Errorf("the pack holds an object of %d bytes, at most %d are allowed", grows, max)
		}
	}
	return nil
}

// beginning keeps the first bytes that are written to it.
type beginning struct {
	max int
	buf bytes.Buffer
}

func (b *beginning) Write(p []byte) (int, error) {
	b.buf.Write(p[:min(len(p), b.max-b.buf.Len())])
	return len(p), nil
}

// deltaResult reads the size of the result of a delta: the second of the two
// numbers that a delta starts with.
func (b *beginning) deltaResult() (int64, error) {
	_, first := binary.ReadUvarint(&b.buf)
	n, err := binary.ReadUvarint(&b.buf)
	if first != nil || err != nil {
		return 0, errors.New("the pack holds a malformed delta")
	}
	return int64(n), nil
}
