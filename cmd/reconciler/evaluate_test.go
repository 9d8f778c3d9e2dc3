package main

import "os"

// The test program is the child of the pool that it opens.
func init() {
	if len(os.Args) == 2 && os.Args[1] == evaluateCommand {
		main()
		os.Exit(0)
	}
}
