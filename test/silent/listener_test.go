package silent

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConnected(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	some, err := connected(listener)
	require.NoError(t, err)
	require.False(t, some)

	conn, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close()) // what came and went counts, too
	some, err = connected(listener)
	require.NoError(t, err)
	require.True(t, some)

	some, err = connected(listener)
	require.NoError(t, err)
	require.False(t, some)
}
