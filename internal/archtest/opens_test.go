package archtest

import (
	"go/ast"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFilesAreOpenedWithCare(t *testing.T) {
	used := map[string]bool{}
	eachFile(t, func(_, file string, parsed *ast.File) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, name := range bareIn(t, parsed) {
			allowed := allowance(filepath.ToSlash(file))
			used[allowed] = true
			if allowed == "" {
				t.Errorf("%s: os.%s waits for a named pipe, and reads a device without end: use package files, or say in mayOpen why not", file, name)
			}
		}
	})
	for name := range mayOpen {
		if !used[name] {
			t.Errorf("%s is in the table and opens nothing by itself: remove its line", name)
		}
	}
}

// allowance is the line of the table that is about a file, or nothing.
func allowance(file string) string {
	for name := file; name != "."; name = path.Dir(name) {
		if mayOpen[name] != "" {
			return name
		}
	}
	return ""
}

// bareIn names what a file uses of them.
func bareIn(t *testing.T, file *ast.File) []string {
	var list []string
	if slices.Contains(importsOf(t, file), "io/ioutil") {
		list = append(list, "and io/ioutil")
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := s.X.(*ast.Ident); ok && of.Name == "os" && slices.Contains(bare, s.Sel.Name) {
				list = append(list, s.Sel.Name)
			}
		}
		return true
	})
	return list
}
