package main

import "os"

// The test program is the child of the pool that it opens, of a run with modules and of a dashboard.
func init() {
	if len(os.Args) > 1 && (os.Args[1] == evaluateCommand || os.Args[1] == moduleCommand || os.Args[1] == workCommand) {
		main()
		os.Exit(0)
	}
}
