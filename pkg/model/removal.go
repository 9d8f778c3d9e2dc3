package model

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// RemovalsDir is the directory of approvals/<tenant> with the files that confirm
// removals. An application of that name gets no approvals.
const RemovalsDir = "removals"

// InstanceID names one instance of an application. It is written as tenant/name#number.
type InstanceID struct {
	App    AppID
	Number int
}

// ID names the instance.
func (i *Instance) ID() InstanceID { return InstanceID{i.App, i.Number} }

// String returns tenant/name#number.
func (id InstanceID) String() string { return fmt.Sprintf("%s#%d", id.App, id.Number) }

// Compare orders instances by application, then number.
func (id InstanceID) Compare(other InstanceID) int {
	return cmp.Or(id.App.Compare(other.App), cmp.Compare(id.Number, other.Number))
}

// ParseInstanceID reads tenant/name#number.
func ParseInstanceID(s string) (id InstanceID, err error) {
	app, number, _ := strings.Cut(s, "#")
	if id.App, err = ParseAppID(app); err == nil {
		id.Number, err = strconv.Atoi(number)
	}
	if err != nil || id.Number < 1 || !ValidName(id.App.Tenant) || !ValidName(id.App.Name) {
		return InstanceID{}, fmt.Errorf("%q does not name an instance; write tenant/application#number, for example acme/shop#3", s)
	}
	return id, nil
}

// MarshalText writes tenant/name#number.
func (id InstanceID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads tenant/name#number.
func (id *InstanceID) UnmarshalText(b []byte) (err error) {
	*id, err = ParseInstanceID(string(b))
	return err
}
