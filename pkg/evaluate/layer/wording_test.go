package layer

import (
	"strings"
	"testing"

	"cuelang.org/go/cue/errors"
	"github.com/stretchr/testify/require"
)

// The CUE that is linked words its errors as the table has them: each row is produced
// by a file, and becomes the problem that hangs on it.
func TestWordingsAreThoseOfCUE(t *testing.T) {
	produced := []struct {
		text    string // of the table
		file    string // beside those of the base fleet, which is valid
		problem string
	}{
		{"field not allowed", `application: budgte: costPerHour: 1`, "DA1101 application.budgte: no such field; did you mean budget?"},
		{"field is required but not present", `application: components: db: type: "store"`, "DA1103 application.components.db.properties.image: must be written"},
		{"incomplete value", `application: labels: owner: string`, "DA1105 application.labels.owner: has no value; a type is not enough"},
		{"non-concrete value", "let N = int\napplication: priority: <N", "DA1105 application.priority: has no value; a type is not enough"},
		{"empty disjunction", `platform: pools: general: os: ["plan9"]`, "DA1104 platform.pools.general.os.0: is none of what may be written here"},
		{"{", `application: components: web: properties: image: {a: 1}`, "DA1104 application.components.web.properties.image: does not fit, or is written twice"},
	}
	require.Len(t, produced, len(wordings), "one for each row")
	policy := policyOf(t)
	for i, p := range produced {
		t.Run(p.text, func(t *testing.T) {
			require.Equal(t, wordings[i].text, p.text)
			file := Source{"more.cue", []byte("package fleet\n\n" + p.file + "\n")}
			field, files, with := "application", append(sources(t, "tenants/acme/apps/shop"), file), schemaUnder(policy)
			build := append([]Source{bindUnder}, files...)
			evaluate := func() Document { return Application(inShop, files, nil, policy, Form{}) }
			if strings.HasPrefix(p.file, "platform") {
				field, files, with = "platform", append(sources(t, "."), file), schemaFiles()
				build = files
				evaluate = func() Document { return Platform(files) }
			}
			v, err := buildValue("x", build, with)
			if err == nil {
				_, _, err = export(v, field, "")
			}
			require.Error(t, err)
			said := false
			for _, e := range errors.Errors(err) {
				said = said || wordings[i].matches(message(e), p.text) && meaningOf(message(e)) == wordings[i].means
			}
			require.True(t, said, "CUE says: %v", errors.Errors(err))

			var problems []string
			for _, problem := range evaluate().Problems {
				problems = append(problems, problem.Code+" "+problem.Path+": "+problem.Message)
			}
			require.Contains(t, problems, p.problem)
		})
	}
}
