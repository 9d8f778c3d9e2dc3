package model

// Group gathers tenants and other groups, so that the rules of sharing hold at
// every level of a tree: capacity is shared between the groups and tenants at
// the top, and each group's part inside it in the same way.
type Group struct {
	Name    string   `json:"name"`
	Parent  string   `json:"parent,omitempty"` // "": at the top
	Tenants []string `json:"tenants,omitempty"`

	Weight     int         `json:"weight"`
	Guarantee  Resources   `json:"guarantee"`            // floor of the whole group; what its members are guaranteed counts towards it
	Quota      *Resources  `json:"quota,omitempty"`      // ceiling of what its applications declare together, nil: none
	PoolQuotas []PoolQuota `json:"poolQuotas,omitempty"` // by pool

	Borrow *Resources `json:"borrow,omitempty"`
	Lend   *Resources `json:"lend,omitempty"`
}

// Reservation promises a minimum that holds even under overload: to a tenant, to
// one application, or to the system outside D-AROS. Exactly one of the three is
// named. Reserved capacity is granted to no other application, used or not.
type Reservation struct {
	Name   string    `json:"name"`
	Tenant string    `json:"tenant,omitempty"`
	App    AppID     `json:"application,omitzero"`
	System string    `json:"system,omitempty"` // a unit of the nodes' system, such as sshd.service
	Pool   string    `json:"pool"`             // where it is held
	Amount Resources `json:"amount"`           // in all of the pool; of each node for the system

	Network Bitrate `json:"network,omitempty"` // that each of its pods can send, or the system on each node
	Disk    Bytes   `json:"disk,omitempty"`    // that each of these can read and write in a second, on each disk
}
