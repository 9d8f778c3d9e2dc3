package layer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	cuejson "cuelang.org/go/encoding/json"
)

// maxTemplate is how many bytes of CUE a template has at most.
const maxTemplate = 256 << 10

// kinds begin the paths of packages in which KubeVela has the kinds of a cluster: kube/apps/v1.
const kinds = "kube/"

// Template returns what the template of a definition of KubeVela comes to with values, as JSON: output, outputs and patch, each
// where the template has it, and in unused the names of the parameters that nothing in it asks for. The values are the fields parameter
// and context. Of a step that does nothing but deploy a component it says deploys. An error quotes no value.
func Template(source string, values []byte) (answer []byte, err error) {
	defer func() {
		if recover() != nil {
			answer, err = nil, errors.New("the CUE evaluator gave up on it")
		}
	}()
	if len(source) > maxTemplate {
		return nil, fmt.Errorf("its template has more than %d KiB", maxTemplate>>10)
	}
	file, err := parser.ParseFile("template.cue", source)
	if err != nil {
		return nil, errors.New("its template is no CUE")
	}
	if deploys(file) {
		return []byte(`{"deploys": true}`), nil
	}
	given, err := cuejson.Extract("values.json", bytes.ReplaceAll(values, []byte("\ufeff"), []byte(`\ufeff`))) // which CUE takes for a mark of the order of bytes
	if err != nil {
		return nil, errors.New("its values are no JSON")
	}
	if err := withoutKinds(file); err != nil {
		return nil, err
	}
	unused := unasked(file, given)
	file.Decls = append(file.Decls, given.(*ast.StructLit).Elts...)
	whole, err := format.Node(file) // references to the values are resolved as it is read anew
	if err != nil {
		return nil, errors.New("its template is no CUE")
	}
	all := cuecontext.New().CompileBytes(whole)
	out := map[string]any{"unused": unused}
	for _, name := range []string{"output", "outputs", "patch"} {
		v := all.LookupPath(cue.MakePath(cue.Str(name)))
		if !v.Exists() {
			continue
		}
		said, err := v.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("what it says in %s is not known with these properties alone", name)
		}
		out[name] = json.RawMessage(said)
	}
	if len(out) == 1 && all.Err() != nil {
		return nil, errors.New("its template refers to what is not there")
	}
	if len(out) == 1 {
		return nil, errors.New("its template has neither output, nor outputs, nor a patch")
	}
	return json.Marshal(out)
}

// withoutKinds replaces the kinds of a cluster, such as apps.#Deployment, by what each object of that kind says. It
// refuses other packages that are not of the standard library.
func withoutKinds(file *ast.File) error {
	versions := map[string]string{} // by the names of the packages in the file
	for spec := range file.ImportSpecs() {
		path := strings.Trim(spec.Path.Value, `"`)
		version, ok := strings.CutPrefix(path, kinds)
		if !ok {
			if first, _, _ := strings.Cut(path, "/"); first == "vela" || strings.Contains(first, ".") {
				return errors.New("its template needs a package that only KubeVela has")
			}
			continue
		}
		name := version[strings.LastIndex(version, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		versions[name] = version
	}
	if len(versions) == 0 {
		return nil
	}
	astutil.Apply(file, func(c astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.ImportDecl:
			n.Specs = slices.DeleteFunc(n.Specs, func(s *ast.ImportSpec) bool { return strings.HasPrefix(strings.Trim(s.Path.Value, `"`), kinds) })
			if len(n.Specs) == 0 {
				c.Delete()
			}
			return false
		case *ast.SelectorExpr:
			from, ok := n.X.(*ast.Ident)
			label, isName := n.Sel.(*ast.Ident)
			if !ok || !isName || versions[from.Name] == "" {
				return true
			}
			kind := strings.TrimPrefix(label.Name, "#")
			c.Replace(ast.NewStruct("apiVersion", ast.NewString(versions[from.Name]), "kind", ast.NewString(kind), &ast.Ellipsis{}))
			return false
		}
		return true
	}, nil)
	return nil
}

// deploying are the operations of a step that deploys a component and waits for it, as a step of type deploy does.
var deploying = []string{"#Load", "#ApplyComponent", "#Apply", "#ConditionalWait"}

// deploys reports whether the template of a step deploys the component that its one parameter names, as it is, and does nothing else.
func deploys(file *ast.File) bool {
	applies, nothingElse, objects, workloads := false, true, 0, 0
	for spec := range file.ImportSpecs() {
		nothingElse = nothingElse && spec.Path.Value == `"vela/op"` && spec.Name == nil
	}
	for _, parameters := range fields(file.Decls, "parameter") {
		for name := range labelled(parameters.Elts) {
			nothingElse = nothingElse && name == "component"
		}
	}
	ast.Walk(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			from, ok := n.X.(*ast.Ident)
			name, _, err := ast.LabelName(n.Sel)
			if ok && from.Name == "op" && err == nil {
				applies = applies || name == "#ApplyComponent"
				objects = objects + map[bool]int{true: 1}[name == "#Apply"]
				nothingElse = nothingElse && slices.Contains(deploying, name)
			}
		case *ast.BinaryExpr: // op.#ApplyComponent & {value: load.value[parameter.component]}
			with, ok := n.Y.(*ast.StructLit)
			operation, isOperation := n.X.(*ast.SelectorExpr)
			if !ok || !isOperation {
				return true
			}
			name, _, err := ast.LabelName(operation.Sel)
			if err == nil && name == "#Apply" && itsWorkload(with) {
				applies, workloads = true, workloads+1
			}
			if err != nil || name != "#ApplyComponent" {
				return true
			}
			_, asItIs := field(with, "value").(*ast.IndexExpr)
			nothingElse = nothingElse && asItIs && len(with.Elts) == 1
		}
		return true
	}, nil)
	return applies && nothingElse && objects == workloads
}

// itsWorkload reports whether what a step applies is the workload of the component that it loaded, called like that:
// {value: {job.value.workload, metadata: name: parameter.component}}.
func itsWorkload(with *ast.StructLit) bool {
	value, ok := field(with, "value").(*ast.StructLit)
	if !ok || len(with.Elts) != 1 || len(value.Elts) != 2 {
		return false
	}
	said, err := format.Node(&ast.File{Decls: value.Elts})
	return err == nil && workloadPattern.Match(said)
}

var workloadPattern = regexp.MustCompile(`^\s*[a-z]+\.value\.workload\s+metadata: (\{\s*)?name: parameter\.component\s*\}?\s*$`)

// unasked returns the names of the parameters that are given and that nothing in a template asks for.
func unasked(file *ast.File, given ast.Expr) []string {
	asked, all, known := map[string]bool{}, false, map[ast.Node]bool{}
	isParameter := func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && id.Name == "parameter"
	}
	ast.Walk(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			known[n.Label] = true
		case *ast.SelectorExpr:
			if name, _, err := ast.LabelName(n.Sel); isParameter(n.X) && err == nil {
				asked[name], known[n.X] = true, true
			}
		case *ast.IndexExpr:
			if literal, ok := n.Index.(*ast.BasicLit); ok && isParameter(n.X) && literal.Kind == token.STRING {
				asked[strings.Trim(literal.Value, `"`)], known[n.X] = true, true
			}
		case *ast.Ident:
			all = all || isParameter(n) && !known[n]
		}
		return true
	}, nil)
	unused := []string{}
	for _, parameters := range fields(given.(*ast.StructLit).Elts, "parameter") {
		for name := range labelled(parameters.Elts) {
			if !all && name != "" && !asked[name] {
				unused = append(unused, name)
			}
		}
	}
	return unused
}
