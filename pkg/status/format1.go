package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
)

// Format 1 wrote the same records in YAML, and lists as they are. It is read so that
// a branch can be migrated, and written so that an upgrade can be taken back.

// decodeFormat1 reads a record of format 1 strictly.
func decodeFormat1(b []byte, into any) error {
	switch v := into.(type) {
	case *capacity:
		return yaml.UnmarshalStrict(b, &v.Pools)
	case *problems:
		return yaml.UnmarshalStrict(b, &v.Problems)
	case *model.Decision:
		err := yaml.UnmarshalStrict(b, v)
		if err == nil {
			*v, err = renamed(*v, ofFormat1, ofModel)
		}
		return err
	}
	return yaml.UnmarshalStrict(b, into)
}

// encodeFormat1 writes a record in format 1.
func encodeFormat1(v any) ([]byte, error) {
	switch list := v.(type) {
	case *capacity:
		v = list.Pools
	case *problems:
		v = list.Problems
	case *model.Decision:
		d, err := renamed(*list, ofModel, ofFormat1)
		if err != nil {
			return nil, err
		}
		d.Grants = asTold(d.Grants)
		v = withoutAdvice(d)
	case *model.Instance:
		v = inFormat1Terms(list)
	case *source:
		v = &source{Commit: list.Commit}
	case *model.Run:
		v = withoutTimes(list)
	case *model.Application:
		copied := *list
		copied.Policy, copied.Components = new(withoutRules(*list.Policy)), model.WithoutTimes(list.Components)
		v = &copied
	case *model.Tenant:
		copied := *list
		copied.Policy = withoutRules(list.Policy)
		v = &copied
	case *model.Platform:
		copied := *list
		copied.Policy, copied.HalfLife = withoutRules(list.Policy), 0
		v = &copied
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	key := unusedKey(b)
	for _, before := range []string{"{", ","} { // else it is the end of a longer name
		b = bytes.ReplaceAll(b, []byte(before+mergeKey), []byte(before+`"`+key+`":`))
	}
	b, err = yaml.JSONToYAML(escapeForYAML(b))
	if err != nil {
		return nil, err
	}
	b = bytes.ReplaceAll(b, []byte(key+":"), []byte(`"<<":`))
	b = append([]byte("# Written by D-AROS; do not edit.\n"), b...)
	if len(b) > maxFile {
		return nil, fmt.Errorf("has %d bytes, at most %d are allowed", len(b), maxFile)
	}
	return b, nil
}

// standingsOfFormat1 are the standings as format 1 names them. It does not tell
// what is within the slack from what is within the fair share.
var standingsOfFormat1 = [][2]model.Standing{
	{"", ""},
	{"guaranteed", model.StandingWithinGuarantee},
	{"entitled", model.StandingWithinFairShare}, // what is read
	{"entitled", model.StandingWithinSlack},
	{"beyond", model.StandingBorrowing},
}

// The columns of the table: the names of format 1, and those of the model.
const ofFormat1, ofModel = 0, 1

// renamed returns a decision with other names for the standings that it mentions.
func renamed(d model.Decision, from, to int) (model.Decision, error) {
	d.Ahead = slices.Clone(d.Ahead)
	standings := []*model.Standing{&d.Standing}
	for i := range d.Ahead {
		standings = append(standings, &d.Ahead[i].Standing)
	}
	for _, s := range standings {
		i := slices.IndexFunc(standingsOfFormat1, func(names [2]model.Standing) bool { return names[from] == *s })
		if i < 0 {
			return d, fmt.Errorf("format 1 has no standing %q", *s)
		}
		*s = standingsOfFormat1[i][to]
	}
	return d, nil
}

// withoutAdvice returns a decision whose advice is told as older programs do: in words.
func withoutAdvice(d model.Decision) model.Decision {
	if d.Advised != nil {
		_, d.WouldAdmit = d.Advising()
	}
	d.Advice, d.Advised, d.Starts, d.Takes, d.Past = nil, nil, nil, nil, nil
	return d
}

// Reread returns a decision as it would be read back after it was saved in a format,
// for a comparison with a recorded one. Format 1 says less than a decision does.
func (f Format) Reread(d *model.Decision) *model.Decision {
	if d == nil || f.Major > 1 {
		return d
	}
	saved, err := renamed(*d, ofModel, ofFormat1)
	if err == nil {
		saved, err = renamed(saved, ofFormat1, ofModel)
	}
	if err != nil {
		return d // it cannot be saved, so it equals nothing that was
	}
	saved = withoutAdvice(saved)
	return &saved
}

// mergeKey is the name "<<" of a field, as json.Marshal writes it. The YAML library
// writes it without quotes, and reads that as a reference to another map. So the
// record is converted with another name in its place.
const mergeKey = `"\u003c\u003c":`

// unusedKey returns a name that does not occur in a record.
func unusedKey(b []byte) (key string) {
	for n := 0; ; n++ {
		if key = fmt.Sprintf("merge-key-%d-", n); !bytes.Contains(b, []byte(key)) {
			return key
		}
	}
}

// escapeForYAML escapes the characters that JSON may hold literally and YAML may not,
// or reads as the end of a line: one of them in somebody's message would otherwise
// make the record unreadable.
func escapeForYAML(b []byte) []byte {
	bad := func(r rune) bool {
		return r >= 0x7f && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff
	}
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
