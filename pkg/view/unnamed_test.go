package view_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/view"
)

// unnamed is for somebody who may read acme. The fleet has the tenants acme, globex and data, and had others.
var unnamed = view.Unnamed{
	Reading: access.Reading{Tenants: []string{"acme"}},
	Known:   func(tenant string) bool { return tenant == "acme" || tenant == "globex" || tenant == "data" },
	Own:     func(application, component string) bool { return application == "shop" && component == "web" },
}

func TestSentencesLoseForeignNames(t *testing.T) {
	for said, want := range map[string]string{
		"globex/shop holds 8 cpu":                                       "an application of another tenant holds 8 cpu",
		"waits behind globex/shop, acme/web and globex/db.":             "waits behind an application of another tenant, acme/web and an application of another tenant.",
		"tenant globex's fair share (12%)":                              "another tenant's fair share (12%)",
		"of tenants acme, globex and data: 3 of them":                   "of tenants acme, another tenant and another tenant: 3 of them",
		"the limit of tenant globex is at tenants/globex/x.cue:3:4":     "the limit of another tenant is at a file of another tenant",
		"tenants/globex/apps/shop/app.cue:3:4":                          "a file of another tenant",
		"approvals/gone/shop/a.cue":                                     "a file of another tenant",
		"tenants/acme/apps/shop/app.cue:3:4":                            "tenants/acme/apps/shop/app.cue:3:4",
		"https://git.example.com/b/main/tenants/globex/tenant.cue":      "a file of another tenant",
		"in favour of gone/shop":                                        "in favour of an application of another tenant",
		"globex/shop/web gives way (globex/shop).":                      "an application of another tenant gives way (an application of another tenant).",
		"its data stays, and 2/3 are ready; tenant acme has data of it": "its data stays, and 2/3 are ready; tenant acme has data of it",
		"Deployment acme-shop/web of apps/v1 cannot be applied":         "Deployment acme-shop/web of apps/v1 cannot be applied",
		`pulling image "library/nginx" of docker.io/library/nginx:1.27`: `pulling image "library/nginx" of docker.io/library/nginx:1.27`,
		"connects to shop/web, shop/db and acme/shop/web":               "connects to shop/web, an application of another tenant and acme/shop/web",
		"shop/web/x and globex/shop/web wait":                           "an application of another tenant and an application of another tenant wait",
		"library/nginx":                                                 "library/nginx",
		"nvidia.com/gpu":                                                "nvidia.com/gpu",
		"globex/shop":                                                   "an application of another tenant",
		"…globex/shop…":                                                 "…an application of another tenant…",
		"// ... -- .":                                                   "// ... -- .",
		"":                                                              "",
		"tenant":                                                        "tenant",
		"tenant globex":                                                 "another tenant",
	} {
		require.Equal(t, want, unnamed.Line(said), said)
	}
}

func TestAnswersLoseForeignNames(t *testing.T) {
	body, err := view.JSON(map[string]any{
		"application": "gone/shop", "blockedBy": []string{"acme/web", "unseen/web"}, "of": "globex", "name": "data", "image": "gone/shop",
		"message": `"globex/shop" <&> \ é`, "n": 12.50, "tenants": []string{"acme", "data"}, "files": map[string]int{"tenants/globex/x.cue": 1},
	})
	require.NoError(t, err)
	require.Equal(t, `{
  "application": "an application of another tenant",
  "blockedBy": [
    "acme/web",
    "an application of another tenant"
  ],
  "files": {
    "a file of another tenant": 1
  },
  "image": "gone/shop",
  "message": "\"an application of another tenant\" <&> \\ é",
  "n": 12.5,
  "name": "data",
  "of": "another tenant",
  "tenants": [
    "acme",
    "another tenant"
  ]
}
`, string(unnamed.JSON(body)))
	for _, odd := range []string{"", "{", `"`, `"\`, `{"a":"b\"`, "null\n"} {
		require.Equal(t, odd, string(unnamed.JSON([]byte(odd))))
	}
}
