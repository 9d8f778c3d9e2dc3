package importing

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// nocalhostImages are the images that stand behind the names of languages.
var nocalhostImages = map[string]string{"go": "golang", "java": "java", "python": "python", "node": "node", "ruby": "ruby"}

// asIs are the parts of the trait that the annotation has as they are, and what KubeVela says without a word.
var asIs = []struct {
	name    string
	without any
}{
	{"gitUrl", nil}, {"storageClass", nil}, {"persistentVolumeDirs", nil}, {"debug", nil}, {"env", nil},
	{"shell", "bash"}, {"workDir", "/home/nocalhost-dev"}, {"hotReload", true},
	{"resources.limits.memory", "2Gi"}, {"resources.limits.cpu", "2"}, {"resources.requests.memory", "512Mi"}, {"resources.requests.cpu", "0.5"},
	{"command.run", []any{"sh", "run.sh"}}, {"command.debug", []any{"sh", "debug.sh"}},
	{"sync.type", "send"}, {"sync.filePattern", []any{"./"}}, {"sync.ignoreFilePattern", []any{".git", ".vscode", ".idea", ".gradle", "build"}},
}

// annotate takes a trait for people who work on a component in the cluster: KubeVela writes what it says into annotations of the
// workload, where Nocalhost reads it. It opens the port of the trait, too.
func (vela) annotate(s *scope, n *node) (any, error) {
	port := n.at("port")
	number, err := whole(1, 65535)(s, port)
	if err != nil {
		return nil, because("has no port", "")
	}
	for _, e := range n.at("env").items() {
		if holdsSecret(e.at("name").string(), e.at("value").string()) {
			return nil, because("has a variable that is a secret, and everybody reads annotations", "")
		}
	}
	if holdsSecret("", n.at("gitUrl").string()) {
		return nil, because("has an address with a password, and everybody reads annotations", "")
	}
	dev, image := doc{}, n.at("image").string()
	if named := nocalhostImages[image]; named != "" {
		image = "nocalhost-docker.pkg.coding.net/nocalhost/dev-images/" + named + ":latest"
	}
	dev["image"] = image
	for _, part := range asIs {
		if v := cmp.Or(to.said(n.at(part.name)), part.without); v != nil {
			dev.set(part.name, v)
			mark(kept, n.at(part.name))
		}
	}
	dev["portForward"] = cmp.Or(to.said(n.at("portForward")), any([]any{fmt.Sprintf("%d:%d", number, number)}))
	kind := n.at("serviceType").string()
	switch {
	case s.c.doc["type"] == "store" || s.persistent():
		kind = "statefulset"
	case kind == "":
		kind = "deployment"
	}
	config, err := json.Marshal(doc{"name": s.objectName(s.c.name), "serviceType": kind, "containers": []any{doc{"name": s.c.name, "dev": dev}}})
	if err != nil {
		return nil, because("is no text that an annotation may have", "")
	}
	patch.patch(s, doc{"annotations": doc{"dev.nocalhost/application-name": s.app.name, "dev.nocalhost": string(config)}})
	delete(s.port(port, port, nil, nil), "expose")
	mark(kept, port, n.at("image"), n.at("serviceType"), n.at("portForward"))
	s.note("%s: Nocalhost has to work on a copy of the workload, because D-AROS takes back what others change", s.c.name)
	return nil, nil
}
