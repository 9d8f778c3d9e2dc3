package access

// A Line is the part of a branch that is judged: the commits on first parents from the
// last accepted one to the tip, or how the tip fails to follow from it.
type Line struct {
	Branch string // that statements have to name
	Tip    string
	Pinned bool // the operator named this commit

	// Base is the commit that Commits follow: the recorded commit or the trust root,
	// whichever is nearer to the tip on first parents. "" if neither is there.
	Base    string
	Commits []Commit // from the one after Base to Tip, oldest first

	TipIs  Relation // of the tip to the recorded commit; "" if nothing is recorded
	RootIs Relation // of the trust root to the recorded commit; "" unless Base is the root
}

// Relation is the relation of one commit to another on first parents.
type Relation string

// Relations.
const (
	Follows  Relation = "follows"  // the other is the same commit or one of its first parents
	Precedes Relation = "precedes" // it is one of the first parents of the other
	Apart    Relation = "apart"    // neither
	TooFar   Relation = "too far"  // the history between them is longer than is read
	Gone     Relation = "gone"     // the repository does not have the other
)

// After returns the rest of a line once a commit of it has been accepted. It reports
// false if the line does not show how the tip follows from that commit.
func (l Line) After(accepted string) (Line, bool) {
	rest := Line{Branch: l.Branch, Tip: l.Tip, Pinned: l.Pinned, Base: accepted, TipIs: Follows}
	if accepted == l.Tip {
		return rest, true
	}
	for i := range l.Commits {
		if l.Commits[i].Hash == accepted {
			rest.Commits = append(rest.Commits, l.Commits[i+1:]...)
			return rest, true
		}
	}
	return Line{}, false
}
