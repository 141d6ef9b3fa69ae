package refrain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A program that names a kind of word (a reason, a result, a kind of error) can
// name each word of it. A new one in package loop is missed here until it is
// public.
func TestEveryWordHasAName(t *testing.T) {
	public, kinds := map[string]bool{}, map[string]bool{} // names of package loop
	collect := func(_ string, spec ast.Spec) {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			kinds[ofLoop(s.Type)] = true
		case *ast.ValueSpec:
			for i, name := range s.Names {
				word := ofLoop(s.Values[i])
				if public[word] = true; name.Name != word {
					t.Errorf("the library calls loop.%s %s", word, name.Name)
				}
			}
		}
	}
	eachSpec(t, "words.go", collect)
	eachSpec(t, "reasons.go", collect)
	words := 0
	files, err := filepath.Glob("internal/loop/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		eachSpec(t, file, func(kind string, spec ast.Spec) {
			s, ok := spec.(*ast.ValueSpec)
			if !ok || !kinds[kind] && !strings.HasPrefix(s.Names[0].Name, "Test") {
				return
			}
			for _, name := range s.Names {
				if words++; name.IsExported() && !public[name.Name] {
					t.Errorf("the library has no name for loop.%s, a %s", name.Name, kind)
				}
			}
		})
	}
	if words < 60 {
		t.Errorf("only %d words were found in package loop: is it read as it should be?", words)
	}
}

// eachSpec goes over the types and constants of a file that is no test, with the
// type that constants are declared to have.
func eachSpec(t *testing.T, file string, visit func(kind string, spec ast.Spec)) {
	t.Helper()
	if strings.HasSuffix(file, "_test.go") {
		return
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		general, ok := d.(*ast.GenDecl)
		if !ok || general.Tok != token.CONST && general.Tok != token.TYPE {
			continue
		}
		for _, spec := range general.Specs {
			kind := ""
			if v, ok := spec.(*ast.ValueSpec); ok {
				if named, ok := v.Type.(*ast.Ident); ok {
					kind = named.Name
				}
			}
			visit(kind, spec)
		}
	}
}

// ofLoop is the name that an expression has in package loop.
func ofLoop(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}
