package git_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/test/gittest"
)

// key makes a key pair and writes the private half to a file.
func key(t *testing.T) (ssh.Signer, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	return signer, file
}

// serveSSH serves the repository to whoever has the key, as git-shell would.
func serveSSH(t *testing.T, repo *gittest.Repo, host ssh.Signer, user ssh.PublicKey) string {
	t.Helper()
	config := &ssh.ServerConfig{PublicKeyCallback: func(c ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
		if c.User() != "git" || string(k.Marshal()) != string(user.Marshal()) {
			return nil, fmt.Errorf("unknown key")
		}
		return nil, nil
	}}
	config.AddHostKey(host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				_, channels, requests, err := ssh.NewServerConn(conn, config)
				if err != nil {
					_ = conn.Close()
					return
				}
				go ssh.DiscardRequests(requests)
				for c := range channels {
					channel, requests, err := c.Accept()
					if err != nil {
						return
					}
					go runSSH(repo, channel, requests)
				}
			}()
		}
	}()
	return listener.Addr().String()
}

func runSSH(repo *gittest.Repo, channel ssh.Channel, requests <-chan *ssh.Request) {
	defer channel.Close()
	for r := range requests {
		if r.Type != "exec" {
			_ = r.Reply(false, nil)
			continue
		}
		_ = r.Reply(true, nil)
		var command struct{ Text string }
		_ = ssh.Unmarshal(r.Payload, &command)
		service, path, _ := strings.Cut(command.Text, " ")
		cmd := repo.Command(strings.TrimPrefix(service, "git-"), strings.Trim(path, "'"))
		in, err := cmd.StdinPipe()
		if err != nil {
			return
		}
		cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
		go func() {
			buf := make([]byte, 32<<10)
			for {
				n, err := channel.Read(buf)
				_, _ = in.Write(buf[:n])
				if err != nil {
					_ = in.Close()
					return
				}
			}
		}()
		code := uint32(0)
		if cmd.Run() != nil {
			code = 1
		}
		_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{code}))
		return
	}
}

func TestSSH(t *testing.T) {
	repo := example(t)
	host, _ := key(t)
	user, userFile := key(t)
	addr := serveSSH(t, repo, host, user.PublicKey())
	hosts := filepath.Join(t.TempDir(), "known_hosts")
	require.NoError(t, os.WriteFile(hosts, []byte(knownhosts.Line([]string{addr}, host.PublicKey())+"\n"), 0o600))
	url := "ssh://git@" + addr + repo.Dir
	roundTrip(t, remote(t, url, git.Auth{KeyFile: userFile, KnownHosts: hosts}, git.Limits{}), repo)

	other, otherFile := key(t)
	_, err := remote(t, url, git.Auth{KeyFile: otherFile, KnownHosts: hosts}, git.Limits{}).Refs(t.Context())
	require.ErrorContains(t, err, "unable to authenticate")
	require.NoError(t, os.WriteFile(hosts, []byte(knownhosts.Line([]string{addr}, other.PublicKey())+"\n"), 0o600))
	_, err = remote(t, url, git.Auth{KeyFile: userFile, KnownHosts: hosts}, git.Limits{}).Refs(t.Context())
	require.ErrorContains(t, err, "knownhosts: key mismatch")
	_, err = remote(t, url, git.Auth{KnownHosts: hosts}, git.Limits{}).Refs(t.Context())
	require.ErrorContains(t, err, "private key")

	// A host that accepts the connection and says nothing.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	start := time.Now()
	_, err = remote(t, "ssh://git@"+silent.Addr().String()+"/x", git.Auth{KeyFile: userFile, KnownHosts: hosts},
		git.Limits{Timeout: 300 * time.Millisecond}).Refs(t.Context())
	require.ErrorContains(t, err, "no answer within")
	require.Less(t, time.Since(start), 30*time.Second)
}
