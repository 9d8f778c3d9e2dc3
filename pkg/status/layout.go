package status

import (
	"fmt"
	"regexp"

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
	workflowFile = "workflow.yaml"
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

// source is the content of sourceFile.
type source struct {
	Commit string `json:"commit"`
}
