package importing

// unsaidSteps are why steps of KubeVela are not kept, by type. They do what nobody does in a fleet that Git declares, or what D-AROS does anyhow.
var unsaidSteps = map[string]why{
	"read-object":               {"reads an object of the cluster, and what is declared does not follow from that", "env: config: existing, where a variable needs a value"},
	"read-app":                  {"reads another application, and what is declared does not follow from that", ""},
	"read-config":               {"reads what KubeVela keeps for itself", "a component of type config"},
	"list-config":               {"reads what KubeVela keeps for itself", "a component of type config"},
	"create-config":             {"writes what KubeVela keeps for itself", "a component of type config"},
	"delete-config":             {"deletes what KubeVela keeps for itself", "a component of type config"},
	"depends-on-app":            {"waits for another application, of which a workflow knows nothing", "workflow: steps with type check, and the address of the other one"},
	"share-cloud-resource":      severalClusters,
	"apply-terraform-config":    {"is a resource that is there only once", "a component of type raw with an object Configuration"},
	"apply-terraform-provider":  {"has the keys of a cloud, which belong to the platform", ""},
	"addon-operation":           {"installs an add-on of KubeVela", "what the platform brings"},
	"vela-cli":                  {"runs a command of KubeVela", ""},
	"collect-service-endpoints": {"reads addresses of the cluster, and what is declared does not follow from that", "the name of the component, APPLICATION-COMPONENT"},
	"export-data":               {"writes to other clusters", ""},
	"export-service":            {"writes to other clusters", ""},
	"print-message-in-status":   {"says something about a run only", "a comment in the file"},
	"clean-jobs":                {"jobs of steps go with the next run anyhow", ""},
	"build-push-image":          {"images are built before they are declared", "properties: image"},
	"restart-workflow":          {"a run begins with a commit, or with reconciler restart", ""},
	"canary-rollback":           {"a run takes back what it did by itself", "policy: onUpdateFailure, or a step with type canary and a check"},
	"apply-app":                 {"makes another application", "a directory of its own below apps"},
}
