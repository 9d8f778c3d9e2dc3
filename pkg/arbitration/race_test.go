//go:build race

package arbitration_test

func init() { racing = true }
