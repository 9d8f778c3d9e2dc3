package outbound

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// cursor keeps in a file the last delivered transition of each application. If the
// file is lost, transitions are delivered again.
type cursor struct {
	file  string // "": memory only
	known bool   // the file was there

	mu        sync.Mutex
	delivered map[model.AppID]model.Digest
	changed   bool
	saved     time.Time
}

// cursorFile is the file.
type cursorFile struct {
	Delivered map[model.AppID]model.Digest `json:"delivered"`
}

// saveEvery is how often the file is written while messages are delivered.
const saveEvery = time.Second

func openCursor(file string) (*cursor, error) {
	c := &cursor{file: file, delivered: map[model.AppID]model.Digest{}}
	if file == "" {
		return c, nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was delivered: %w", err)
	}
	var f cursorFile
	if json.Unmarshal(data, &f) == nil && f.Delivered != nil {
		c.known, c.delivered = true, f.Delivered
	}
	return c, nil // a damaged file counts as missing
}

func (c *cursor) of(app model.AppID) (model.Digest, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.delivered[app]
	return id, ok
}

func (c *cursor) move(app model.AppID, to model.Digest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delivered[app], c.changed = to, true
}

// saveSometimes saves if that is some time ago.
func (c *cursor) saveSometimes() error {
	c.mu.Lock()
	due := time.Since(c.saved) > saveEvery
	c.mu.Unlock()
	if !due {
		return nil
	}
	return c.save()
}

// save writes the file if it is not what it should be.
func (c *cursor) save() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.changed || c.file == "" {
		return nil
	}
	data, err := json.Marshal(cursorFile{c.delivered})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.file), 0o700); err != nil {
		return fmt.Errorf("save what was delivered: %w", err)
	}
	if err := os.WriteFile(c.file+".new", data, 0o600); err != nil {
		return fmt.Errorf("save what was delivered: %w", err)
	}
	if err := os.Rename(c.file+".new", c.file); err != nil {
		return fmt.Errorf("save what was delivered: %w", err)
	}
	c.changed, c.saved = false, time.Now()
	return nil
}
