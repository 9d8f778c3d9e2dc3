package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// A chart that would come out differently the next time is refused with the line that lets it, however seldom it does: a day later,
// or once in two times.
func TestIrreproducible(t *testing.T) {
	for _, made := range []string{
		`now`, `now | date "2006"`, `date "2006" "x"`, `dateInZone "2006" (now) "UTC"`, `htmlDate now`, `now | unixEpoch`, `now | date_modify "1h"`, `ago 5`, `durationRound (toDate "2006" "2000")`,
		`randAlphaNum 10`, `randAlpha 1`, `randNumeric 1`, `randAscii 1`, `randBytes 1`, `randInt 0 2`, `uuidv4`, `shuffle "ab"`,
		`bcrypt "a"`, `htpasswd "a" "b"`, `encryptAES "a" "b"`, `genPrivateKey "rsa"`, `(genCA "a" 1).Cert`, `(genSelfSignedCert "a" nil nil 1).Key`,
		`(genSignedCert "a" nil nil 1 (genCA "a" 1)).Cert`, `(genCAWithKey "a" 1 "k").Cert`, `(genSelfSignedCertWithKey "a" nil (list "b") 1 "k").Cert`,
		`(genSignedCertWithKey "a" nil nil 1 (buildCustomCert "YQ==" "YQ==") "k").Cert`,
	} {
		text := "# first\nkind: ConfigMap\nmetadata: {name: a}\ndata: {v: {{ " + made + " | toString | quote }}}\n"
		b := build.Follow(of(t, "-- templates/a.yaml --\n"+text))
		require.Equal(t, declared.CodeChance, b.Code, made+" "+b.Failed)
		require.Equal(t, "web/templates/a.yaml:4", b.Place, made)
	}
}

// A chart may ask for what is random and not use it, as charts do that take a password of others.
func TestReproducible(t *testing.T) {
	for _, made := range []string{
		`default (randAlphaNum 10) "given"`, `ternary (genCA "a" 1).Cert "none" false`, `shuffle "aaa"`, `randInt 1 2`, `(genCAWithKey "a" 1 "k").Key`, `randAlpha 5 | len`,
		`(buildCustomCert "YQ==" "Yg==").Key`, `lookup "v1" "Secret" "a" "b" | len`, `getHostByName "example.com"`,
	} {
		b := build.Follow(of(t, "-- templates/a.yaml --\n"+fmt.Sprintf(configMap, "{{ "+made+" | quote }}")))
		require.Empty(t, b.Failed, made)
	}
}

// The line is that of the call that matters, in whatever template it stands.
func TestIrreproducibleInside(t *testing.T) {
	b := build.Follow(of(t, `
-- templates/_helpers.tpl --
{{- define "unused" }}{{ randAlpha 5 }}{{ end }}
{{- define "password" -}}

{{ .Values.password | default (randAlphaNum 10) | b64enc }}
{{- end }}
-- templates/a.yaml --
{{- $unused := include "unused" . }}
{kind: ConfigMap, metadata: {name: a}, data: {v: "{{ include "password" . }}"}}
-- values.yaml --
password: ""
`))
	require.Equal(t, "web/templates/_helpers.tpl:4", b.Place)
	many := build.Follow(of(t, "-- templates/a.yaml --\n"+strings.Repeat("{{ $x := now }}\n", 2*maxLocated)+fmt.Sprintf(configMap, "{{ now | quote }}")))
	require.Equal(t, declared.CodeChance, many.Code)
	require.Empty(t, many.Place, "the search is bounded")
}
