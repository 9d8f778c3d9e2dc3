package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/schema"
)

// fleetTemplate is an archive of the files of a new fleet.
//
//go:embed init_fleet.txtar
var fleetTemplate string

// fleetFiles returns the files of a new fleet by name.
func fleetFiles(names fleetNames) ([]schema.File, error) {
	t, err := template.New("fleet").Parse(fleetTemplate)
	if err != nil {
		return nil, fmt.Errorf("make a fleet: %w", err)
	}
	var b strings.Builder
	if err := t.Execute(&b, names); err != nil {
		return nil, fmt.Errorf("make a fleet: %w", err)
	}
	var files []schema.File
	for _, f := range txtar.Parse([]byte(b.String())).Files {
		files = append(files, schema.File{Name: f.Name, Data: f.Data})
	}
	for _, f := range schema.Files() {
		files = append(files, schema.File{Name: vendoredSchema + "/" + f.Name, Data: f.Data})
	}
	slices.SortFunc(files, func(a, b schema.File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}
