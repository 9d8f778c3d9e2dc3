package main

import "os"

// The test program is the child of the pool that it opens, and of a run with modules.
func init() {
	if len(os.Args) == 2 && (os.Args[1] == evaluateCommand || os.Args[1] == moduleCommand) {
		main()
		os.Exit(0)
	}
}
