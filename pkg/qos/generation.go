package qos

import (
	"bytes"
	"fmt"
)

// EncodeAfter is [Encode] for a plan that follows another one: it returns the document before
// if both promise the same, so that a generation counts the plans that differ.
func EncodeAfter(before []byte, plan Plan) []byte {
	next := Encode(plan)
	head, rest := aroundGeneration(before)
	nextHead, nextRest := aroundGeneration(next)
	if bytes.Equal(head, nextHead) && bytes.Equal(rest, nextRest) {
		return before
	}
	return next
}

// aroundGeneration returns what a document says before its generation, and after it.
func aroundGeneration(document []byte) (head, rest []byte) {
	head, rest, _ = bytes.Cut(document, []byte("\n  \"generation\": "))
	_, rest, _ = bytes.Cut(rest, []byte("\n"))
	return head, rest
}

// Follows returns an error if a plan is older than the one that is in force: an old copy that somebody
// has put back. What is older in Git comes with a new generation, and a ledger that begins
// anew from an older one has another name.
func (p *Plan) Follows(inForce *Plan) error {
	if p.Ledger != inForce.Ledger || p.Generation >= inForce.Generation {
		return nil
	}
	return fmt.Errorf("it is of generation %d, and that of generation %d has been in force: it is an old copy", p.Generation, inForce.Generation)
}
