// Package layer turns the CUE files of one directory of a fleet repo into a
// document, or into problems with the places of both sides.
//
// It decides whether the files are valid under the schema and the policy of the
// layers above, and it writes pins and approvals into such files. It never compares
// directories with each other, never decides the meaning of a document for the model,
// and reads no files but those it is given. It is the only package that evaluates CUE.
//
// The schema is the one that is compiled in, not the copy in the repo. Package layer
// refuses files that the plain cue command accepts: a file that opts out of its package,
// a field of another layer.
//
// A Layer keeps the slices it is made of; the caller must not change them. Documents
// belong to the caller.
package layer
