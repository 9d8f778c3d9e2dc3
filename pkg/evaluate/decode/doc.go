// Package decode turns the document of one directory into values of the model.
//
// It decides what a declared value means: units, defaults, which layer set a policy
// value; and it refuses what the schema cannot bound: amounts that overflow, a limit
// below its request, an unknown principal. It never reads files, never evaluates CUE
// and never looks at another directory than the layers above.
//
// A Go struct here is the twin of a definition of the schema; a test holds the fields
// of both together. What it returns belongs to the caller.
package decode
