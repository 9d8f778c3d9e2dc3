package qos

// uplink says that nobody shapes traffic yet: shares are declared and counted only.
type uplink struct{}

func (uplink) Name() string { return "network" }

func (uplink) Knobs() map[string]Knob { return nil }

func (uplink) Decide(s State) Enforcement {
	r := decision{State: s}
	if len(r.Plan.Workloads) > 0 {
		r.degrade("", "network.share", "none", "the agent does not shape network traffic")
	}
	return r.out
}
