package wasm

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Bounds of modules.
const (
	maxModule     = 8 << 20  // bytes of one
	defaultMemory = 64 << 20 // of a module that neither requests nor limits memory
	maxMemory     = 4 << 30  // that WebAssembly can address
)

// program is what replicas run.
type program struct {
	Module   string // its path in the directory of the application
	Digest   string // of its bytes
	Args     []string
	Env      map[string]string
	Memory   int64 // in bytes, the most of the module
	Finite   bool
	Attempts int           // of what is finite
	Deadline time.Duration // of one attempt, 0: none
}

// programOf returns what the replicas of a component run.
func programOf(c *model.Component, grant model.Grant, inputs []model.Value) (p program, err error) {
	var declared struct {
		Module       string            `json:"module"`
		Digest       string            `json:"digest"`
		Args         []string          `json:"args"`
		Env          map[string]string `json:"env"`
		BackoffLimit *int              `json:"backoffLimit"`
		Deadline     string            `json:"deadline"`
	}
	if err := json.Unmarshal(c.Properties, &declared); err != nil {
		return p, fmt.Errorf("its properties are none of a module: %w", err)
	}
	memory := max(grant.Requests.Memory, c.Limits.Memory)
	p = program{
		Module: declared.Module, Digest: declared.Digest, Args: declared.Args, Env: map[string]string{},
		Memory: min(cmp.Or(memory, defaultMemory), maxMemory), Finite: c.Finite(), Attempts: 4,
	}
	maps.Copy(p.Env, declared.Env)
	for _, v := range inputs {
		p.Env[v.Variable()] = v.Value
	}
	p.Env["DAROS_COMPONENT"] = c.Name
	if declared.BackoffLimit != nil {
		p.Attempts = *declared.BackoffLimit + 1
	}
	if declared.Deadline != "" {
		if p.Deadline, err = time.ParseDuration(declared.Deadline); err != nil {
			return p, fmt.Errorf("deadline: %w", err)
		}
	}
	return p, nil
}

// read returns the bytes of a module that has the digest which its component pins.
func (p *program) read(files fs.FS) ([]byte, error) {
	f, err := files.Open(p.Module)
	if err != nil {
		return nil, fmt.Errorf("the directory of the application has no file %s", p.Module)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxModule+1))
	if err != nil {
		return nil, fmt.Errorf("read module %s: %w", p.Module, err)
	}
	if len(data) > maxModule {
		return nil, fmt.Errorf("module %s is larger than %d MiB", p.Module, maxModule>>20)
	}
	if sum := sha256.Sum256(data); "sha256:"+hex.EncodeToString(sum[:]) != p.Digest {
		return nil, fmt.Errorf("module %s has digest sha256:%x, and its component pins %s", p.Module, sum, p.Digest)
	}
	return data, nil
}
