// Package importing translates what other tools call an application into one of a fleet repo: a file of
// Docker Compose, KubeVela, KubeMin or Score, or manifests of Kubernetes, into a file of CUE.
//
// A reader takes what it understands from the file and says of everything else why it was not kept, so
// that nothing is lost in silence: each value of the file is kept, left to a Secret, or listed with its
// line. What the file says is data and never becomes CUE, and a value that is to be secret is not
// written at all.
package importing
