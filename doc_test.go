package refrain_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// pkg is the documentation of the library, and the names that its examples use.
func pkg(t *testing.T) (*doc.Package, map[string]bool) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	fset, used := token.NewFileSet(), map[string]bool{}
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(fset, e.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		if strings.HasPrefix(e.Name(), "example") {
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					used[s.Sel.Name] = true
				}
				return true
			})
		}
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/refrain-loop/refrain")
	if err != nil {
		t.Fatal(err)
	}
	return p, used
}

// A program is built on what is said of a name, not on what can be guessed from it.
func TestEveryExportedNameSaysWhatItIs(t *testing.T) {
	p, _ := pkg(t)
	said := 0
	say := func(name, text string) {
		if said++; strings.TrimSpace(text) == "" {
			t.Errorf("nothing is said of %s", name)
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, spec := range v.Decl.Specs {
				s := spec.(*ast.ValueSpec)
				say(s.Names[0].Name, v.Doc+s.Doc.Text()+s.Comment.Text())
			}
		}
	}
	values(p.Consts)
	values(p.Vars)
	for _, f := range p.Funcs {
		say(f.Name, f.Doc)
	}
	for _, typ := range p.Types {
		spec := typ.Decl.Specs[0].(*ast.TypeSpec)
		say(typ.Name, typ.Doc+spec.Doc.Text()+spec.Comment.Text())
		values(typ.Consts)
		values(typ.Vars)
		for _, f := range typ.Funcs {
			say(f.Name, f.Doc)
		}
		for _, m := range typ.Methods {
			if m.Name != "Error" && m.Name != "Unwrap" { // as errors have them
				say(typ.Name+"."+m.Name, m.Doc)
			}
		}
	}
	if said < 200 {
		t.Errorf("only %d names were found: is the package read as it should be?", said)
	}
}

// What a program calls, and what it may bring, is shown by an example that runs.
func TestWhatProgramsUseIsInAnExample(t *testing.T) {
	p, used := pkg(t)
	shown := 0
	show := func(name string) {
		if shown++; !used[name] {
			t.Errorf("no example uses %s", name)
		}
	}
	for _, f := range p.Funcs {
		if f.Name != "Helper" { // TestMain calls it, and the docs show where
			show(f.Name)
		}
	}
	for _, typ := range p.Types {
		if !ast.IsExported(typ.Name) {
			continue
		}
		for _, f := range typ.Funcs {
			show(f.Name)
		}
		if _, ok := typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.InterfaceType); ok || strings.HasSuffix(typ.Name, "Error") {
			show(typ.Name)
		}
		if typ.Name == "Control" || typ.Name == "Record" {
			for _, m := range typ.Methods {
				show(m.Name)
			}
		}
	}
	if shown < 40 {
		t.Errorf("only %d names were found: is the package read as it should be?", shown)
	}
}
