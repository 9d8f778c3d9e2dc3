//go:build !race

package unraced

const racing = false
