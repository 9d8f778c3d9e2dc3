package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// Program returns the git program of the user, to be run in a directory of the user with the user's settings.
func Program(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	// Git tells its hooks which repository and index it is writing. The directory decides, not these.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}, name)
	})
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0") // "git status" would write to the index
	return cmd
}

// OpenClone reads the objects of a repository that belongs to the user, by one of its directories. It asks the git
// program, which finds them wherever the repository has them. It locks nothing and changes nothing. The context bounds
// all reads.
func OpenClone(ctx context.Context, dir string) *Store {
	c := &clone{git: Program(ctx, dir, "--no-replace-objects", "cat-file", "--batch"), made: map[Hash]madeObject{}}
	s := newStore(c)
	s.clone = c
	return s
}

// clone has the objects of a repository of the user, and those of files that nobody has committed.
type clone struct {
	mu sync.Mutex

	git     *exec.Cmd // starts with the first read
	asks    io.WriteCloser
	answers *bufio.Reader
	err     error // after it nothing is read any more

	made map[Hash]madeObject
}

// madeObject is an object that no repository has.
type madeObject struct {
	kind    plumbing.ObjectType
	content []byte
	size    int64 // may be larger: then nobody may read the content
}

// AddBlob holds the content of a file that no repository has and returns its name. A content that is cut off is one that
// exceeds every limit; size is that of all of it.
func (s *Store) AddBlob(content []byte, size int64) Hash {
	return s.make(madeObject{plumbing.BlobObject, content, size})
}

// AddTree holds a tree that no repository has and returns its name. The names of its entries are paths.
func (s *Store) AddTree(files []Entry) Hash {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return s.addTree(files)
}

func (s *Store) addTree(files []Entry) Hash {
	var entries []Entry
	for len(files) > 0 {
		e, n := files[0], 1
		if name, _, nested := strings.Cut(e.Name, "/"); nested {
			var below []Entry
			for n = 0; n < len(files) && strings.HasPrefix(files[n].Name, name+"/"); n++ {
				below = append(below, files[n])
				below[n].Name = files[n].Name[len(name)+1:]
			}
			e = Entry{Name: name, Mode: ModeDir, Hash: s.addTree(below)}
		}
		entries, files = append(entries, e), files[n:]
	}
	content := encodeTree(entries)
	return s.make(madeObject{plumbing.TreeObject, content, int64(len(content))})
}

// Hold holds a set of objects that no repository has.
func (s *Store) Hold(objects *Objects) {
	for _, o := range objects.objects {
		s.make(madeObject{o.kind, o.content, int64(len(o.content))})
	}
}

func (s *Store) make(o madeObject) Hash {
	h := plumbing.ComputeHash(o.kind, o.content)
	s.clone.mu.Lock()
	defer s.clone.mu.Unlock()
	s.clone.made[h] = o
	return h
}

// find returns the kind and the size of an object, and its content unless it is larger than max. The kind is
// InvalidObject if there is no such object.
func (c *clone) find(h Hash, max int64) (kind plumbing.ObjectType, size int64, content []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o, ok := c.made[h]; ok {
		return o.kind, o.size, bytes.Clone(o.content), nil
	}
	if c.answers == nil && c.err == nil {
		c.err = c.start()
	}
	if c.err == nil {
		kind, size, content, c.err = c.ask(h, max)
	}
	if c.err != nil {
		return kind, 0, nil, fmt.Errorf("git cat-file %s: %w", h, c.err)
	}
	return kind, size, content, nil
}

func (c *clone) start() (err error) {
	if c.asks, err = c.git.StdinPipe(); err != nil {
		return err
	}
	out, err := c.git.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.git.Start(); err != nil {
		return err
	}
	c.answers = bufio.NewReader(out)
	return nil
}

// ask sends one line and reads "name type size", the content and the end of line, or "name missing".
func (c *clone) ask(h Hash, max int64) (kind plumbing.ObjectType, size int64, content []byte, err error) {
	if _, err := io.WriteString(c.asks, h.String()+"\n"); err != nil {
		return kind, 0, nil, err
	}
	head, err := c.answers.ReadString('\n')
	if err != nil {
		return kind, 0, nil, err
	}
	field := strings.Fields(head)
	if len(field) == 2 {
		return kind, 0, nil, nil
	}
	if len(field) != 3 {
		return kind, 0, nil, errors.New("the answer is malformed")
	}
	if kind, err = plumbing.ParseObjectType(field[1]); err != nil {
		return kind, 0, nil, err
	}
	if size, err = strconv.ParseInt(field[2], 10, 64); err != nil {
		return kind, 0, nil, err
	}
	if size > max {
		_, err = io.CopyN(io.Discard, c.answers, size+1)
		return kind, size, nil, err
	}
	content = make([]byte, size+1)
	_, err = io.ReadFull(c.answers, content)
	return kind, size, content[:size], err
}

func (c *clone) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers == nil {
		return nil
	}
	_ = c.asks.Close()
	_ = c.git.Wait() // all that was asked for has been read
	return nil
}

func (c *clone) read(kind plumbing.ObjectType, h Hash, max int64) ([]byte, error) {
	is, size, content, err := c.find(h, max)
	switch {
	case err != nil:
		return nil, err
	case is == kind && size > max:
		return nil, &TooLargeError{Size: size, Max: max}
	case is != kind || plumbing.ComputeHash(kind, content) != h:
		return nil, missing(h)
	}
	return content, nil
}

func (c *clone) size(h Hash) (int64, error) {
	kind, n, _, err := c.find(h, 0)
	if err == nil && kind == plumbing.InvalidObject {
		err = missing(h)
	}
	return n, err
}

func (c *clone) has(h Hash) bool {
	_, err := c.size(h)
	return err == nil
}
