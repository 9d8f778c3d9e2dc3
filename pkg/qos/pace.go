package qos

// pace makes of the classes of an uplink some for an interface on which packets have a time to leave, and no common queue: a
// class can then be kept from sending more, and cannot be given what others leave. Each has its part of the whole, in
// proportion to what it is guaranteed, which is never less than that.
func (r *decision) pace(u *Uplink) {
	var sum int64
	for i := range u.Classes {
		sum += u.Classes[i].Rate
	}
	u.Paces = true
	for i := range u.Classes {
		c := &u.Classes[i]
		c.Ceil = max(c.Rate, min(c.Ceil, Part(u.Rate, c.Rate, sum)))
	}
	r.degrade("", "network.share", "edt", "packets have a time to leave (edt), and no class has what others do not send: each has its part of the whole at most")
}
