package render

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// ruleHosts are those that the rules of an IngressRoute of Traefik name.
func ruleHosts(object map[string]any, add func(host, path string)) {
	for _, route := range declared.Elements(declared.Below(object, "spec")["routes"]) {
		rule, err := parser.ParseExpr(declared.Word(route["match"])) // Traefik reads rules as expressions of Go, too
		hosts := ruleNames(rule)
		if err != nil || len(hosts) == 0 {
			hosts = []string{""}
		}
		for _, host := range hosts {
			add(host, "")
		}
	}
}

// ruleNames lists the hosts of which a request has to have one so that a rule takes it. None:
// the rule takes requests of any host.
func ruleNames(rule ast.Expr) (hosts []string) {
	switch r := rule.(type) {
	case *ast.ParenExpr:
		return ruleNames(r.X)
	case *ast.BinaryExpr:
		left, right := ruleNames(r.X), ruleNames(r.Y)
		if r.Op != token.LAND && (r.Op != token.LOR || left == nil || right == nil) {
			return nil
		}
		return append(left, right...)
	case *ast.CallExpr:
		name, ok := r.Fun.(*ast.Ident)
		if !ok || !strings.EqualFold(name.Name, "Host") && !strings.EqualFold(name.Name, "HostSNI") {
			return nil
		}
		for _, arg := range r.Args {
			text, ok := arg.(*ast.BasicLit)
			if !ok {
				return nil
			}
			host, err := strconv.Unquote(text.Value)
			if err != nil {
				return nil
			}
			hosts = append(hosts, host)
		}
	}
	return hosts
}
