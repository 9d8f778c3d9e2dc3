package apply

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBound: requests that an account would make wait for its RoleBinding, and end with it.
func TestBound(t *testing.T) {
	now := time.Now()
	l := newLive(&client{}, nil, newAccounts("d-aros", func() time.Time { return now }), Options{})
	binding := l.accounts.of("acme").binding()
	require.False(t, l.bound("acme"))
	l.accounts.granted(binding)
	require.True(t, l.bound("acme"), "the watch has yet to show it")
	now = now.Add(learns)
	require.False(t, l.bound("acme"))
	l.set(&Object{Ref: binding, Version: "1"})
	require.True(t, l.bound("acme"))
	require.False(t, l.bound("globex"))
	l.drop(binding, "2")
	require.False(t, l.bound("acme"))
}
