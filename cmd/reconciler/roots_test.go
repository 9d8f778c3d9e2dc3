package main

import (
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCertificateAuthoritiesAreLinked: the image has no file besides the program, and the reconciler reaches Git over TLS.
func TestCertificateAuthoritiesAreLinked(t *testing.T) {
	build, ok := debug.ReadBuildInfo()
	require.True(t, ok)
	require.True(t, slices.ContainsFunc(build.Deps, func(m *debug.Module) bool { return m.Path == "golang.org/x/crypto/x509roots/fallback" }))
}
