// Command goroutines finds the packages that the race detector has to watch: those with a source, of the program or
// of its tests, that starts a goroutine or takes a lock. It decides from the sources alone, so a package that gets its
// first goroutine is watched from then on, and nobody keeps a list.
//
//	go run ./test/goroutines            print the packages to test with the race detector
//	go run ./test/goroutines -without   print the other packages that have tests
//
// The packages with the longest tests come first: the go command tests them in this order, and one that takes minutes
// shall not run alone at the end, on one processor.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

func main() {
	without := flag.Bool("without", false, "print the packages without goroutines and locks")
	flag.Parse()
	if err := run(os.DirFS("."), *without); err != nil {
		fmt.Fprintln(os.Stderr, "goroutines:", err)
		os.Exit(1)
	}
}

func run(module fs.FS, without bool) error {
	packages, err := find(module)
	if err != nil {
		return err
	}
	slices.SortStableFunc(packages, func(a, b folder) int { return cmp.Compare(b.tests, a.tests) })
	for _, p := range packages {
		if p.tests > 0 && (p.why == "") == without {
			fmt.Println("./" + p.dir)
		}
	}
	return nil
}
