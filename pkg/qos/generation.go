package qos

import (
	"bytes"
	"fmt"
)

// EncodeAfter is [Encode] for a plan that follows another one: it returns the document before
// if both promise the same, so that a generation counts the plans that differ.
func EncodeAfter(before []byte, plan Plan) []byte {
	next := Encode(plan)
	n := min(beforeGeneration(before), beforeGeneration(next))
	if bytes.Equal(before[:n], next[:n]) && bytes.Equal(afterGeneration(before[n:]), afterGeneration(next[n:])) {
		return before
	}
	return next
}

const generationField = "  \"generation\": "

// beforeGeneration returns how much of a document stands before the line of its generation, all of it if it has none.
func beforeGeneration(document []byte) int {
	if i := bytes.Index(document, []byte("\n"+generationField)); i >= 0 {
		return i + 1
	}
	return len(document)
}

// afterGeneration returns what follows the line of a generation, all if there is no such line at the beginning.
func afterGeneration(document []byte) []byte {
	if line, rest, _ := bytes.Cut(document, []byte("\n")); bytes.HasPrefix(line, []byte(generationField)) {
		return rest
	}
	return document
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
