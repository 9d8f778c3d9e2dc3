package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// LineLimits bound the part of a line that is read. Zero values mean the defaults.
type LineLimits struct {
	Commits int // default 100,000
	Bytes   int // of payloads, signatures and paths together; default 128 MiB
}

func (l LineLimits) withDefaults() LineLimits {
	return LineLimits{Commits: cmp.Or(l.Commits, 100_000), Bytes: cmp.Or(l.Bytes, 128<<20)}
}

// Line is the result of one fetch: the tip, and the commits that lead to it from the
// commit that was accepted last. It never changes.
type Line struct {
	access.Line
	Snapshot Snapshot // of the tip

	Recorded string // the commit that was accepted last, "" if none was
	Root     string // the trust root, "" for none

	// Layers has the files of each commit that may change access, and of Base if that is
	// not the recorded commit. The files of a commit that exceeds the limits are
	// missing.
	Layers map[string]*Files
}

// Line fetches the current state of the remote, and returns how it follows from the
// commit that was accepted last and from the trust root; either may be "". It lists the
// refs each time, and fetches and reads only new objects. The error is that the source
// is unavailable, with the reason.
func (r *Repository) Line(ctx context.Context, recorded, root string) (line Line, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.attempt(ctx, func() error {
		snap, err := r.snapshot(ctx)
		if err != nil {
			return err
		}
		if rest, ok := r.line.After(recorded); ok && rest.Tip == snap.Commit && rest.Root == root {
			line = rest
			return nil
		}
		line, err = r.lineTo(snap, recorded, root)
		return err
	})
	if err != nil {
		return Line{}, err
	}
	r.line = line
	return line, nil
}

// LineTo returns how a commit that the store holds follows from another, and asks no
// remote. The line of a clone has no branch.
func (r *Repository) LineTo(commit, recorded string) (Line, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	snap, err := r.open(commit)
	if err != nil {
		return Line{}, err
	}
	return r.lineTo(snap, recorded, "")
}

// After returns the rest of a line once a commit of it has been accepted. It reports
// false if the line does not show how the tip follows from that commit.
func (l Line) After(accepted string) (Line, bool) {
	if accepted == l.Recorded {
		return l, true
	}
	rest, ok := l.Line.After(accepted)
	if !ok {
		return Line{}, false
	}
	after := Line{Line: rest, Snapshot: l.Snapshot, Recorded: accepted, Root: l.Root, Layers: map[string]*Files{}}
	for i := range rest.Commits {
		if files, ok := l.Layers[rest.Commits[i].Hash]; ok {
			after.Layers[rest.Commits[i].Hash] = files
		}
	}
	return after, true
}

// Judge decides how far the line is accepted, as access.Judge does. layers evaluates the
// files of a commit; one that holds more than is read has no valid layers.
func (l Line) Judge(recorded access.Recorded, now time.Time, layers func(*Files) model.Fleet) (access.Verdict, error) {
	return access.Judge(l.Line, recorded, l.Root, now, func(commit string) (fleet model.Fleet, err error) {
		if files, ok := l.Layers[commit]; ok {
			fleet = layers(files)
		}
		if fleet.Incomplete {
			err = fmt.Errorf("check who may change what: the layers of commit %s cannot be evaluated now", commit)
		}
		return fleet, err
	})
}

// At opens a commit: the tip, one of its ancestors, or the recorded commit.
func (l Line) At(commit string) (Snapshot, error) {
	if commit == l.Recorded && commit != "" && l.TipIs != access.Follows {
		repo := l.Snapshot.repo
		repo.mu.Lock()
		defer repo.mu.Unlock()
		return repo.open(commit)
	}
	return l.Snapshot.At(commit)
}

// lineTo reads the line to a commit that the store holds.
func (r *Repository) lineTo(snap Snapshot, recorded, root string) (Line, error) {
	line := Line{
		Line:     access.Line{Branch: r.judged, Tip: snap.Commit, Pinned: snap.Pinned},
		Snapshot: snap, Recorded: recorded, Root: root, Layers: map[string]*Files{},
	}
	if recorded == "" && root == "" {
		return line, nil
	}
	stops := slices.DeleteFunc([]string{recorded, root}, func(s string) bool { return s == "" })
	commits, base, found, err := r.walk(snap.Commit, stops...)
	if err != nil {
		return Line{}, err
	}
	if found == access.Follows {
		line.Base = base
		if found, err = r.readLine(&line, commits); err != nil {
			return Line{}, err
		}
	}
	switch {
	case recorded == "":
		return line, nil
	case line.Base == recorded:
		line.TipIs = access.Follows
		return line, nil
	case line.Base != "":
		if line.RootIs, err = r.relation(root, recorded); err != nil {
			return Line{}, err
		}
		if line.RootIs == access.Follows {
			line.TipIs = access.Follows
			return line, nil
		}
	}
	if line.TipIs, err = r.back(snap.Commit, recorded); err != nil {
		return Line{}, err
	}
	if found == access.TooFar && line.TipIs != access.Precedes && line.TipIs != access.Gone {
		line.TipIs = access.TooFar
	}
	return line, nil
}

// readLine reads the commits of a line that follow its base. If they are more than is
// kept in memory, the line is TooFar and has no commits and no base.
func (r *Repository) readLine(line *Line, commits []git.Hash) (access.Relation, error) {
	if line.Base != line.Recorded {
		if err := r.layers(line, line.Base); err != nil {
			return "", err
		}
	}
	bytes, sides := 0, sides{repo: r, bytes: r.limits.Bytes, commits: maxSides}
	for _, h := range commits {
		c, err := r.commit(h)
		if err != nil {
			return "", err
		}
		if bytes += size(&c); bytes > r.limits.Bytes {
			line.Base, line.Commits = "", nil
			return access.TooFar, nil
		}
		if c.Side, err = sides.of(c); err != nil {
			return "", err
		}
		line.Commits = append(line.Commits, c)
		if c.SaysWho() {
			if err := r.layers(line, c.Hash); err != nil {
				return "", err
			}
		}
	}
	return access.Follows, nil
}

// size is what a commit takes in memory.
func size(c *access.Commit) int {
	bytes := len(c.Payload) + len(c.Signature)
	for _, path := range c.Paths {
		bytes += len(path)
	}
	return bytes
}

// layers adds the files of a commit to the layers of a line.
func (r *Repository) layers(line *Line, commit string) error {
	h, _ := git.ParseHash(commit)
	c, err := r.store.Commit(h)
	if err != nil {
		return err
	}
	files, err := r.store.Files(c.TreeHash, r.files)
	switch {
	case errors.Is(err, git.ErrMissing):
		return err
	case err == nil: // else it is beyond the limits, so that nothing in it is valid
		line.Layers[commit] = files
	}
	return nil
}
