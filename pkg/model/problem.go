package model

// Codes of problems that more than one package speaks of. docs/errors.md lists
// all codes.
const (
	CodeRemovalHeld = "DA1901" // a commit removes more applications than it may without confirmation
)
