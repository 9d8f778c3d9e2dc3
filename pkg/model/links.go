package model

import (
	"cmp"
	"strings"
)

// Links are templates of the URLs that pages and comments lead to, "" for none. Placeholders stand in braces: {commit}, {path}
// and {line} in File, {commit} in Commit, {tenant} and {application} in Application.
type Links struct {
	File        string `json:"file,omitempty"`
	Commit      string `json:"commit,omitempty"`
	Application string `json:"application,omitempty"`
}

// Or returns the links with those of others where there are none.
func (l Links) Or(others Links) Links {
	return Links{cmp.Or(l.File, others.File), cmp.Or(l.Commit, others.Commit), cmp.Or(l.Application, others.Application)}
}

// LinksOr returns the links that the platform declares, with those of others where there are none.
func (l *Ledger) LinksOr(others Links) Links {
	if l.Platform == nil {
		return others
	}
	return l.Platform.Links.Or(others)
}

// FileURL returns the URL of a place, "path:line:column", in the files of a commit, "" if there is none.
func (l Links) FileURL(commit, at string) string {
	path, rest, _ := strings.Cut(at, ":")
	line, _, _ := strings.Cut(rest, ":")
	line = cmp.Or(line, "1")
	if !isHash(commit) || path == "" || strings.Trim(line, "0123456789") != "" {
		return ""
	}
	return fill(l.File, "commit", commit, "path", path, "line", line)
}

// CommitURL returns the URL of a commit of the fleet repo, "" if there is none.
func (l Links) CommitURL(commit string) string {
	if !isHash(commit) {
		return ""
	}
	return fill(l.Commit, "commit", commit)
}

// ApplicationURL returns the URL of an application, "" if there is none.
func (l Links) ApplicationURL(app AppID) string {
	if !ValidName(app.Tenant) || !ValidName(app.Name) {
		return ""
	}
	return fill(l.Application, "tenant", app.Tenant, "application", app.Name)
}

func isHash(commit string) bool {
	return len(commit) == 40 && strings.Trim(commit, "0123456789abcdef") == ""
}

// fill puts values in the places of a template. Only what has no meaning in a path, a query or Markdown stays as it is.
func fill(template string, pairs ...string) string {
	if template == "" {
		return ""
	}
	for i := range pairs {
		if i%2 == 0 {
			pairs[i] = "{" + pairs[i] + "}"
		} else {
			pairs[i] = escapeURL(pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

func escapeURL(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._/", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + string(digits[c>>4]) + string(digits[c&15]))
		}
	}
	return b.String()
}

// hosts are the links of Git hosts that everybody can use. {branch} is the one with the pages of applications.
var hosts = map[string]Links{
	"github.com":    {"{repo}/blob/{commit}/{path}#L{line}", "{repo}/commit/{commit}", "{repo}/blob/{branch}/tenants/{tenant}/{application}/README.md"},
	"gitlab.com":    {"{repo}/-/blob/{commit}/{path}#L{line}", "{repo}/-/commit/{commit}", "{repo}/-/blob/{branch}/tenants/{tenant}/{application}/README.md"},
	"codeberg.org":  {"{repo}/src/commit/{commit}/{path}#L{line}", "{repo}/commit/{commit}", "{repo}/src/branch/{branch}/tenants/{tenant}/{application}/README.md"},
	"bitbucket.org": {"{repo}/src/{commit}/{path}#lines-{line}", "{repo}/commits/{commit}", "{repo}/src/{branch}/tenants/{tenant}/{application}/README.md"},
}

// LinksOf returns the links of a repo on a well-known Git host, by the address that it is cloned from and the name of its
// status branch. Other addresses have none.
func LinksOf(address, status string) Links {
	host, repo := hostOf(address)
	l := hosts[host]
	write := strings.NewReplacer("{repo}", repo, "{branch}", escapeURL(status))
	return Links{write.Replace(l.File), write.Replace(l.Commit), write.Replace(l.Application)}
}

// hostOf returns the well-known Git host of the address that a repo is cloned from, and the URL of its pages; "" for other
// addresses.
func hostOf(address string) (host, repo string) {
	rest, found := strings.CutPrefix(address, "https://")
	if !found {
		rest, found = strings.CutPrefix(address, "ssh://")
	}
	if !found {
		rest = strings.Replace(address, ":", "/", 1) // git@github.com:acme/fleet.git
		if strings.Contains(address, "://") {
			return "", ""
		}
	}
	host, path, _ := strings.Cut(rest, "/")
	host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
	host, _, _ = strings.Cut(host, ":")
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if _, known := hosts[host]; !known || strings.Count(path, "/") < 1 || strings.Contains("/"+path+"/", "/../") {
		return "", ""
	}
	return host, "https://" + host + "/" + escapeURL(path)
}

// proposals are where well-known Git hosts propose to merge a branch.
var proposals = map[string]string{
	"github.com":    "{repo}/compare/{base}...{branch}?expand=1",
	"gitlab.com":    "{repo}/-/merge_requests/new?merge_request%5Bsource_branch%5D={branch}&merge_request%5Btarget_branch%5D={base}",
	"codeberg.org":  "{repo}/compare/{base}...{branch}",
	"bitbucket.org": "{repo}/pull-requests/new?source={branch}&dest={base}",
}

// ProposalURL returns where people propose to merge a branch of a repo, by the address that it is cloned from, "" where that is
// not known.
func ProposalURL(address, base, branch string) string {
	host, repo := hostOf(address)
	return fill(strings.Replace(proposals[host], "{repo}", repo, 1), "base", base, "branch", branch)
}
