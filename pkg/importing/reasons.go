package importing

// severalClusters is why what concerns several clusters is not kept.
var severalClusters = why{"is about several clusters, which an application does not name", "platform: pools: cluster, and placement: pool"}

// reasons are why a field that no reader asks for is not kept, by its name in the formats.
var reasons = map[string]why{
	"podAffinity":          {"wants of pods what no placement has", "traits: affinity, or placement: spread"},
	"namespace":            {"the namespace follows from the tenant", ""},
	"serviceAccountName":   {"pods run without rights on the API server", "properties: serviceAccount: annotations, for the identity service of a cloud"},
	"serviceAccount":       {"pods run without rights on the API server", "properties: serviceAccount: annotations, for the identity service of a cloud"},
	"priorityClassName":    {"the priority is that of the application", "priority"},
	"affinity":             {"wants of nodes and pods what no placement has", "traits: affinity, or placement"},
	"network_mode":         {"pods have a network of their own", "ports and traits: ingress"},
	"hostAliases":          {"no trait adds names of hosts", ""},
	"imagePullPolicy":      {"the runtime pulls an image that a node does not have", "an image with a digest"},
	"pull_policy":          {"the runtime pulls an image that a node does not have", "an image with a digest"},
	"build":                {"images are built before they are declared", "properties: image"},
	"networks":             {"components of an application reach each other", "connects, for components of others"},
	"links":                {"components of an application reach each other", ""},
	"container_name":       {"names of pods follow from application and component", ""},
	"restart":              {"the type of a component tells if it is started again", "type"},
	"restartPolicy":        {"the type of a component tells if it is started again", "type"},
	"privileged":           {"policy does not allow privileged containers", ""},
	"policies":             severalClusters,
	"revisionHistoryLimit": {"history is that of Git", ""},
	"strategy":             {"is an update in a way of its own", "traits: update, or workflow: steps with canary or blue-green"},
	"rolloutBatches":       {"how an update goes is the business of the workflow", "workflow: steps with canary or blue-green"},
	"updateStrategy":       {"how an update goes is the business of the workflow", "workflow: steps with canary or blue-green"},
	"labels":               {"labels of objects are those of the application and its components", "labels, properties: labels"},
	"annotations":          {"annotations of objects are those of properties: annotations", "properties: annotations"},
	"version":              {"the version of an application is the commit of its files", ""},
	"project":              {"a project is a tenant", ""},
	"share":                {"what applications share is an application of its own", "connects"},
	"logging":              {"what becomes of logs is the business of the nodes", ""},
	"nodePort":             {"which port of nodes leads to a component is chosen by the cluster", ""},
	"healthcheck":          {"is no check of readiness", "traits: probes"},
	"env_file":             {"the file was not read", "properties: env"},
	"files":                {"files are keys of a config", "a component of type config, and traits: storage"},
	"items":                {"all keys of a config or a secret are mounted under their names", "keys with the names of the files"},
	"defaultMode":          {"files of a config can be read by everybody in the container", ""},
	"status":               {"is what a cluster wrote, not what somebody wants", ""},
	"scopes":               {"an application has no scopes", ""},
	"outputs":              {"a step hands on the outcome of a request or a message only", "workflow: steps: outputs"},
	"inputs":               {"a step takes the outcome of a request or a message only", "workflow: steps: inputs"},
}

// reasonFor is why a field of a name is not kept.
func reasonFor(name string) error {
	if w, ok := reasons[name]; ok {
		return &w
	}
	return because("the schema has no field for it", "")
}
