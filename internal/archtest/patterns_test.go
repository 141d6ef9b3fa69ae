package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Nothing is compiled before main: what every command would pay for, few need. A
// text.Pattern is compiled when it is used, so whether it can be is seen here.
func TestPatternsAreMadeWhenTheyAreNeeded(t *testing.T) {
	words := map[string]map[string]string{} // by package, the constants that are texts
	eachFile(t, func(pkg, _ string, parsed *ast.File) {
		if words[pkg] == nil {
			words[pkg] = map[string]string{}
		}
		eachValue(parsed, token.CONST, func(name string, value ast.Expr) {
			if text, ok := constant(value, words[pkg]); ok {
				words[pkg][name] = text
			}
		})
	})
	seen := 0
	eachFile(t, func(pkg, file string, parsed *ast.File) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		eachValue(parsed, token.VAR, func(name string, value ast.Expr) {
			if call(value, "regexp", "MustCompile") != nil || call(value, "template", "Must") != nil {
				t.Errorf("%s: %s is made before main: use text.NewPattern or sync.OnceValue", file, name)
			}
		})
		ast.Inspect(parsed, func(n ast.Node) bool {
			at, _ := n.(ast.Expr)
			arg := call(at, "text", "NewPattern")
			if pkg == "text" && arg == nil {
				arg = call(at, "", "NewPattern")
			}
			if arg == nil {
				return true
			}
			if expression, ok := constant(arg, words[pkg]); ok {
				seen++
				if _, err := regexp.Compile(expression); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
			return true
		})
	})
	if seen < 100 {
		t.Errorf("only %d patterns were found: is this test blind?", seen)
	}
}

// eachValue calls visit for what the constants or variables of a file are set to,
// and for what stands in such lists.
func eachValue(parsed *ast.File, tok token.Token, visit func(name string, value ast.Expr)) {
	for _, decl := range parsed.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != tok {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			for i, value := range spec.Values {
				ast.Inspect(value, func(n ast.Node) bool {
					if _, later := n.(*ast.FuncLit); later {
						return false
					}
					if one, ok := n.(ast.Expr); ok && i < len(spec.Names) {
						visit(spec.Names[i].Name, one)
					}
					return tok == token.VAR
				})
			}
		}
	}
}

// call is the one argument of a call, when it is that one.
func call(e ast.Expr, pkg, name string) ast.Expr {
	c, ok := e.(*ast.CallExpr)
	if !ok || len(c.Args) == 0 {
		return nil
	}
	switch fun := c.Fun.(type) {
	case *ast.Ident:
		if pkg == "" && fun.Name == name {
			return c.Args[0]
		}
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && x.Name == pkg && fun.Sel.Name == name {
			return c.Args[0]
		}
	}
	return nil
}

// constant is what a text of literals and constants is.
func constant(e ast.Expr, words map[string]string) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.Ident:
		text, ok := words[e.Name]
		return text, ok
	case *ast.BinaryExpr:
		a, first := constant(e.X, words)
		b, second := constant(e.Y, words)
		return a + b, first && second && e.Op == token.ADD
	}
	return "", false
}
