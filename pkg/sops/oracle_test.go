package sops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/tier"
)

// TestAgainstSOPS builds sops, has it encrypt random files by each rule, and compares what
// opens with what sops decrypts.
func TestAgainstSOPS(t *testing.T) {
	if !tier.Soak() {
		t.Skip("the build of sops takes minutes, so it is part of make soak; TestFilesOfSOPS has recorded files")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "sops")
	build := exec.Command("go", "build", "-o", program, "github.com/getsops/sops/v3/cmd/sops")
	build.Dir = "../../test/sops"
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	keyFile, err := filepath.Abs("testdata/keys.txt")
	require.NoError(t, err)
	sops := func(args ...string) ([]byte, error) {
		cmd := exec.Command(program, args...)
		cmd.Env = []string{"HOME=" + dir, "SOPS_AGE_KEY_FILE=" + keyFile}
		var errOut bytes.Buffer
		cmd.Stderr = &errOut
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, &errOut)
		}
		return out, err
	}
	rules := []string{
		"", ", unencrypted_suffix: _a", ", encrypted_suffix: _a", ", unencrypted_regex: '^a'", ", encrypted_regex: '^(a|c)'",
		", encrypted_regex: '^a', mac_only_encrypted: true", ", encrypted_comment_regex: 'sops:enc'", ", unencrypted_comment_regex: 'sops:enc'",
	}
	opened := 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		extension := []string{"yaml", "json", "env"}[random.IntN(3)]
		config, source := filepath.Join(dir, "sops.yaml"), filepath.Join(dir, "plain."+extension)
		recipient := "age1h8ewekj4tx5ce6lazx3a7q2ajjk584lf07czp6srx0ww8zjhky2sfja2fu"
		rule := rules[random.IntN(len(rules))]
		require.NoError(t, os.WriteFile(config, []byte("creation_rules: [{age: "+recipient+rule+"}]\n"), 0o600))
		text := document(random, extension)
		require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
		encrypted, err := sops("--config", config, "encrypt", source)
		if err != nil {
			continue // sops does not encrypt everything
		}
		sealed := filepath.Join(dir, "sealed."+extension)
		require.NoError(t, os.WriteFile(sealed, encrypted, 0o600))
		want, err := sops("decrypt", "--output-type", "json", sealed)
		tree, ours := open("sealed."+extension, encrypted, keys(t))
		if err != nil {
			require.Error(t, ours, "sops refuses it: %s\n%s%s", err, text, encrypted)
			continue
		}
		require.NoError(t, ours, "seed %d%s\n%s\n%s", seed, rule, text, encrypted)
		have, err := json.Marshal(plain(tree))
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(have), "seed %d%s\n%s", seed, rule, text)
		opened++
	}
	require.Greater(t, opened, 100)
}

// document writes a random file.
func document(random *rand.Rand, extension string) string {
	words := []string{"x", "two words", "ünïcode 😀", "0123", "12", "-4.25", "true", "yes", "", "a: b", "#no comment", "line\nline\n", "=", "ENC[no]", "2024-05-06", "null", "'", `"\`, "1e3"}
	word := func() string { return words[random.IntN(len(words))] }
	key := func(i int) string {
		return string("abcde"[random.IntN(5)]) + fmt.Sprint(i) + []string{"", "_a", "_unencrypted"}[random.IntN(3)]
	}
	var b strings.Builder
	switch extension {
	case "env":
		for i := range 1 + random.IntN(6) {
			if random.IntN(3) == 0 {
				b.WriteString("# " + []string{"sops:enc", "other"}[random.IntN(2)] + "\n")
			}
			b.WriteString(key(i) + "=" + strings.ReplaceAll(word(), "\n", `\n`) + "\n")
		}
		return b.String()
	case "json":
		text, _ := json.Marshal(value(random, 0, key, word))
		return string(text)
	}
	var write func(indent string, depth int)
	write = func(indent string, depth int) {
		for i := range 1 + random.IntN(4) {
			remark := "# " + []string{"sops:enc", "other"}[random.IntN(2)]
			if random.IntN(3) == 0 {
				b.WriteString(indent + remark + "\n")
			}
			b.WriteString(indent + key(i) + ":")
			switch n := random.IntN(8); {
			case n == 0 && depth < 3:
				b.WriteString("\n")
				write(indent+"  ", depth+1)
				continue
			case n == 1:
				b.WriteString("\n")
				for range 1 + random.IntN(3) {
					if random.IntN(3) == 0 {
						b.WriteString(indent + "  " + remark + "\n")
					}
					text, _ := json.Marshal(word())
					b.WriteString(indent + "  - " + string(text) + "\n")
				}
				continue
			case n == 2:
				b.WriteString(" " + []string{"12", "-4.25", "true", "1e3", "2024-05-06", "~", "0x1f", "yes", "012"}[random.IntN(9)])
			default:
				text, _ := json.Marshal(word())
				b.WriteString(" " + string(text))
			}
			if random.IntN(4) == 0 {
				b.WriteString(" " + remark)
			}
			b.WriteString("\n")
		}
	}
	write("", 0)
	return b.String()
}

// value returns a random value of JSON; at depth 0 an object.
func value(random *rand.Rand, depth int, key func(int) string, word func() string) any {
	switch n := random.IntN(8); {
	case depth == 0 || n == 0 && depth < 3:
		m := map[string]any{}
		for i := range 1 + random.IntN(4) {
			m[key(i)] = value(random, depth+1, key, word)
		}
		return m
	case n == 1 && depth < 3:
		return []any{value(random, depth+1, key, word), value(random, depth+1, key, word)}
	case n == 2:
		return []any{12, -4.25, true, 1e21, nil, int64(1) << 60}[random.IntN(6)]
	}
	return word()
}
