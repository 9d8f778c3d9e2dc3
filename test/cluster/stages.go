package main

import (
	"bufio"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	nodeheartbeat "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	"sigs.k8s.io/yaml"
)

// A stage is a kwok Stage document: which objects it matches, and what becomes of them.
// When several match one object kwok picks one at random, so the stages of a kind must exclude each other.
type stage map[string]any

func (s stage) name() string {
	metadata, _ := s["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

//go:embed stages/*.yaml
var ownStages embed.FS

// kwokStages returns the stages in force, in a fixed order: kwok's own, ours, and those of the user's file, each
// replacing an earlier one of the same name.
func (c *cluster) kwokStages() ([]any, error) {
	stages, err := builtinStages()
	if err != nil {
		return nil, err
	}
	if c.stages != "" {
		content, err := os.ReadFile(c.stages)
		if err != nil {
			return nil, fmt.Errorf("read stages: %w", err)
		}
		if stages, err = addStages(stages, content); err != nil {
			return nil, fmt.Errorf("read stages %s: %w", c.stages, err)
		}
	}
	documents := make([]any, len(stages))
	for i, s := range stages {
		documents[i] = s
	}
	return documents, nil
}

func builtinStages() ([]stage, error) {
	var stages []stage
	var err error
	for _, text := range []string{nodefast.DefaultNodeInit, nodeheartbeat.DefaultNodeHeartbeatWithLease, podfast.DefaultPodDelete} {
		if stages, err = addStages(stages, []byte(text)); err != nil {
			return nil, fmt.Errorf("read stages of kwok: %w", err)
		}
	}
	for _, s := range stages {
		if s.name() != "pod-delete" {
			if err := spareFailing(s); err != nil {
				return nil, err
			}
		}
	}
	files, err := fs.Glob(ownStages, "stages/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		content, err := ownStages.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if stages, err = addStages(stages, content); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	return stages, nil
}

// spareFailing lets a stage match only objects that are not marked to fail.
func spareFailing(s stage) error {
	spec, _ := s["spec"].(map[string]any)
	selector, _ := spec["selector"].(map[string]any)
	expressions, ok := selector["matchExpressions"].([]any)
	if !ok {
		return fmt.Errorf("stage %s of kwok has no match expressions", s.name())
	}
	selector["matchExpressions"] = append(expressions, map[string]any{
		"key":      `.metadata.labels["kwok.d-aros.dev/fail"] // .metadata.annotations["kwok.d-aros.dev/fail"]`,
		"operator": "DoesNotExist",
	})
	return nil
}

// addStages adds the Stage documents of a YAML text, replacing those of the same name.
func addStages(stages []stage, text []byte) ([]stage, error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return stages, nil
		}
		if err != nil {
			return nil, err
		}
		var s stage
		if err := yaml.Unmarshal(document, &s); err != nil {
			return nil, err
		}
		if len(s) == 0 {
			continue // nothing but comments
		}
		if s["kind"] != "Stage" || s.name() == "" {
			return nil, fmt.Errorf("document of kind %v: only named Stage documents may stand here", s["kind"])
		}
		stages = put(stages, s)
	}
}

func put(stages []stage, s stage) []stage {
	for i := range stages {
		if stages[i].name() == s.name() {
			stages[i] = s
			return stages
		}
	}
	return append(stages, s)
}
