package sealed

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain is a child, too: the name of the file of keys says how it behaves.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case "/tell":
			interfaces, _ := os.ReadFile("/proc/self/net/dev")
			_ = json.NewEncoder(os.Stdout).Encode(Answer{Values: map[string][]byte{
				"environment": []byte(strings.Join(os.Environ(), " ")), "format": []byte(os.Args[2]), "interfaces": interfaces,
			}})
			os.Exit(0)
		case "/refuse":
			_ = json.NewEncoder(os.Stdout).Encode(Answer{Code: CodeKey, Message: "no\nkey"})
			os.Exit(0)
		case "/chatter":
			os.Stdout.WriteString(strings.Repeat("x", 2*maxAnswer))
			os.Exit(0)
		case "/silent":
			os.Exit(0)
		case "/crash":
			os.Exit(2)
		case "/hang":
			select {}
		}
	}
	os.Exit(m.Run())
}

func opener(t *testing.T) *Opener {
	program, err := os.Executable()
	require.NoError(t, err)
	return &Opener{Program: program, Keys: "/"}
}

// TestChildIsAlone: a child has no environment, and no network but what the kernel gives
// everybody, where the machine allows that.
func TestChildIsAlone(t *testing.T) {
	t.Setenv("SECRET_OF_THE_PARENT", "canary")
	values, err := opener(t).Open(t.Context(), "tell", "secrets/db.enc.yaml", nil)
	require.NoError(t, err)
	require.NotContains(t, string(values["environment"]), "canary")
	require.Equal(t, ".yaml", string(values["format"]))
	if _, err := opener(t).run(t.Context(), "/tell", ".yaml", nil, true); err != nil {
		if os.Getenv("CI") != "" && exec.Command("unshare", "--user", "--net", "--ipc", "true").Run() == nil {
			t.Fatalf("this machine starts children in namespaces of their own, but not this one: %v", err)
		}
		t.Skipf("this machine starts no child in namespaces of its own: %v", err)
	}
	for line := range strings.Lines(string(values["interfaces"])) {
		if name, _, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !strings.Contains(name, "|") {
			require.Equal(t, "lo", name)
		}
	}
}

// TestRefusals: whatever becomes of a child, there is a code and one line.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ tenant, code, says string }{
		{"refuse", CodeKey, "no key"},
		{"chatter", CodeFormat, "ended while it read it (signal: broken pipe)"},
		{"silent", CodeKeyFile, "gave no answer; is it of this version?"},
		{"crash", CodeFormat, "ended while it read it (exit status 2)"},
	} {
		_, err := opener(t).Open(t.Context(), c.tenant, "db.enc.env", []byte("x"))
		var refused *Refusal
		require.ErrorAs(t, err, &refused, c.tenant)
		require.Equal(t, c.code, refused.Code, refused.Message)
		require.Contains(t, refused.Message, c.says)
		require.NotContains(t, err.Error(), "\n")
		require.Equal(t, c.code == CodeFormat, refused.Final())
	}
	_, err := opener(t).Open(t.Context(), "tell", "db.enc.env", make([]byte, MaxFile+1))
	require.EqualError(t, err, "DA1604: it has more than 2097152 bytes")
	_, err = (*Opener)(nil).Open(t.Context(), "acme", "db.enc.env", nil)
	require.EqualError(t, err, "DA1607: the reconciler has no keys; start it with --sops-age-keys")
	for _, name := range []string{"", ".", "..", "../acme", "acme/shop", "/etc"} {
		_, err = opener(t).Open(t.Context(), name, "db.enc.env", nil)
		require.EqualError(t, err, "DA1607: no file of keys can have the name of the tenant", name)
	}
	_, err = (&Opener{Program: filepath.Join(t.TempDir(), "gone")}).Open(t.Context(), "acme", "db.enc.env", nil)
	require.ErrorContains(t, err, "DA1607: run gone: ")
}

// TestChildEndsWithItsContext: nobody waits for a child that hangs.
func TestChildEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := opener(t).Open(ctx, "hang", "db.enc.env", nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
