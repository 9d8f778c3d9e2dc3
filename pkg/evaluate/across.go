package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// A claim is a host that an application wants.
type claim struct {
	app  model.AppID
	host host
}

// An objectName is the name that the objects of a component have in the namespace
// that the applications of a tenant share.
type objectName struct {
	app  model.AppID
	name string
	at   string
}

func objectNames(a *model.Application, own *layer) (names []objectName) {
	if a.Policy.Namespace != "tenant" {
		return nil
	}
	for _, c := range a.Components {
		place, _ := own.where.find([]string{"application", "components", c.Name})
		names = append(names, objectName{a.ID, a.ID.Name + "-" + c.Name, place.label})
	}
	return names
}

// offered checks what an application asks of the platform.
func (p *pass) offered(a *declared) (problems []model.Problem) {
	platform, own := p.platform.platform, &a.result.layer
	pool := func(name string) bool {
		return slices.ContainsFunc(platform.Pools, func(p model.PoolSpec) bool { return p.Name == name })
	}
	profile := func(name string) bool {
		return slices.ContainsFunc(platform.Profiles, func(p model.QoSProfile) bool { return p.Name == name })
	}
	for _, c := range a.result.application.Components {
		path := "application.components." + c.Name
		if c.Placement.Pool != "" && !pool(c.Placement.Pool) {
			var names []string
			for _, p := range platform.Pools {
				names = append(names, p.Name)
			}
			problems = append(problems, own.blame(codePool, path+".placement.pool",
				fmt.Sprintf("asks for pool %s; the platform has %s", c.Placement.Pool, strings.Join(names, ", "))))
		}
		names := []string{c.QoS}
		if c.Degrade != nil {
			names = append(names, c.Degrade.QoS)
		}
		for i, name := range names {
			if name != "" && !profile(name) {
				problems = append(problems, own.blame(codeProfile, path+[]string{".qos", ".degrade.qos"}[i],
					fmt.Sprintf("asks for QoS profile %s, which the platform does not have", name)))
			}
		}
	}
	return problems
}

// across checks what no directory sees alone.
func (p *pass) across() {
	p.sharedHosts()
	p.sharedObjects()
	p.promises()
}

// sharedHosts refuses applications that want the same place on the network. All
// of them are refused: which one was first is not in the files, and those that
// run keep what they have.
func (p *pass) sharedHosts() {
	byName := map[string][]claim{}
	for _, c := range p.hosts {
		byName[c.host.name] = append(byName[c.host.name], c)
	}
	refused := map[model.AppID]model.Problem{}
	for _, c := range p.hosts {
		for _, other := range byName[c.host.name] {
			if other.app == c.app || other.app.Tenant == c.app.Tenant && other.host.path != c.host.path {
				continue
			}
			if _, ok := refused[c.app]; ok {
				continue
			}
			message := fmt.Sprintf("host %s is wanted by %s as well", c.host.name+c.host.path, other.app)
			places := []model.Place{{At: c.host.at, Note: c.app.String()}, {At: other.host.at, Note: other.app.String()}}
			if other.app.Tenant != c.app.Tenant { // who and where is the other tenant's affair
				message = fmt.Sprintf("host %s is wanted by another tenant as well", c.host.name)
				places = places[:1]
			}
			refused[c.app] = model.Problem{Code: codeHost, Path: "application", Message: message, Places: places}
		}
	}
	p.refuse(refused)
}

// sharedObjects refuses applications of a tenant whose objects would have the same
// names: component c of application a-b, and component b-c of application a.
func (p *pass) sharedObjects() {
	byName := map[string][]objectName{}
	for _, o := range p.objects {
		name := o.app.Tenant + "/" + o.name
		byName[name] = append(byName[name], o)
	}
	refused := map[model.AppID]model.Problem{}
	for _, o := range p.objects {
		for _, other := range byName[o.app.Tenant+"/"+o.name] {
			if _, known := refused[o.app]; known || other.app == o.app {
				continue
			}
			refused[o.app] = model.Problem{
				Code: codeSameObjects, Path: "application",
				Message: fmt.Sprintf("its objects would be named %s, like those of %s", o.name, other.app),
				Places:  []model.Place{{At: o.at, Note: o.app.String()}, {At: other.at, Note: other.app.String()}},
			}
		}
	}
	p.refuse(refused)
}

// refuse takes applications out of the fleet.
func (p *pass) refuse(refused map[model.AppID]model.Problem) {
	p.fleet.Applications = slices.DeleteFunc(p.fleet.Applications, func(a model.Application) bool {
		problem, bad := refused[a.ID]
		if bad {
			p.report(a.ID.Tenant, a.ID.Name, problem)
			p.unusable(a.ID, problem)
		}
		return bad
	})
	slices.SortFunc(p.fleet.Unusable, func(a, b model.Unusable) int { return a.App.Compare(b.App) })
}
