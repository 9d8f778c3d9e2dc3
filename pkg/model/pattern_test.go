package model

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"db", "db", true}, {"db", "db2", false}, {"db-*", "db-shop", true}, {"db-*", "db", false}, {"*", "x", true}, {"*-db", "shop-db", true},
		{"a*b*c", "axbxc", true}, {"a*b*c", "axc", false}, {"ab*ba", "aba", false}, {"a*a", "a", false}, {"**", "", true},
	} {
		require.Equal(t, c.want, Matches([]string{c.pattern}, c.text), "%s %s", c.pattern, c.text)
	}
}
