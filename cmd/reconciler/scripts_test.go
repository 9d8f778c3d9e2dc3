package main

import "github.com/rogpeppe/go-internal/testscript"

// isolate keeps the settings of this machine out of a script, in which Ann commits.
func isolate(env *testscript.Env) error {
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env.Setenv("GIT_"+who+"_NAME", "Ann")
		env.Setenv("GIT_"+who+"_EMAIL", "ann@example.com")
	}
	return nil
}
