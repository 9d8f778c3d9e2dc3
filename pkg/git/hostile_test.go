package git_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/test/texttest"
)

// TestErrorsOfServersAreLines: whatever a server says, the error is one line that a log and a terminal can have.
func TestErrorsOfServersAreLines(t *testing.T) {
	said := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		line := "ERR " + said
		fmt.Fprintf(w, "001e# service=git-upload-pack\n0000%04x%s0000", len(line)+4, line)
	}))
	defer server.Close()
	for _, said = range texttest.Corpus() {
		_, err := remote(t, server.URL+"/repo", git.Auth{}, git.Limits{}).Refs(t.Context())
		require.Error(t, err, "%q", said)
		texttest.Line(t, err.Error(), 600)
	}
}
