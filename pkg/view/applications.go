package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Limits of a page of a list.
const (
	DefaultRows = 50
	MaxRows     = 200
)

// Unwell stands among the phases of a query for all applications that people may want to look at: those that do not run
// although they are to, whose newer spec is refused, and with a component or an object that is not as it is to be.
const Unwell = "unwell"

// ApplicationsQuery selects a page of the applications.
type ApplicationsQuery struct {
	Tenant string   // "": of all tenants
	Phases []string // phases, or Unwell; none: all
	Text   string   // that the name, the message or an image contains, in any case
	Sort   string   // unwell, name or since; "": unwell
	After  string   // cursor of the row before the page, "" for the first page
	Limit  int      // rows
}

// ApplicationsPage is a page of the applications that a query selects.
type ApplicationsPage struct {
	Applications []Application `json:"applications"`
	Total        int           `json:"total"` // applications that match, on all pages
	Next         string        `json:"next"`  // the cursor of the next page, "" if this is the last one
}

// ApplicationsPageOf returns a page of the applications. It makes the views of those on the page only.
func ApplicationsPageOf(l *model.Ledger, q ApplicationsQuery) (ApplicationsPage, error) {
	key, err := sortKey(l, q.Sort)
	if err != nil {
		return ApplicationsPage{}, err
	}
	after, err := parseCursor(q.After)
	if err != nil {
		return ApplicationsPage{}, err
	}
	if err := checkPhases(q.Phases); err != nil {
		return ApplicationsPage{}, err
	}
	var rows []cursor
	q.Text = strings.ToLower(q.Text)
	for i := range l.Instances {
		if in := &l.Instances[i]; q.selects(l, in) {
			rows = append(rows, cursor{key(in), in.App})
		}
	}
	slices.SortFunc(rows, cursor.compare)
	page := ApplicationsPage{Applications: []Application{}, Total: len(rows)}
	if q.After != "" {
		first, found := slices.BinarySearchFunc(rows, after, cursor.compare)
		if found {
			first++
		}
		rows = rows[first:]
	}
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		page.Next = rows[len(rows)-1].String()
	}
	for _, r := range rows {
		in, _ := l.Find(r.app)
		page.Applications = append(page.Applications, applicationOf(l, in))
	}
	return page, nil
}

// selects reports whether an application matches the query.
func (q *ApplicationsQuery) selects(l *model.Ledger, in *model.Instance) bool {
	if q.Tenant != "" && q.Tenant != in.App.Tenant {
		return false
	}
	if len(q.Phases) > 0 && !slices.Contains(q.Phases, string(in.Phase)) && !(slices.Contains(q.Phases, Unwell) && severityOf(l, in).unwell()) {
		return false
	}
	return q.Text == "" || mentions(in, q.Text)
}

// mentions reports whether the name, the message or an image of an application contains a text in lower case.
func mentions(in *model.Instance, text string) bool {
	contains := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return contains(in.App.String()) || contains(in.Message) || in.Shown != nil &&
		slices.ContainsFunc(in.Shown.Components, func(c model.ShownComponent) bool { return slices.ContainsFunc(c.Images, contains) })
}

func checkPhases(asked []string) error {
	for _, phase := range asked {
		if phase != Unwell && !slices.Contains(model.Phases, model.Phase(phase)) {
			return fmt.Errorf("there is no phase %q; write one of %v, or %s", phase, model.Phases, Unwell)
		}
	}
	return nil
}

// sortKey returns the number by which rows are in order; rows with the same one are in the order of their names.
func sortKey(l *model.Ledger, order string) (func(*model.Instance) int64, error) {
	switch order {
	case "", Unwell:
		return func(in *model.Instance) int64 { return int64(severityOf(l, in)) }, nil
	case "name":
		return func(*model.Instance) int64 { return 0 }, nil
	case "since":
		return func(in *model.Instance) int64 { return -in.Since.UnixNano() }, nil
	}
	return nil, fmt.Errorf("there is no order %q; write %s, name or since", order, Unwell)
}

// cursor is the place of a row in a list. It keeps its place when rows come and go.
type cursor struct {
	key int64
	app model.AppID
}

func (c cursor) compare(o cursor) int { return cmp.Or(cmp.Compare(c.key, o.key), c.app.Compare(o.app)) }

func (c cursor) String() string { return strconv.FormatInt(c.key, 10) + "/" + c.app.String() }

func parseCursor(s string) (c cursor, err error) {
	if s == "" {
		return c, nil
	}
	key, app, _ := strings.Cut(s, "/")
	if c.key, err = strconv.ParseInt(key, 10, 64); err == nil {
		c.app, err = model.ParseAppID(app)
	}
	if err != nil {
		return c, fmt.Errorf("%q is no cursor; take that of the page before", s)
	}
	return c, nil
}
