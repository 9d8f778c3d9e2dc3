package model

// Access is what one layer declares about who may change what. It holds public keys
// only.
type Access struct {
	// Enforce is "signed" if every commit needs the signature of a principal who
	// may make it, "off" if not. Only the platform sets it.
	Enforce string `json:"enforce,omitempty"`

	// Mergers are principals of the platform, sorted: Git hosts whose clean merges
	// count, because of the signatures of what they merge. They have no rights.
	Mergers []string `json:"mergers,omitempty"`

	// Audience names the fleet in statements: a signature counts only with a line that
	// names it and the branch. "": no statement is needed.
	Audience string  `json:"audience,omitempty"`
	Require  *People `json:"require,omitempty"` // nil: one person for each change

	// Ledger has the public SSH keys that sign the status branch, for people who read it.
	Ledger []string `json:"ledger,omitempty"`

	Principals []Principal `json:"principals,omitempty"` // by name
	Admins     []string    `json:"admins,omitempty"`     // of the layer, sorted: names of principals
	Owners     []Owners    `json:"owners,omitempty"`     // of a tenant's applications, by application

	// Viewers may read the layer on a shared dashboard, sorted: "user:NAME", "group:NAME", or Everybody.
	Viewers []string `json:"viewers,omitempty"`
}

// People says how many different people a change needs, by what it changes. 0 stands
// for 1.
type People struct {
	Platform    int `json:"platform,omitempty"`
	Tenant      int `json:"tenant,omitempty"`
	Application int `json:"application,omitempty"`
}

// Values of Access.Enforce.
const (
	EnforceOff    = "off"
	EnforceSigned = "signed"
)

// Everybody stands among viewers for all who can sign in.
const Everybody = "*"

// Principal is a person or program that signs commits. Names mean something within the layer
// that declares them and, for those of the platform, within the tenants.
type Principal struct {
	Name        string   `json:"name"`
	SSH         []string `json:"ssh,omitempty"`         // lines as in authorized_keys
	OpenPGP     []string `json:"openpgp,omitempty"`     // armored public keys
	Handle      string   `json:"handle,omitempty"`      // on the Git host, for CODEOWNERS
	Login       string   `json:"login,omitempty"`       // on a shared dashboard
	ValidAfter  string   `json:"validAfter,omitempty"`  // RFC 3339; "": always
	ValidBefore string   `json:"validBefore,omitempty"` // RFC 3339; "": always
	Revoked     bool     `json:"revoked,omitempty"`
}

// Owners are the principals who own an application.
type Owners struct {
	App        string   `json:"application"`
	Principals []string `json:"principals"`
}

// Find returns the principal of that name.
func (a *Access) Find(name string) (*Principal, bool) {
	if a == nil {
		return nil, false
	}
	return Find(a.Principals, name)
}
