//go:build !race

package pool

const racing = false
