package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/refrain-loop/refrain"

func TestImportsPointInward(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(pkg, file string, parsed *ast.File) {
		seen[pkg] = true
		if strings.HasSuffix(parsed.Name.Name, "_test") {
			return // who tests from outside may use what stands outside
		}
		allowed, known := mayImport[pkg]
		if !known {
			t.Errorf("%s: package %s is not in the table: add a line to mayImport", file, pkg)
			return
		}
		for _, imp := range importsOf(t, parsed) {
			ours, isOurs := strings.CutPrefix(imp, module+"/internal/")
			open := slices.Contains(leaves, ours) || slices.Contains(allowed, ours) || forTests(file, ours)
			if isOurs && ours != pkg && !open {
				t.Errorf("%s: %s may not import %s", file, pkg, ours)
			}
		}
	})
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("package %s is in the table and nowhere else: remove its line", pkg)
		}
	}
}

// forTests tells whether an import is one that every test may have.
func forTests(file, ours string) bool { return strings.HasSuffix(file, "_test.go") && ours == "story" }

func TestWordsHoldOnlyValues(t *testing.T) {
	eachFile(t, func(pkg, file string, parsed *ast.File) {
		if pkg != "loop" || strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, imp := range importsOf(t, parsed) {
			if !slices.Contains(valuesOnly, imp) {
				t.Errorf("%s: the words may not import %s", file, imp)
			}
		}
	})
}

// eachFile calls visit for every Go file of the module that belongs to one of
// our packages.
func eachFile(t *testing.T, visit func(pkg, file string, parsed *ast.File)) {
	t.Helper()
	root := moduleRoot(t)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		rel, _ := filepath.Rel(root, path)
		pkg := packageOf(filepath.ToSlash(rel))
		if d.IsDir() || pkg == "" || filepath.Ext(path) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			visit(pkg, rel, parsed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// packageOf is the first folder below internal/, "cmd", or "refrain" at the root.
func packageOf(rel string) string {
	dirs := strings.Split(rel, "/")
	switch {
	case len(dirs) == 1:
		return "refrain"
	case dirs[0] == "cmd":
		return "cmd"
	case dirs[0] == "internal" && len(dirs) > 2:
		return dirs[1]
	}
	return ""
}

func importsOf(t *testing.T, file *ast.File) []string {
	t.Helper()
	var imports []string
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, path)
	}
	return imports
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
