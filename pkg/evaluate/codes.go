package evaluate

// Codes of problems that package evaluate itself finds. Rules of the schema carry
// theirs in their sentences. docs/errors.md has all of them.
const (
	codeSyntax      = "DA1001"
	codePackage     = "DA1002"
	codeLayer       = "DA1003"
	codeAttribute   = "DA1004"
	codeImport      = "DA1005"
	codeDisjunction = "DA1006"
	codeReference   = "DA1007"
	codeFile        = "DA1008"
	codeSize        = "DA1009"
	codeComplex     = "DA1010"
	codeGaveUp      = "DA1011"
	codeNoTenant    = "DA1012"
	codeNoPlatform  = "DA1013"
	codeDirectory   = "DA1014"
	codeUnreadable  = "DA1015"

	codeUnknown    = "DA1101"
	codeRequired   = "DA1103"
	codeConflict   = "DA1104"
	codeIncomplete = "DA1105"
	codeAmount     = "DA1106"

	codeName         = "DA1501"
	codeDependsOn    = "DA1502"
	codeCycle        = "DA1503"
	codePool         = "DA1504"
	codeProfile      = "DA1505"
	codeComponentRef = "DA1506"
	codePort         = "DA1507"
	codeHost         = "DA1508"
	codePath         = "DA1509"
	codeStorage      = "DA1510"
	codeLimits       = "DA1511"
	codeProbe        = "DA1512"
	codeIngressPort  = "DA1513"
	codeGuarantees   = "DA1514"
	codeGuarantee    = "DA1515"
	codeCapacity     = "DA1516"
	codeBands        = "DA1517"
	codeObject       = "DA1518"
	codeQuota        = "DA1519"

	codeNoCommit   = "DA1601"
	codeNotInPin   = "DA1602"
	codeNothingPin = "DA1603"
)

// A rule is what the reports about a code need beside the sentence.
type rule struct {
	limits []string // policy values behind it, below a layer's field
	own    bool     // the layer that is at fault may have set the limit itself
}

// rules ties the codes of the schema's rules to the policy values behind them.
var rules = map[string]rule{
	"DA1301": {limits: []string{"policy.limits.maxReplicas"}},
	"DA1302": {limits: []string{"quota.priorityCeiling", "policy.limits.priorityCeiling"}, own: true},
	"DA1303": {limits: []string{"policy.limits.maxShare"}},
	"DA1304": {limits: []string{"policy.images.registries"}},
	"DA1305": {limits: []string{"policy.runtimes"}},
	"DA1306": {limits: []string{"policy.kinds"}},
	"DA1307": {limits: []string{"policy.namespace"}},
	"DA1308": {limits: []string{"policy.overcommit.cpu"}},
	"DA1309": {limits: []string{"policy.overcommit.memory"}},
	"DA1310": {limits: []string{"policy.preemption"}},
	"DA1311": {limits: []string{"policy.degradation"}},
	"DA1313": {limits: []string{"policy.strategies"}},
	"DA1315": {limits: []string{"policy.limits.maxReplicas"}, own: true},
	"DA1316": {limits: []string{"policy.limits.priorityCeiling", "quota.priorityCeiling"}, own: true},
	"DA1317": {limits: []string{"policy.strategies"}, own: true},
	"DA1321": {limits: []string{"policy.limits.priorityCeiling"}},
	"DA1401": {limits: []string{"policy.limits.priorityCeiling", "quota.priorityCeiling"}},
	"DA1405": {limits: []string{"policy.degradation"}},
	"DA1406": {limits: []string{"policy.preemption"}},
	"DA1407": {limits: []string{"policy.strategies"}},
	"DA1412": {limits: []string{"policy.limits.maxReplicas"}},
	"DA1413": {limits: []string{"policy.runtimes"}},
	"DA1417": {limits: []string{"policy.degradation"}},
	"DA1420": {limits: []string{"policy.images.registries"}},
	"DA1425": {limits: []string{"policy.kinds"}},
}
