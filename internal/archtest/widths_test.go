package archtest

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A type that knows too much is cut into those that it hides.
func TestNoTypeKnowsEverything(t *testing.T) {
	type width struct {
		methods int
		files   map[string]bool
		fields  int
	}
	widths := map[string]*width{}
	of := func(pkg, name string) *width {
		key := pkg + "." + name
		if widths[key] == nil {
			widths[key] = &width{files: map[string]bool{}}
		}
		return widths[key]
	}
	eachFile(t, func(pkg, file string, parsed *ast.File) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					w := of(pkg, receiver(n.Recv.List[0].Type))
					w.methods++
					w.files[file] = true
				}
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						of(pkg, n.Name.Name).fields += max(1, len(f.Names))
					}
				}
			}
			return true
		})
	})
	if len(widths) < 500 {
		t.Fatalf("%d types were found: that shows nothing", len(widths))
	}
	for _, name := range slices.Sorted(maps.Keys(widths)) {
		w := widths[name]
		over := w.methods > maxMethods || len(w.files) > maxFiles || w.fields > maxFields
		_, excused := wide[name]
		switch {
		case over && !excused:
			t.Errorf("%s has %d methods in %d files and %d fields; %d, %d and %d are the most: which smaller things hide in it?",
				name, w.methods, len(w.files), w.fields, maxMethods, maxFiles, maxFields)
		case excused && !over:
			t.Errorf("%s is no longer wide: remove its line", name)
		}
	}
	for name := range wide {
		if widths[name] == nil {
			t.Errorf("there is no %s: remove its line", name)
		}
	}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
