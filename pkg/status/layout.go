package status

import (
	"fmt"
	"regexp"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/page"
)

// Files of the branch, by the names of the current format.
const (
	readmeFile   = page.File
	tenantsDir   = page.Dir
	nodesDir     = "nodes"
	tenantFile   = "tenant.json"
	quotaFile    = "quota.json"
	instanceFile = "instance.json"
	specFile     = "spec.json"
	previousFile = "previous.json"
	workflowFile = "workflow.json"
	decisionFile = "decision.json"
	ledgerFile   = "inputs/ledger.json"
	sourceFile   = "inputs/source.json"
	platformFile = "inputs/platform.json"
	capacityFile = "inputs/capacity.json"
	problemsFile = "errors.json"
	formatFile   = "inputs/format.json"
	orphansFile  = "inputs/orphans.json"
	usageFile    = "inputs/usage.json"

	groupQuotaFile = "inputs/quota.json"
)

// Bounds of what is written and accepted.
const (
	maxFile     = 4 << 20
	maxProblems = 1000
	maxOrphans  = 1000
	maxOver     = 100 // resources of which one tenant is over quota, or all groups are
	maxLine     = 500 // of a commit message, in bytes
)

// defaultMemory is how many bytes the records of a branch may have.
const defaultMemory = 1 << 30

// How many files a branch may have.
const (
	DefaultFiles = 400_000
	MaxFiles     = 4_000_000
)

// limits of a whole tree that some reconciler has written.
var limits = git.FileLimits{Size: maxFile, Count: MaxFiles, Depth: 8}

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
	model.SourceState
}

// quota is the content of quotaFile, which is there while a tenant is over quota, and of
// groupQuotaFile.
type quota struct {
	OverQuota []model.OverQuota `json:"overQuota"`
}

// capacity is the content of capacityFile, problems that of problemsFile, orphans that
// of orphansFile.
type (
	capacity struct {
		Pools []model.Pool `json:"pools"`
	}
	problems struct {
		Problems []model.Problem `json:"problems"`
	}
	orphans struct {
		Orphans []model.Inventory `json:"orphans"`
	}
)
