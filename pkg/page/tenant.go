package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Tenant returns the page of one tenant, or nil if the ledger does not know it.
func Tenant(l *model.Ledger, name string, u model.Usage, links model.Links) []byte {
	tenant, declared := model.Find(l.Tenants, name)
	var apps []*model.Instance
	first, _ := slices.BinarySearchFunc(l.Instances, name, func(in model.Instance, n string) int { return strings.Compare(in.App.Tenant, n) })
	for i := first; i < len(l.Instances) && l.Instances[i].App.Tenant == name; i++ {
		apps = append(apps, &l.Instances[i])
	}
	if !declared && apps == nil {
		return nil
	}
	p := &page{to: linkingTo(links, maxLinks)}
	p.line("# Tenant %s\n", name)
	p.line("[The whole fleet](../../%s)\n", File)
	if declared {
		p.line("Weight %d; priority at most %d.\n", tenant.Weight, tenant.PriorityCeiling)
		p.line("%s\n", locks(tenant))
		if past := l.PastOf(name); past != nil {
			p.line("Of all capacity it had %d.%d %% on average lately, so its weight counts %s now.\n", past.Used/10, past.Used%10, past.Counts())
		}
		for _, q := range l.OverQuotaOf(name) {
			p.line("> %s\n", escape(q.String()))
		}
		p.table("Quota", []string{"", "Guaranteed", "Granted", "Limit", "Used"}, quotaRows(tenant, u))
	}
	if len(apps) > maxRows { // those that people look for have rows
		slices.SortStableFunc(apps, func(a, b *model.Instance) int { return cmp.Compare(rank(a), rank(b)) })
	}
	p.table("Applications", []string{"Application", "Phase", "Reason", "Since", "Priority", "What is to know"}, rowsOf(apps, applicationRow))
	var others []string
	for _, in := range apps[min(len(apps), maxRows):] {
		others = append(others, in.App.Name)
	}
	p.links(others, 250<<10, func(app string) string { return app + "/" + File })
	var own []model.Problem
	for _, problem := range l.Problems {
		if problem.Tenant == name {
			own = append(own, problem)
		}
	}
	p.table("What cannot be used", []string{"Where", "Code", "What is wrong"}, p.to.problems(own, l.Commit, escape))
	return p.bytes()
}

// rank orders applications for people: what runs as declared comes last, and before it what has ended.
func rank(in *model.Instance) int {
	switch {
	case in.Phase == model.PhaseRunning && in.Refused == nil && len(in.Outcomes) == 0:
		return 2
	case in.Phase == model.PhaseTerminated:
		return 1
	}
	return 0
}

// locks says what separates the pods of a tenant from others.
func locks(t *model.Tenant) string {
	traffic, pods := "Isolation: open, so its pods and those of others may call each other.", "Pods follow the standard baseline."
	if t.Isolation == model.IsolationLocked {
		traffic = "Isolation: locked, so its pods exchange only the traffic that is declared."
	}
	if t.PodSecurity == model.PodSecurityRestricted {
		pods = "Pods follow the standard restricted."
	}
	return traffic + " " + pods
}

func quotaRows(t *model.Tenant, u model.Usage) [][]string {
	var quota model.Resources
	if t.Quota != nil {
		quota = *t.Quota
	}
	var rows [][]string
	for _, r := range u.Granted.Names(quota, t.Guarantee) {
		used, guarantee := u.Granted.Get(r), t.Guarantee.Get(r)
		amounts := model.ColumnAmounts(r, used, guarantee, quota.Get(r))
		row := []string{code(r), "–", amounts[0], "–", ""}
		if guarantee != 0 {
			row[1] = amounts[1]
		}
		if t.Quota != nil {
			row[3], row[4] = amounts[2], bar(used, quota.Get(r))
		}
		rows = append(rows, row)
	}
	count := func(what string, used, limit int) {
		row := []string{what, "", fmt.Sprint(used), "–", ""}
		if limit > 0 {
			row[3], row[4] = fmt.Sprint(limit), bar(int64(used), int64(limit))
		}
		rows = append(rows, row)
	}
	count("applications", u.Applications, t.MaxApplications)
	count("workloads", u.Workloads, t.MaxWorkloads)
	return rows
}

func applicationRow(in *model.Instance) []string {
	priority, note := "", in.Message
	if in.Spec != nil {
		priority = fmt.Sprint(in.Spec.Priority)
	}
	if in.Refused != nil {
		note = "The newer spec in Git is not accepted: " + in.Refused.Message
	}
	return []string{
		fmt.Sprintf("[%s](%s/%s)", in.App.Name, in.App.Name, File), phase(in.Phase), escape(string(in.Reason)),
		moment(in.Since), priority, escape(note),
	}
}

// moment writes a time for people.
func moment(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
