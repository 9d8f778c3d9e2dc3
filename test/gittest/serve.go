package gittest

import (
	"net/http"
	"net/http/cgi"
	"path/filepath"

	"github.com/d-aros/d-aros/test/tool"
)

// Handler serves the repository over HTTP at /repo, with git's own server
// program, to whoever gives the token.
func (r *Repo) Handler(token string) http.Handler {
	r.t.Helper()
	backend := filepath.Join(r.Git("--exec-path"), "git-http-backend")
	tool.Need(r.t, backend)
	r.Git("config", "http.receivepack", "true")
	git := &cgi.Handler{Path: backend, Root: "/repo", Env: []string{
		"GIT_PROJECT_ROOT=" + r.gitDir(), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + r.Dir,
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, password, _ := req.BasicAuth(); token != "" && password != token {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		git.ServeHTTP(w, req)
	})
}

func (r *Repo) gitDir() string { return r.Git("rev-parse", "--absolute-git-dir") }
