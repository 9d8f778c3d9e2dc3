// Package evaluate turns the files of a fleet repo into a model: the platform, its
// tenants and their applications, and problems with the places of both sides.
//
// It decides what to evaluate again when a commit changes, what of it other processes
// evaluate (Backend, Worker), and which tenants and applications are usable. Package
// layer evaluates one directory, decode says what its document means, check finds what
// no directory shows alone, and catalogue has the codes. It never decides what may
// run, reads nothing but the files it is given, and never fails: an invalid part is a
// problem in the result, and all other parts are as if it were not there.
//
// The slices of a fleet belong to the evaluator, which returns those that did not
// change again: callers must not change them.
package evaluate
