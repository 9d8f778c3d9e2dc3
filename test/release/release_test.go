package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/d-aros/d-aros/pkg/signkey"
	"github.com/d-aros/d-aros/test/tool"
)

// newCheckout makes a repo like this one, with the real manifests and pages, and two programs that compile at once.
func newCheckout(t *testing.T) string {
	t.Helper()
	for key, value := range map[string]string{
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_DATE": "2026-11-01T12:00:00+01:00", "GIT_COMMITTER_DATE": "2026-11-01T12:00:00+01:00",
		"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com", "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com",
	} {
		t.Setenv(key, value)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                 "module github.com/d-aros/d-aros\n\ngo 1.26.0\n",
		"cmd/reconciler/main.go": "package main\n\nfunc main() { println(\"reconciler\") }\n",
		"cmd/nodeagent/main.go":  "package main\n\nfunc main() { println(\"nodeagent\") }\n",

		"cmd/reconciler-decrypt/main.go": "package main\n\nfunc main() { println(\"decrypt\") }\n",

		"CHANGELOG.md": "# Changelog\n\n## [v0.9.0] - 2026-11-01\n", "LICENSE": "Apache\n", "README.md": "# D-AROS\n", "SECURITY.md": "# Security\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS("../../deploy")))
	run := func(args ...string) {
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	run("init", "-q", "-b", "main")
	run("add", "--all")
	run("commit", "-q", "-m", "first")
	run("tag", "v0.9.0")
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

func releaseOf(t *testing.T, dir string, key *signkey.Key) (out string) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "dist")
	require.NoError(t, makeRelease(t.Context(), options{
		dir: dir, out: out, programs: []string{"reconciler", "reconciler-decrypt", "nodeagent"}, architectures: []string{"amd64", "arm64"}, key: key, progress: io.Discard,
	}))
	return out
}

// content returns the digest of each file below a directory.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	}))
	return files
}

// TestRelease makes a release of a small repo, and looks at every part of it.
func TestRelease(t *testing.T) {
	dir := newCheckout(t)
	dist := releaseOf(t, dir, nil)
	files := content(t, dist)
	for _, name := range []string{
		"SHA256SUMS", "d-aros_v0.9.0.cdx.json", "d-aros_v0.9.0_kustomize.tar.gz", "d-aros_v0.9.0_linux_amd64.tar.gz", "d-aros_v0.9.0_linux_arm64.tar.gz",
		"oci/nodeagent/index.json", "oci/reconciler/index.json", "oci/reconciler/oci-layout",
	} {
		require.Contains(t, files, name)
	}

	t.Run("two runs give the same bytes", func(t *testing.T) {
		other := filepath.Join(t.TempDir(), "elsewhere")
		out, err := exec.Command("git", "clone", "-q", dir, other).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, files, content(t, releaseOf(t, other, nil)))
	})
	t.Run("the checksums are of all files", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(dist, sumsFile))
		require.NoError(t, err)
		listed := map[string]string{}
		for line := range strings.Lines(string(text)) {
			sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
			require.True(t, ok, line)
			listed[name] = sum
		}
		listed[sumsFile] = files[sumsFile]
		require.Equal(t, files, listed)
	})
	t.Run("the archives hold programs that run", func(t *testing.T) {
		members := unpack(t, filepath.Join(dist, "d-aros_v0.9.0_linux_amd64.tar.gz"))
		for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "reconciler", "reconciler-decrypt", "nodeagent"} {
			require.Contains(t, members, "d-aros_v0.9.0_linux_amd64/"+name)
		}
	})
	t.Run("the images are whole", func(t *testing.T) {
		for _, program := range []string{"reconciler", "nodeagent"} {
			checkImages(t, filepath.Join(dist, "oci", program), program)
		}
	})
	t.Run("the manifests name version and digest", func(t *testing.T) {
		files := filesys.MakeFsInMemory()
		for name, data := range unpack(t, filepath.Join(dist, "d-aros_v0.9.0_kustomize.tar.gz")) {
			require.NoError(t, files.WriteFile("/"+name, data))
		}
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/d-aros_v0.9.0_kustomize")
		require.NoError(t, err)
		text, err := built.AsYaml()
		require.NoError(t, err)
		for _, program := range []string{"reconciler", "nodeagent"} {
			digest := readIndex(t, filepath.Join(dist, "oci", program)).Manifests[0].Digest
			require.Contains(t, string(text), "image: ghcr.io/d-aros/"+program+":v0.9.0@"+digest.String()+"\n")
		}
	})
	t.Run("the bill of materials", func(t *testing.T) {
		in, err := os.Open(filepath.Join(dist, "d-aros_v0.9.0.cdx.json"))
		require.NoError(t, err)
		defer in.Close()
		var bom cyclonedx.BOM
		require.NoError(t, cyclonedx.NewBOMDecoder(in, cyclonedx.BOMFileFormatJSON).Decode(&bom))
		require.Equal(t, "2026-11-01T11:00:00Z", bom.Metadata.Timestamp)
		require.Equal(t, "pkg:golang/github.com/d-aros/d-aros@v0.9.0?type=module", bom.Metadata.Component.PackageURL)
		var names []string
		for _, c := range *bom.Components {
			names = append(names, c.BOMRef)
		}
		std := "pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go") + "?type=module"
		require.Equal(t, []string{"nodeagent linux/amd64", "nodeagent linux/arm64", std, "reconciler linux/amd64", "reconciler linux/arm64",
			"reconciler-decrypt linux/amd64", "reconciler-decrypt linux/arm64"}, names)
	})
}

