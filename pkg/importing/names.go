package importing

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// Patterns of the schema that a value has to match.
var (
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	keyPattern      = regexp.MustCompile(`^[-._A-Za-z0-9]{1,253}$`)
	objectPattern   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)
	labelPattern    = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	labelValue      = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
	portName        = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,13}[a-z0-9])?$`)
	hostPattern     = regexp.MustCompile(`^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	pathPattern     = regexp.MustCompile(`^/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$`)
	mountPattern    = regexp.MustCompile(`^/[^:]*$`)
	subPattern      = regexp.MustCompile(`^[A-Za-z0-9_][-A-Za-z0-9_.]*(/[A-Za-z0-9_][-A-Za-z0-9_.]*)*$`)
	cpuPattern      = regexp.MustCompile(`^([0-9]{1,9}(\.[0-9]{1,3})?|[0-9]{1,12}m)$`)
	memoryPattern   = regexp.MustCompile(`^([0-9]{1,15}|[0-9]{1,6}(\.[0-9]{1,3})?(Ki|Mi|Gi|Ti|k|M|G|T))$`)
	durationPattern = regexp.MustCompile(`^([0-9]{1,6}(ms|s|m|h)){1,4}$`)
	devicePattern   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)
	fieldPattern    = regexp.MustCompile(`^(metadata\.(name|namespace|uid|labels\['[^']+'\]|annotations\['[^']+'\])|spec\.(nodeName|serviceAccountName)|status\.(hostIP|podIP))$`)
	schedulePattern = regexp.MustCompile(`^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|([-0-9A-Za-z*/,?LW#]+ +){4}[-0-9A-Za-z*/,?LW#]+)$`)
	zonePattern     = regexp.MustCompile(`^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$`)
	imagePattern    = regexp.MustCompile(`^[a-z0-9]+([._/:-]+[a-z0-9]+)*(:[A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?(@sha256:[0-9a-f]{64})?$`)
	tagPattern      = regexp.MustCompile(`^[A-Za-z0-9_][-A-Za-z0-9_.]{0,127}$`)
	registryPattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?$`)
	systemPattern   = regexp.MustCompile(`^([^/]*\.)?d-aros\.dev/`)
)

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// dnsName makes a name of the schema of a text, "" if nothing is left.
func dnsName(s string) string {
	if len(s) > 1024 {
		s = s[:1024]
	}
	s = strings.Trim(notInName.ReplaceAllString(strings.ToLower(s), "-"), "-")
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		s = "n" + s
	}
	if len(s) > 63 {
		s = strings.TrimRight(s[:63], "-")
	}
	return s
}

// unused returns a name, with a number behind it if the name is taken.
func unused(name string, taken func(name string) bool) string {
	try := name
	for i := 2; taken(try); i++ {
		try = fmt.Sprintf("%.58s-%d", name, i)
	}
	return try
}

// baseName is the name of a file without its directory and its endings.
func baseName(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	parts := strings.Split(file, "/")
	base, _, _ := strings.Cut(parts[len(parts)-1], ".")
	if len(parts) > 1 && (base == "compose" || base == "docker-compose" || base == "score") {
		base = parts[len(parts)-2] // as Compose does
	}
	return base
}

// fullImage writes the name of an image with its registry, which policy compares: redis is
// docker.io/library/redis.
func fullImage(image string) (string, bool) {
	ref, err := name.ParseReference(image)
	if err != nil {
		return "", false
	}
	full := ref.Context().Name()
	if rest, ok := strings.CutPrefix(full, name.DefaultRegistry+"/"); ok {
		full = "docker.io/" + rest
	}
	repository, digest, _ := strings.Cut(image, "@")
	if i := strings.LastIndexByte(repository, ':'); i > strings.LastIndexByte(repository, '/') {
		if !tagPattern.MatchString(repository[i+1:]) {
			return "", false
		}
		full += repository[i:]
	}
	if !registryPattern.MatchString(ref.Context().RegistryStr()) {
		return "", false
	}
	if digest != "" {
		full += "@" + digest
	}
	return full, imagePattern.MatchString(full)
}

// mountable reports whether something can be mounted at a path.
func mountable(path string) bool { return len(path) <= 4096 && mountPattern.MatchString(path) }
