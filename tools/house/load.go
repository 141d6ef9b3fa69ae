package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// house is a module as it is read. Its tests are counted by lines and not read.
type house struct {
	module string
	rooms  []*room // its packages, by path
	tests  int     // lines of tests
	direct int     // modules that go.mod asks for by itself
}

// room is a package.
type room struct {
	path    string // below the module; empty for its root
	name    string
	imports []string // of the same module, by path
	files   []file
	funcs   []function
	types   []named
	uses    []use
}

type file struct {
	path           string
	lines          int
	comments, code int
}

// function is a function or method that has a body.
type function struct {
	object     types.Object
	file       string
	lines      int
	branches   int // cyclomatic complexity
	depth      int // of its blocks
	exported   bool
	documented bool
	shape      string // its body without names and comments
}

// named is a type with a name.
type named struct {
	name      string
	fields    int
	methods   int
	files     []string // in which its methods are
	iface     bool
	exported  bool
	commented bool
}

// use is a place where a function of the same room is used.
type use struct {
	object types.Object
	file   string
}

func load(dir string) (*house, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
		packages.NeedImports | packages.NeedModule
	set := token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, Fset: set}, "./...")
	if err != nil {
		return nil, fmt.Errorf("read the packages: %w", err)
	}
	h := &house{}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("read %s: %w", p.PkgPath, p.Errors[0])
		}
		if p.Module == nil || len(p.Syntax) == 0 {
			continue // nothing but tests
		}
		h.module = p.Module.Path
		r, err := read(p, set)
		if err != nil {
			return nil, err
		}
		h.rooms = append(h.rooms, r)
	}
	if len(h.rooms) == 0 {
		return nil, errors.New("there are no packages in " + dir)
	}
	slices.SortFunc(h.rooms, func(a, b *room) int { return strings.Compare(a.path, b.path) })
	if h.tests, err = testLines(dir); err != nil {
		return nil, err
	}
	h.direct, err = directModules(filepath.Join(dir, "go.mod"))
	return h, err
}

func read(p *packages.Package, set *token.FileSet) (*room, error) {
	r := &room{path: below(p.Module.Path, p.PkgPath), name: p.Name}
	for path := range p.Imports {
		if path == p.Module.Path || strings.HasPrefix(path, p.Module.Path+"/") {
			r.imports = append(r.imports, below(p.Module.Path, path))
		}
	}
	slices.Sort(r.imports)
	byName := map[string]*named{}
	for _, syntax := range p.Syntax {
		path := set.Position(syntax.FileStart).Filename
		f, err := count(path)
		if err != nil {
			return nil, err
		}
		r.files = append(r.files, f)
		for _, d := range syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				r.addFunc(d, p.TypesInfo.Defs[d.Name], path, set, byName)
			case *ast.GenDecl:
				addTypes(d, byName)
			}
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if f, ok := p.TypesInfo.Uses[id].(*types.Func); ok && f.Pkg() == p.Types {
				r.uses = append(r.uses, use{f.Origin(), path})
			}
			return true
		})
	}
	for _, t := range byName {
		r.types = append(r.types, *t)
	}
	slices.SortFunc(r.types, func(a, b named) int { return strings.Compare(a.name, b.name) })
	return r, nil
}

func below(module, path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}

func (r *room) addFunc(d *ast.FuncDecl, object types.Object, path string, set *token.FileSet, byName map[string]*named) {
	if d.Recv != nil {
		t := typeIn(byName, receiver(d.Recv.List[0].Type))
		t.methods++
		if !slices.Contains(t.files, path) {
			t.files = append(t.files, path)
		}
	}
	if d.Body == nil {
		return
	}
	r.funcs = append(r.funcs, function{
		object: object, file: path,
		lines:    set.Position(d.End()).Line - set.Position(d.Pos()).Line + 1,
		branches: branches(d.Body), depth: depth(d.Body),
		exported: d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))), documented: d.Doc != nil,
		shape: shape(d.Body),
	})
}

func typeIn(byName map[string]*named, name string) *named {
	t, ok := byName[name]
	if !ok {
		t = &named{name: name}
		byName[name] = t
	}
	return t
}

// receiver is the name of the type that a method belongs to.
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

func addTypes(d *ast.GenDecl, byName map[string]*named) {
	for _, spec := range d.Specs {
		s, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		t := typeIn(byName, s.Name.Name)
		t.exported, t.commented = s.Name.IsExported(), d.Doc != nil || s.Doc != nil
		switch e := s.Type.(type) {
		case *ast.InterfaceType:
			t.iface = true
		case *ast.StructType:
			for _, f := range e.Fields.List {
				t.fields += max(1, len(f.Names))
			}
		}
	}
}

// testLines counts the lines of all tests below a folder, of its module only.
func testLines(dir string) (n int, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasModule(path)) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") {
			f, err := count(path)
			n += f.lines
			return err
		}
		return nil
	})
	return n, err
}

func hasModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func directModules(path string) (n int, err error) {
	text, err := os.ReadFile(path)
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "require (":
			inside = true
		case line == ")":
			inside = false
		case (inside || strings.HasPrefix(line, "require ")) && line != "" && !strings.Contains(line, "// indirect"):
			n++
		}
	}
	return n, err
}
