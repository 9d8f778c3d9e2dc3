package chaos

// fault is something that is done to the fleet.
type fault struct {
	name string
	// begin does it. The end that it returns is called when the changes of others that arrive in the meantime have
	// arrived; it may be nil.
	begin  func(w *world) (end func() error, err error)
	deaf   bool // no change needs to arrive while it lasts
	kills  bool
	forges bool // attacks the status branch, which holds only so many attacks in an hour
	moves  bool // takes the repo away
}

var faults = []fault{
	{name: "another manager fights over a field", begin: (*world).fight},
	{name: "a tenant brings CUE that does not end", begin: (*world).bombs},
	{name: "a tenant brings a kustomization that doubles", begin: (*world).doubles},
	{name: "a tenant takes names, hosts and rights of others", begin: (*world).steals},
	{name: "a tenant writes nonsense", begin: (*world).babbles},
	{name: "a record on the status branch is forged", begin: (*world).forge, forges: true},
	{name: "the status branch is set back", begin: (*world).setBack, forges: true},
	{name: "the status branch is deleted", begin: (*world).deleteBranch, forges: true, deaf: true},
	{name: "a second fleet comes to the same namespaces", begin: (*world).secondFleet},
	{name: "somebody takes over the name of an object that goes", begin: (*world).takeOver},
	{name: "the Git server is away", begin: (*world).gitAway, deaf: true, moves: true},
	{name: "the API server is away", begin: (*world).apiAway, deaf: true},
	{name: "the disk is full", begin: (*world).diskFull, deaf: true},
	{name: "the reconciler is killed", begin: (*world).killed, kills: true},
}
