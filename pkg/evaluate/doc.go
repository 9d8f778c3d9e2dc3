// Package evaluate turns the files of a fleet repo into a model: the platform,
// its tenants and their applications, and for what is wrong, problems with the
// places of both sides.
//
// It decides what is valid and what a declared value means under the policy of
// the layers above. It never decides what may run, reads nothing but the files
// it is given, and never fails: an invalid part is a problem in the result, and
// all other parts are as if it were not there.
//
// The schema is the one that is compiled in, not the copy in the repo, and what
// the plain cue command cannot see (a file that opts out of its package, a field
// of another layer) is refused here.
package evaluate
