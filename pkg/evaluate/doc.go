// Package evaluate turns the files of a fleet repo into a model: the platform, its
// tenants and their applications, and problems with the places of both sides.
//
// It decides which directories to evaluate again after a commit, and which tenants and
// applications are usable. A Worker evaluates one directory; a Backend decides in which
// process. Package layer turns a directory into a document, decode turns the document
// into values of the model, check compares directories with each other, and catalogue
// has the codes. Package evaluate never decides which application may run, reads no
// files but those it is given, and never fails: an invalid part is a problem in the
// result, and does not change the other parts.
//
// The slices of a fleet belong to the evaluator, which returns unchanged ones again:
// callers must not change them.
package evaluate
