package apply

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/d-aros/d-aros/pkg/model"
)

// web is an object as the API server shows it at a version.
func web(t *testing.T, l *Live, version string) (*Object, string) {
	t.Helper()
	text := fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web","namespace":"acme","uid":"1","resourceVersion":%q}}`, version)
	o, err := l.read(text)
	require.NoError(t, err)
	return o, text
}

// TestHeard: what the watch shows of an object with a request under way is decoded only if the answer does not tell it,
// and at once when nobody waits for the answer any more.
func TestHeard(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	for _, c := range []struct {
		name            string
		before, answers string // what the watch shows before the answer; the version in the answer, "" without one
		deleted         string
		want            string // the version that is known in the end
	}{
		{"the answer tells it", "7", "7", "", "7"},
		{"the watch is behind", "5", "7", "", "7"},
		{"somebody changed it since", "9", "7", "", "9"},
		{"the request failed", "5", "", "", "5"},
		{"it was deleted since", "7", "7", "8", ""},
		{"it was deleted before", "7", "7", "6", "7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLive(&client{manager: "d-aros"}, nil, nil, Options{})
			o, text := web(t, l, c.before)
			require.False(t, l.heard(o.Ref, c.before, text), "nothing is under way")
			l.begin(o.Ref)
			require.True(t, l.heard(o.Ref, c.before, text))
			require.Nil(t, l.objects[o.Ref])
			if c.deleted != "" {
				l.remove(o.Ref, c.deleted)
			}
			var answer *Object
			if c.answers != "" {
				answer, _ = web(t, l, c.answers)
			}
			require.NoError(t, l.show(o.Ref, c.answers))
			l.settle(o.Ref, app, answer)
			require.Empty(t, l.sending)
			now, _, _ := l.find(o.Ref)
			if c.want == "" {
				require.Nil(t, now)
				return
			}
			require.Equal(t, c.want, now.Version)
			require.True(t, l.heard(o.Ref, c.want, ""), "it is known")
			require.False(t, l.heard(o.Ref, "10", ""))
		})
	}
	t.Run("it is news", func(t *testing.T) {
		l := newLive(&client{manager: "d-aros"}, nil, nil, Options{})
		o, text := web(t, l, "5")
		l.begin(o.Ref)
		require.True(t, l.heard(o.Ref, "5", text))
		require.NoError(t, l.show(o.Ref, "5"))
		require.Empty(t, l.Changed())
		l.settle(o.Ref, app, o)
		require.NotEmpty(t, l.Changed())
	})
	t.Run("nobody waits", func(t *testing.T) {
		l := newLive(&client{manager: "d-aros"}, nil, nil, Options{})
		o, text := web(t, l, "5")
		l.begin(o.Ref)
		require.True(t, l.heard(o.Ref, "5", text))
		require.NoError(t, l.show(o.Ref, ""))
		now, _, _ := l.find(o.Ref)
		require.Equal(t, "5", now.Version)
		require.False(t, l.heard(o.Ref, "6", ""))
	})
	t.Run("two sets want it", func(t *testing.T) {
		l := newLive(&client{manager: "d-aros"}, nil, nil, Options{})
		o, _ := web(t, l, "5")
		l.begin(o.Ref)
		l.begin(o.Ref)
		l.settle(o.Ref, app, nil)
		require.NotEmpty(t, l.sending)
		l.settle(o.Ref, app, o)
		require.Empty(t, l.sending)
	})
}

// TestHeardEvents: an event that is known is passed over, but not while the watch tells all objects that there are:
// what it does not tell then counts as deleted.
func TestHeardEvents(t *testing.T) {
	const added = `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web","namespace":"acme","resourceVersion":"7"}}}` + "\n"
	const deleted = `{"type":"DELETED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web","namespace":"acme","resourceVersion":"8"}}}` + "\n"
	const end = `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"
	l := newLive(&client{manager: "d-aros"}, nil, nil, Options{})
	o, _ := web(t, l, "7")
	l.put(o)
	e := newEvents(io.NopCloser(strings.NewReader(added+end+added+deleted)), configMap, true, l)
	for _, want := range []apiwatch.EventType{apiwatch.Added, apiwatch.Bookmark, apiwatch.Deleted} {
		got, _, err := e.Decode()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// FuzzPeek: what is read of an object without decoding it is what decoding finds.
func FuzzPeek(f *testing.F) {
	f.Add(`{"data":{"resourceVersion":"1"},"metadata":{"name":"web","namespace":"a","resourceVersion":"7"}}`)
	f.Add(`{"a":"\\\"{","b":[1,-2.5e3,true,null,{}],"metadata":{"uid":"\"","name":"web","resourceVersion":"7"}}`)
	f.Add(`{"metadata":{"name":"we\u0062","resourceVersion":7}}`)
	f.Add(`{"metadata":{"name":"web","namespace":"<","resourceVersion":"7"}}`)
	f.Add(`{"metadata":{"name":"\`)
	f.Fuzz(func(t *testing.T, text string) {
		peek(text)
		var object map[string]any
		if utiljson.Unmarshal([]byte(text), &object) != nil {
			return
		}
		seen, ok := peek(string(encode(object))) // without members that are there twice
		if !ok {
			return
		}
		u := &unstructured.Unstructured{Object: object}
		require.Equal(t, glance{u.GetNamespace(), u.GetName(), u.GetResourceVersion()}, seen)
	})
}
