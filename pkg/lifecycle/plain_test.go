//go:build !race

package lifecycle_test

// racing says that the race detector watches.
const racing = false
