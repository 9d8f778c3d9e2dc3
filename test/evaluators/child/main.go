// Command child evaluates for the tests of other packages, without the race detector.
package main

import (
	"fmt"
	"os"

	"github.com/d-aros/d-aros/pkg/evaluate/pool"
)

func main() {
	if err := pool.Child(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