// TestModulesAreThoseThatAreLinked describes the program of this test, which has dependencies.
func TestModulesAreThoseThatAreLinked(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	build, err := buildinfo.ReadFile(program)
	require.NoError(t, err)
	modules := map[string]cyclonedx.Component{}
	_, uses, err := (&release{version: "v0.9.0"}).component(binary{program: "test", arch: "amd64", file: program, build: build}, modules)
	require.NoError(t, err)
	require.Len(t, uses, len(build.Deps)+1, "each module, and the standard library")
	i := slices.IndexFunc(build.Deps, func(m *debug.Module) bool { return m.Path == "github.com/google/go-containerregistry" })
	m := modules["pkg:golang/github.com/google/go-containerregistry@"+build.Deps[i].Version+"?type=module"]
	require.Equal(t, build.Deps[i].Version, m.Version)
	require.Len(t, (*m.Hashes)[0].Value, 64)
}

func unpack(t *testing.T, archive string) map[string][]byte {
	t.Helper()
	in, err := os.Open(archive)
	require.NoError(t, err)
	defer in.Close()
	z, err := gzip.NewReader(in)
	require.NoError(t, err)
	members := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return members
		}
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		members[h.Name] = data
	}
}

func readIndex(t *testing.T, dir string) *v1.IndexManifest {
	t.Helper()
	index, err := layout.ImageIndexFromPath(dir)
	require.NoError(t, err)
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	require.Len(t, manifest.Manifests, 1)
	require.Equal(t, "v0.9.0", manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"])
	return manifest
}

func checkImages(t *testing.T, dir, program string) {
	t.Helper()
	top, err := layout.ImageIndexFromPath(dir)
	require.NoError(t, err)
	require.NoError(t, validate.Index(top))
	index, err := top.ImageIndex(readIndex(t, dir).Manifests[0].Digest)
	require.NoError(t, err)
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	var platforms []string
	for _, m := range manifest.Manifests {
		platforms = append(platforms, m.Platform.String())
		image, err := index.Image(m.Digest)
		require.NoError(t, err)
		config, err := image.ConfigFile()
		require.NoError(t, err)
		require.Equal(t, "65532:65532", config.Config.User)
		require.Equal(t, []string{"/usr/local/bin/" + program}, config.Config.Entrypoint)
		require.Equal(t, "v0.9.0", config.Config.Labels["org.opencontainers.image.version"])
		require.Equal(t, m.Platform.Architecture, config.Architecture)
		require.Len(t, config.RootFS.DiffIDs, 1, "one layer on scratch")
		want := map[string][]string{"reconciler": {"usr/local/bin/reconciler", "usr/local/bin/reconciler-decrypt"}, "nodeagent": {"usr/local/bin/nodeagent"}}
		require.Equal(t, want[program], filesOf(t, image))
	}
	require.Equal(t, []string{"linux/amd64", "linux/arm64"}, platforms)
}

// filesOf lists the files of an image.
func filesOf(t *testing.T, image v1.Image) (names []string) {
	t.Helper()
	content := mutate.Extract(image)
	defer content.Close()
	for r := tar.NewReader(content); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(names)
			return names
		}
		require.NoError(t, err)
		names = append(names, h.Name)
	}
}

