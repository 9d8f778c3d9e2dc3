package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// ErrRefMoved reports that a ref does not point where the update expects.
var ErrRefMoved = errors.New("the ref has moved")

// Objects are new objects that are not in any repository yet. Nobody may change the contents that they are given.
type Objects struct {
	objects inMemory
	order   []Hash
	packed  []byte // nil: not yet, or not all of them
}

// NewObjects returns an empty set.
func NewObjects() *Objects { return &Objects{objects: inMemory{}} }

// add puts an object into the set and returns its name.
func (o *Objects) add(kind plumbing.ObjectType, content []byte) Hash {
	h := plumbing.ComputeHash(kind, content)
	if !o.objects.has(h) {
		o.objects[h] = unpacked{kind, content}
		o.order, o.packed = append(o.order, h), nil
	}
	return h
}

// Len returns the number of objects.
func (o *Objects) Len() int { return len(o.order) }

// Pack encodes the set as git sends it.
func (o *Objects) Pack() []byte {
	if o.packed == nil {
		o.packed = encodePack(o.objects, o.order)
	}
	return o.packed
}

// Push moves ref from old to new (ZeroHash: the ref does not exist) and brings
// the objects that new needs and the remote lacks. It is one compare-and-swap:
// the remote changes the ref only if it is at old. ErrRefMoved reports that
// the ref was elsewhere before anything was sent. After any other error the ref may or
// may not have moved: ask the remote. The error has what the remote says, its hooks included.
func (r *Remote) Push(ctx context.Context, ref string, old, new Hash, objects *Objects) error {
	err := r.converse(ctx, transport.ReceivePackServiceName, func(ctx context.Context, s transport.Session) error {
		adv, err := s.AdvertisedReferencesContext(ctx)
		if err != nil && !errors.Is(err, transport.ErrEmptyRemoteRepository) {
			return err
		}
		if err != nil {
			adv = packp.NewAdvRefs()
		}
		if adv.References[ref] != old {
			return ErrRefMoved
		}
		req := packp.NewReferenceUpdateRequestFromCapabilities(adv.Capabilities)
		if !req.Capabilities.Supports(capability.ReportStatus) {
			// Without a report, silence would count as success.
			if err == nil {
				return ErrUnsupported
			}
			_ = req.Capabilities.Set(capability.ReportStatus)
		}
		said := &beginning{max: 4096}
		if r.at.scheme != "file" && adv.Capabilities.Supports(capability.Sideband64k) {
			_ = req.Capabilities.Set(capability.Sideband64k)
			req.Progress = said
		}
		req.Commands = []*packp.Command{{Name: plumbing.ReferenceName(ref), Old: old, New: new}}
		req.Packfile = io.NopCloser(bytes.NewReader(objects.Pack()))
		report, err := s.(transport.ReceivePackSession).ReceivePack(ctx, req)
		if words := said.line(); err != nil && words != "" {
			return fmt.Errorf("%w: %s", err, words)
		}
		if err != nil {
			return err
		}
		if report == nil || len(report.CommandStatuses) != 1 || report.CommandStatuses[0].ReferenceName.String() != ref {
			return errors.New("the Git server did not report the result of the push")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("push to %s: %w", r, err)
	}
	return nil
}
