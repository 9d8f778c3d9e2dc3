package git

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
)

// Auth has the credentials for a remote. The zero value is anonymous.
// Files are read again for every connection, so that credentials may rotate.
type Auth struct {
	Username   string // of https; default "git"
	Token      string // of https; a password or access token …
	TokenFile  string // … or the file that holds it
	KeyFile    string // of ssh: private key
	Passphrase string // of KeyFile
	KnownHosts string // of ssh: known_hosts file; default that of the user
}

// method returns the credentials for one connection. A token goes to https
// only, a key to ssh only.
func (a Auth) method(to address, timeout time.Duration) (transport.AuthMethod, error) {
	switch to.scheme {
	case "https", "http":
		token, err := a.token()
		if err != nil || token == "" {
			return nil, err
		}
		user := cmp.Or(a.Username, "git")
		return &githttp.BasicAuth{Username: user, Password: token}, nil
	case "ssh":
		return a.sshMethod(to, timeout)
	}
	return nil, nil
}

func (a Auth) token() (string, error) {
	if a.TokenFile == "" {
		return a.Token, nil
	}
	b, err := os.ReadFile(a.TokenFile)
	if err != nil {
		return "", fmt.Errorf("read Git token: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// sshAuth bounds the connection in time and offers only the host key
// algorithms that known_hosts can verify.
type sshAuth struct {
	*gitssh.PublicKeys
	algorithms []string
	timeout    time.Duration
}

func (s sshAuth) ClientConfig() (*ssh.ClientConfig, error) {
	c, err := s.PublicKeys.ClientConfig()
	if err != nil {
		return nil, err
	}
	c.HostKeyAlgorithms, c.Timeout = s.algorithms, s.timeout
	return c, nil
}

func (a Auth) sshMethod(to address, timeout time.Duration) (transport.AuthMethod, error) {
	if a.KeyFile == "" {
		return nil, errors.New("an ssh repository needs a private key file")
	}
	user := cmp.Or(to.user, "git")
	keys, err := gitssh.NewPublicKeysFromFile(user, a.KeyFile, a.Passphrase)
	if err != nil {
		return nil, fmt.Errorf("read ssh key %s: %w", a.KeyFile, err)
	}
	var files []string
	if a.KnownHosts != "" {
		files = []string{a.KnownHosts}
	}
	hosts, err := gitssh.NewKnownHostsDb(files...)
	if err != nil {
		return nil, fmt.Errorf("read known hosts: %w", err)
	}
	host := to.host
	if !strings.Contains(host[strings.LastIndex(host, "]")+1:], ":") {
		host += ":22"
	}
	keys.HostKeyCallback = hosts.HostKeyCallback()
	return sshAuth{PublicKeys: keys, algorithms: hosts.HostKeyAlgorithms(host), timeout: timeout}, nil
}
