package evaluate

// Codes of problems that package evaluate finds itself. The rules of the schema
// carry theirs in their sentences.
const (
	codeSyntax         = "DA1001"
	codePackage        = "DA1002"
	codeLayer          = "DA1003"
	codeAttribute      = "DA1004"
	codeImport         = "DA1005"
	codeDisjunction    = "DA1006"
	codeReference      = "DA1007"
	codeFile           = "DA1008"
	codeSize           = "DA1009"
	codeComplex        = "DA1010"
	codeGaveUp         = "DA1011"
	codeNoTenant       = "DA1012"
	codeNoPlatform     = "DA1013"
	codeDirectory      = "DA1014"
	codeUnreadable     = "DA1015"
	codeTime           = "DA1016"
	codeMemory         = "DA1017"
	codeStack          = "DA1018"
	codeBetween        = "DA1019"
	codeUnknown        = "DA1101"
	codeRequired       = "DA1103"
	codeConflict       = "DA1104"
	codeIncomplete     = "DA1105"
	codeAmount         = "DA1106"
	codeNoName         = "DA1107"
	codeRequiredLabel  = "DA1218"
	codeWrittenOut     = "DA1275"
	codeName           = "DA1501"
	codeDependsOn      = "DA1502"
	codeCycle          = "DA1503"
	codePool           = "DA1504"
	codeProfile        = "DA1505"
	codeComponentRef   = "DA1506"
	codePort           = "DA1507"
	codeHost           = "DA1508"
	codePath           = "DA1509"
	codeStorage        = "DA1510"
	codeLimits         = "DA1511"
	codeProbe          = "DA1512"
	codeIngressPort    = "DA1513"
	codeGuarantees     = "DA1514"
	codeGuarantee      = "DA1515"
	codeCapacity       = "DA1516"
	codeBands          = "DA1517"
	codeObject         = "DA1518"
	codeQuota          = "DA1519"
	codeScaleCPU       = "DA1520"
	codeScaleBounds    = "DA1521"
	codeSameObjects    = "DA1522"
	codeGroupTree      = "DA1523"
	codeTwoGroups      = "DA1524"
	codeGroupGuarantee = "DA1525"
	codeNobody         = "DA1526"
	codeReservation    = "DA1527"
	codePoolReserved   = "DA1528"
	codeReserved       = "DA1529"
	codeNamespace      = "DA1530"
	codeDefinition     = "DA1531"
	codeParameter      = "DA1532"
	codeExpansion      = "DA1533"
	codeStepName       = "DA1540"
	codeStepRef        = "DA1541"
	codeStepCycle      = "DA1542"
	codeStepComponent  = "DA1543"
	codeStepType       = "DA1544"
	codeStepInput      = "DA1545"
	codeCondition      = "DA1546"
	codeCheck          = "DA1547"
	codeStage          = "DA1548"
	codeNoStep         = "DA1549"
	codeTwoVersions    = "DA1550"
	codeNoCommit       = "DA1601"
	codeNotInPin       = "DA1602"
	codeNothingPin     = "DA1603"
	codePrincipal      = "DA1806"
	codeUngoverned     = "DA1807"
)

// A rule is what there is to say about a code beside the sentence of a problem.
type rule struct {
	code  string
	title string
	fix   string

	limits []string // policy values behind the rule, below the field of a layer
	own    bool     // the layer at fault may have set the limit itself
}

// A chapter is a group of rules in docs/errors.md.
type chapter struct {
	title string
	rules []rule
}

// ruleOf returns the rule of a code.
func ruleOf(code string) rule {
	for _, c := range chapters {
		for _, r := range c.rules {
			if r.code == code {
				return r
			}
		}
	}
	return rule{}
}