// TestSigned lets ssh-keygen judge the signature of the checksums.
func TestSigned(t *testing.T) {
	tool.Need(t, "ssh-keygen")
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	public, err := os.ReadFile(file + ".pub")
	require.NoError(t, err)
	key, err := signkey.Read(file, signkey.File)
	require.NoError(t, err)

	write(t, filepath.Join(dir, "allowed"), "release@d-aros.dev "+string(public))
	write(t, filepath.Join(dir, "dist", "a"), "a\n")
	require.NoError(t, sums(filepath.Join(dir, "dist"), key))
	verify := func() error {
		list, err := os.Open(filepath.Join(dir, "dist", sumsFile))
		require.NoError(t, err)
		defer list.Close()
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", filepath.Join(dir, "allowed"), "-I", "release@d-aros.dev", "-n", "file",
			"-s", filepath.Join(dir, "dist", sumsFile+".sig"))
		cmd.Stdin = list
		return cmd.Run()
	}
	require.NoError(t, verify())
	write(t, filepath.Join(dir, "dist", sumsFile), "0000  a\n")
	require.Error(t, verify())
}

// TestRefused: what cannot be released is refused in a sentence with the remedy, and nothing is written.
func TestRefused(t *testing.T) {
	dir := newCheckout(t)
	for name, c := range map[string]struct {
		change func(out string)
		dir    string
		says   string
	}{
		"a changed file":             {func(string) { write(t, filepath.Join(dir, "README.md"), "changed\n") }, dir, "differs from its commit (M README.md): commit or stash the changes"},
		"a file not tracked":         {func(string) { write(t, filepath.Join(dir, "cmd/more.go"), "package cmd\n") }, dir, "differs from its commit (?? cmd/more.go): commit or stash the changes"},
		"a version nobody announced": {func(string) { git(t.Context(), dir, "tag", "v0.9.1") }, dir, `CHANGELOG.md has no section "## [v0.9.1] - DATE"`},
		"no repo":                    {func(string) {}, t.TempDir(), "git status: fatal: not a git repository"},
		"a directory in use":         {func(out string) { write(t, filepath.Join(out, "thesis.txt"), "mine\n") }, dir, "is not an earlier release: choose another directory with --out"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "dist")
			c.change(out)
			before, _ := os.ReadDir(out)
			err := run(t.Context(), []string{"--dir", c.dir, "--out", out}, io.Discard)
			require.ErrorContains(t, err, c.says)
			after, _ := os.ReadDir(out)
			require.Equal(t, before, after)
			for _, undo := range [][]string{{"checkout", "-q", "."}, {"clean", "-q", "-f", "-d"}, {"tag", "-d", "v0.9.1"}} {
				_ = exec.Command("git", append([]string{"-C", dir}, undo...)...).Run() // the tag is there in one case only
			}
		})
	}
}
