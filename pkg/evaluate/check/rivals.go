package check

// rivals are the first claims to one host: of two tenants, and of two applications for
// each path of a tenant. They give the first rival of a claim without a search.
type rivals struct {
	tenants      firstTwo
	applications map[[2]string]*firstTwo // by tenant and path
}

// firstTwo are the first index and the first of another owner.
type firstTwo struct {
	owner         string
	first, second int // -1: none
}

func (p *firstTwo) add(i int, owner string) {
	switch {
	case p.first < 0:
		p.first, p.owner = i, owner
	case p.second < 0 && owner != p.owner:
		p.second = i
	}
}

// other returns the first index that is not of the owner.
func (p *firstTwo) other(owner string) int {
	if p.first >= 0 && owner == p.owner {
		return p.second
	}
	return p.first
}

func newRivals() *rivals {
	return &rivals{firstTwo{first: -1, second: -1}, map[[2]string]*firstTwo{}}
}

// add records claim i. Claims are added in order.
func (r *rivals) add(i int, c Claim) {
	r.tenants.add(i, c.App.Tenant)
	place := [2]string{c.App.Tenant, c.Host.Path}
	if r.applications[place] == nil {
		r.applications[place] = &firstTwo{first: -1, second: -1}
	}
	r.applications[place].add(i, c.App.Name)
}

// of returns the first claim that excludes c.
func (r *rivals) of(c Claim) (i int, ok bool) {
	i = r.tenants.other(c.App.Tenant)
	if same := r.applications[[2]string{c.App.Tenant, c.Host.Path}].other(c.App.Name); same >= 0 && (i < 0 || same < i) {
		i = same
	}
	return i, i >= 0
}
