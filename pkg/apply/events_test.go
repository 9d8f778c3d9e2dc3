package apply

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	apiwatch "k8s.io/apimachinery/pkg/watch"
)

func readEvents(stream string) *events {
	body := io.NopCloser(strings.NewReader(stream))
	return newEvents(body, kind{Version: "v1", Kind: "ConfigMap"}, true, newLive(&client{manager: "d-aros"}, nil, nil, Options{}))
}

// TestEvents: a watch shows objects, the version up to which it has told everything, and the
// reason why it ends.
func TestEvents(t *testing.T) {
	e := readEvents(`{"type":"ADDED","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","resourceVersion":"11"},"spec":{"replicas":3}}}
{"type":"BOOKMARK","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"12"}}}
{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","reason":"Expired","code":410}}
{"type":"ADDED","object":{"kind":`)
	kind, o, err := e.Decode()
	require.NoError(t, err)
	require.Equal(t, apiwatch.Added, kind)
	require.Equal(t, Ref{Group: "apps", Kind: "Deployment", Name: "web"}, o.(*kept).object.Ref)
	require.Equal(t, "11", o.(*kept).ResourceVersion)
	kind, o, err = e.Decode()
	require.NoError(t, err)
	require.Equal(t, apiwatch.Bookmark, kind)
	require.Equal(t, "12", o.(*unstructured.Unstructured).GetResourceVersion())
	kind, o, err = e.Decode()
	require.NoError(t, err)
	require.Equal(t, apiwatch.Error, kind)
	require.Equal(t, metav1.StatusReasonExpired, o.(*metav1.Status).Reason)
	_, _, err = e.Decode()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the watch was cut off")
	_, _, err = readEvents("").Decode()
	require.ErrorIs(t, err, io.EOF)
	_, _, err = readEvents(`{"type":"ADDED","object":[]}`).Decode()
	require.Error(t, err)
}

// TestEventsOfOtherServers: events need not come line by line.
func TestEventsOfOtherServers(t *testing.T) {
	const line = `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"}}}`
	for name, stream := range map[string]string{
		"lines":                line + "\n" + line + "\n" + line + "\n",
		"no line at the end":   line + "\n" + line + "\n" + line,
		"two in a line":        line + "\n" + line + line + "\n",
		"one line":             line + line + line,
		"lines between":        line + "\n\n" + line + "\n\r\n" + line + "\n\n",
		"more lines than one":  line + "\n" + strings.ReplaceAll(line, ",", ",\n\t") + "\n" + line + "\n",
		"a long one first":     strings.Replace(line, `"kind"`, `"data":{"a":"`+strings.Repeat("b", 1<<20)+`"},"kind"`, 1) + "\n" + line + "\n" + line,
		"line ends of Windows": line + "\r\n" + line + "\r\n" + line + "\r\n",
	} {
		e := readEvents(stream)
		for range 3 {
			typ, o, err := e.Decode()
			require.NoError(t, err, name)
			require.Equal(t, apiwatch.Added, typ)
			require.Equal(t, "c", o.(*kept).object.Name)
		}
		_, _, err := e.Decode()
		require.ErrorIs(t, err, io.EOF, name)
	}
}

// FuzzEvents: whatever a watch sends is an object or an error.
func FuzzEvents(f *testing.F) {
	f.Add(`{"type":"ADDED","object":{"metadata":{"name":"web"}}}`)
	f.Add(`{"type":"ERROR","object":{"code":"410"}}`)
	f.Add(`{"type":"MODIFIED","object":null}`)
	f.Add(`{"type":"MODIFIED"}`)
	f.Fuzz(func(t *testing.T, stream string) {
		e := readEvents(stream)
		for {
			kind, o, err := e.Decode()
			if err != nil {
				return
			}
			if u, ok := o.(*unstructured.Unstructured); ok {
				require.NotEqual(t, apiwatch.Error, kind)
				var again map[string]any
				body, err := json.Marshal(u.Object)
				require.NoError(t, err)
				require.NoError(t, utiljson.Unmarshal(body, &again))
				require.Equal(t, u.Object, again)
			}
		}
	})
}
