package importing

import "strings"

// readRoles gives components the rights of the Roles that are bound to their accounts, and of ClusterRoles. A ClusterRole that a RoleBinding binds
// holds in the namespace. Others are lost.
func (o *objects) readRoles(t *translation) {
	roles, used := map[string]*node{}, map[*node]bool{}
	for _, d := range o.others {
		if kind := d.at("kind").string(); kind == "Role" || kind == "ClusterRole" {
			roles[kind+" "+d.at("metadata.name").string()] = d
		}
	}
	for _, d := range o.others {
		cluster := d.at("kind").string() == "ClusterRoleBinding"
		if !cluster && d.at("kind").string() != "RoleBinding" {
			continue
		}
		role, subjects := roles[d.at("roleRef.kind").string()+" "+d.at("roleRef.name").string()], d.at("subjects").items()
		if role == nil || len(subjects) != 1 || subjects[0].at("kind").string() != "ServiceAccount" {
			t.lose(d, because("binds something else than a role of the file to one account", "traits: rights"))
			continue
		}
		for _, w := range o.workloads {
			spec, _ := podOf(w)
			if c := o.made[w]; t.there(c) && spec.at("serviceAccountName").string() == subjects[0].at("name").string() {
				if all := rbac.rules(t.scope(c), role.at("rules"), cluster); all != nil {
					c.doc.add("traits.rights", all...)
					used[d], used[role] = true, true
					identity(d)
					identity(role)
					mark(kept, spec.at("serviceAccountName"), spec.at("automountServiceAccountToken"), d.at("roleRef"), subjects[0].at("kind"), subjects[0].at("name"), subjects[0].at("apiGroup"))
				}
			}
		}
	}
	for _, d := range o.others {
		if kind := strings.TrimPrefix(d.at("kind").string(), "Cluster"); (kind == "Role" || kind == "RoleBinding") && !used[d] {
			t.lose(d, because("gives rights to nobody that was kept", "traits: rights"))
		}
	}
}
