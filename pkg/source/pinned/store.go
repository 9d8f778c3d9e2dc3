package pinned

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
)

// Bounds of what one name stands for, and of all that is kept.
const (
	maxPack   = 32 << 20 // bytes that are sent
	maxMemory = 64 << 20 // bytes of files
	maxObject = 8 << 20  // bytes of a file
	maxFiles  = 10_000
	maxOpen   = 4       // that are kept in memory
	maxKept   = 1 << 30 // bytes on disk; what was used last stays
	patience  = time.Minute
)

var limits = git.Limits{Timeout: patience, Pack: maxPack, Object: maxObject, Memory: maxMemory}

// Options configure a store.
type Options struct {
	Dir string // where files are kept; it is a cache
	Now bool   // what is missing is fetched before Files returns
	// Dial connects. Nil: to any address.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	TLS  *tls.Config // nil: with the roots of the system
	// Credentials is a directory with a file for each host that wants to know who asks, and one below a directory of a
	// tenant for what only that tenant may have. "": nobody asks by a name.
	Credentials string
}

// A Store has files that are named by what they are. It is for concurrent use.
type Store struct {
	ctx       context.Context // of the program: what renders has none
	end       context.CancelFunc
	o         Options
	transport *http.Transport

	mu      sync.Mutex
	open    []opened // the one used last at the end
	fetches fetches
	fetched chan struct{}
}

// wanted is what is fetched and kept: for all tenants, or for the one whose credentials it takes.
type wanted struct {
	model.Pinned
	tenant string // "": all
}

// opened are files that were read and verified.
type opened struct {
	pinned wanted
	files  fs.FS
}

// Open returns a store that fetches until ctx ends.
func Open(ctx context.Context, o Options) *Store {
	s := &Store{o: o, fetched: make(chan struct{}, 1)}
	s.fetches = fetches{places: make(chan struct{}, maxAtOnce), queues: map[string][]wanted{}, failures: map[wanted]failure{}}
	s.ctx, s.end = context.WithCancel(ctx)
	s.transport = &http.Transport{DialContext: o.Dial, TLSClientConfig: o.TLS, TLSHandshakeTimeout: patience / 6,
		ResponseHeaderTimeout: patience / 2, MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true}
	return s
}

// Kept returns a store of what is kept in a directory. It fetches nothing.
func Kept(dir string) *Store { return &Store{o: Options{Dir: dir}} }

// Close ends all fetches and waits for them.
func (s *Store) Close() {
	if s.end != nil {
		s.end()
	}
	s.fetches.running.Wait()
}

// Fetched has a value when a fetch has ended: Files is worth asking again.
func (s *Store) Fetched() <-chan struct{} { return s.fetched }

// Files returns what a name stands for, for a tenant. If that is not kept it is a
// *build.AbsentError, and the files are fetched.
func (s *Store) Files(tenant string, p model.Pinned) (fs.FS, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := wanted{p, tenant}
	kept := func() fs.FS {
		if files := s.kept(wanted{Pinned: p}); files != nil {
			return files
		}
		return s.kept(own)
	}
	if files := kept(); files != nil {
		return files, nil
	}
	absent := func(why string) (fs.FS, error) { return nil, &build.AbsentError{Pinned: p, Why: why} }
	failed := s.fetches.failures[own].err
	switch {
	case s.ctx == nil:
		return absent("is not kept here, and nothing is fetched now; --fetch does")
	case s.o.Now:
		if err := s.fetch(own); err != nil {
			return absent("cannot be fetched: " + err.Error())
		}
		if files := kept(); files != nil {
			return files, nil
		}
		return absent("cannot be kept in " + s.o.Dir)
	}
	s.want(tenant, own)
	if failed != nil {
		return absent("cannot be fetched: " + failed.Error() + "; it is tried again")
	}
	return absent("is not fetched yet")
}

// dir is where what a name stands for is kept.
func (s *Store) dir(p wanted) string {
	text := p.Repository + "\n" + p.Version
	if p.tenant != "" {
		text += "\n" + p.tenant
	}
	name := sha256.Sum256([]byte(text))
	return filepath.Join(s.o.Dir, hex.EncodeToString(name[:]))
}

// kept returns what is kept, nil if it is not there or not what its name says.
func (s *Store) kept(p wanted) fs.FS {
	for i, o := range s.open {
		if o.pinned == p {
			s.open = append(append(s.open[:i:i], s.open[i+1:]...), o)
			return o.files
		}
	}
	read := s.keptCommit
	if strings.HasPrefix(p.Repository, model.Registry) {
		read = s.keptArtefact
	}
	files, err := read(p)
	if err != nil {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(s.dir(p), now, now) // else it goes sooner
	if s.open = append(s.open, opened{p, files}); len(s.open) > maxOpen {
		s.open = s.open[1:]
	}
	return files
}

// keptCommit returns the files of a commit that is kept.
func (s *Store) keptCommit(p wanted) (fs.FS, error) {
	commit, ok := git.ParseHash(p.Version)
	store, kept := git.ReadCopy(s.dir(p), limits, commit)
	if !ok || !kept {
		return nil, fs.ErrNotExist
	}
	return filesOf(store, commit)
}

// filesOf returns the files of a commit, within bounds.
func filesOf(store *git.Store, commit git.Hash) (fs.FS, error) {
	c, err := store.Commit(commit)
	if err != nil {
		return nil, err
	}
	return store.Files(c.TreeHash, git.FileLimits{Size: maxObject, Count: maxFiles})
}

// fetch fetches what a name stands for, for a tenant, and keeps it, if it is that: for that tenant alone where its own
// credentials were needed.
func (s *Store) fetch(p wanted) error {
	s.makeRoom()
	as, own, err := s.login(p.tenant, p.Pinned)
	if err != nil {
		return err
	}
	if !own {
		p.tenant = ""
	}
	if strings.HasPrefix(p.Repository, model.Registry) {
		return as.hide(s.fetchArtefact(p, as))
	}
	return as.hide(s.fetchCommit(p, as))
}

// fetchCommit fetches a commit and keeps it, if it is that.
func (s *Store) fetchCommit(p wanted, as login) error {
	commit, ok := git.ParseHash(p.Version)
	if !ok {
		return fmt.Errorf("%.80q is not a commit", p.Version)
	}
	if !strings.HasPrefix(p.Repository, "https://") {
		return errors.New("its address does not begin with https://")
	}
	remote, err := git.NewRemote(p.Repository, git.Auth{Username: as.user, Token: as.password}, limits)
	if err != nil {
		return err
	}
	kept, err := git.OpenCopy(s.dir(p), limits)
	if err != nil {
		return err
	}
	defer kept.Close()
	store := kept.NewStore()
	if err := remote.Through(s.through(strings.ReplaceAll(authority(p.Pinned), "_", ":"), "")).FetchCommit(s.ctx, store, commit, func(git.Signed) error { return nil }); err != nil {
		return err
	}
	if _, err := filesOf(store, commit); err != nil {
		return err
	}
	kept.Accept()
	return nil
}
