package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// Files of the branch.
const (
	readmeFile   = "README.md"
	tenantsDir   = "tenants"
	tenantFile   = "tenant.yaml"
	instanceFile = "instance.yaml"
	specFile     = "spec.yaml"
	previousFile = "previous.yaml"
	decisionFile = "decision.yaml"
	sourceFile   = "inputs/source.yaml"
	platformFile = "inputs/platform.yaml"
	capacityFile = "inputs/capacity.yaml"
	problemsFile = "errors.yaml"
)

// Bounds of what is written and accepted.
const (
	maxFile     = 4 << 20
	maxProblems = 1000
)

// limits of the whole tree.
var limits = git.FileLimits{Size: maxFile, Count: 400_000, Depth: 8}

// label is a DNS label, the only form in which names become paths.
var label = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// tenantDir returns the directory of a tenant. It refuses names that are not
// DNS labels, so that no name can lead elsewhere or look like a file of ours.
func tenantDir(tenant string) (string, error) {
	if !label.MatchString(tenant) {
		return "", fmt.Errorf("%q cannot name a tenant: a name has lower-case letters, digits and dashes, at most 63", tenant)
	}
	return tenantsDir + "/" + tenant, nil
}

// appDir returns the directory of an application.
func appDir(app model.AppID) (string, error) {
	dir, err := tenantDir(app.Tenant)
	if err != nil {
		return "", err
	}
	if !label.MatchString(app.Name) {
		return "", fmt.Errorf("%q cannot name an application: a name has lower-case letters, digits and dashes, at most 63", app.Name)
	}
	return dir + "/" + app.Name, nil
}

// cutTenant returns whose file or directory a path below tenants is.
func cutTenant(path string) (tenant string, ok bool) {
	below, ok := strings.CutPrefix(path, tenantsDir+"/")
	tenant, _, _ = strings.Cut(below, "/")
	return tenant, ok
}

// source is the content of sourceFile.
type source struct {
	Commit string `json:"commit"`
}

// encode writes a file: what it is, then the value.
func encode(what string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", what, err)
	}
	if b, err = yaml.JSONToYAML(escapeForYAML(b)); err != nil {
		return nil, fmt.Errorf("encode %s: %w", what, err)
	}
	b = append([]byte("# "+strings.ToUpper(what[:1])+what[1:]+". Written by D-AROS; do not edit.\n"), b...)
	if len(b) > maxFile {
		return nil, fmt.Errorf("encode %s: has %d bytes, at most %d are allowed", what, len(b), maxFile)
	}
	return b, nil
}

// escapeForYAML escapes the characters that JSON may hold literally and YAML
// may not, or reads as the end of a line: one of them in somebody's message
// would otherwise make the whole ledger unwritable.
func escapeForYAML(b []byte) []byte {
	bad := func(r rune) bool { return r >= 0x7f && r <= 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff }
	if !bytes.ContainsFunc(b, bad) {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		if bad(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}

// decode reads a file strictly: unknown and repeated fields are errors.
func decode(b []byte, into any) error {
	return yaml.UnmarshalStrict(b, into)
}
