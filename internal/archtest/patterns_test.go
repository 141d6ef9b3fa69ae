package archtest

import (
	"go/ast"
	"go/parser"
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
		eachConstant(parsed, func(name string, value ast.Expr) {
			if text, ok := constant(value, words[pkg]); ok {
				words[pkg][name] = text
			}
		})
	})
	seen := 0
	makers := makersOf(t)
	eachFile(t, func(pkg, file string, parsed *ast.File) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, name := range madeEarly(parsed, makers[pkg]) {
			t.Errorf("%s: %s is made before main: use text.NewPattern or sync.OnceValue", file, name)
		}
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

// makersOf is, by package, the functions that make a pattern or a template when they are
// called, themselves or by way of others there.
func makersOf(t *testing.T) map[string]map[string]bool {
	functions := map[string][]*ast.FuncDecl{}
	eachFile(t, func(pkg, file string, parsed *ast.File) {
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Body != nil && !strings.HasSuffix(file, "_test.go") {
				functions[pkg] = append(functions[pkg], f)
			}
		}
	})
	makers := map[string]map[string]bool{}
	for pkg, list := range functions {
		makers[pkg] = map[string]bool{}
		for more := true; more; {
			more = false
			for _, f := range list {
				if name := f.Name.Name; !makers[pkg][name] && makesNow(f.Body, makers[pkg]) {
					makers[pkg][name], more = true, true
				}
			}
		}
	}
	return makers
}

// madeEarly is the variables of a file, and init, for which a pattern or a template is
// made before main.
func madeEarly(parsed *ast.File, makers map[string]bool) (names []string) {
	for _, decl := range parsed.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.Name == "init" && makesNow(decl.Body, makers) {
				names = append(names, "init")
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok && makesNow(spec, makers) {
					names = append(names, spec.Names[0].Name)
				}
			}
		}
	}
	return names
}

// makesNow tells whether something makes a pattern or a template, and not only a
// function that does: one that is called on the spot is none.
func makesNow(in ast.Node, makers map[string]bool) (yes bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		if _, later := n.(*ast.FuncLit); later {
			return false
		}
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return !yes
		}
		switch fun := c.Fun.(type) {
		case *ast.FuncLit:
			yes = yes || makesNow(fun.Body, makers)
		case *ast.Ident:
			yes = yes || makers[fun.Name]
		case *ast.SelectorExpr:
			if x, ok := fun.X.(*ast.Ident); ok {
				yes = yes || x.Name == "regexp" && strings.Contains(fun.Sel.Name, "Compile") || x.Name == "template" && fun.Sel.Name == "Must"
			}
		}
		return !yes
	})
	return yes
}

func TestPatternsThatAreMadeEarlyAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		`var a = regexp.MustCompile("a")`:                             true,
		`var a = []*regexp.Regexp{regexp.MustCompile("a")}`:           true,
		`var a, err = regexp.Compile("a")`:                            true,
		`var a = must("a")`:                                           true,
		`var a = func() *regexp.Regexp { return must("a") }()`:        true,
		`var a = template.Must(template.New("a").Parse(""))`:          true,
		`func init() { a = must("a") }`:                               true,
		`var a = func() *regexp.Regexp { return must("a") }`:          false,
		`var a = sync.OnceValue(func() *T { return must("a") })`:      false,
		`func a() { regexp.MustCompile("a") }`:                        false,
		`func (t T) init() { regexp.MustCompile("a") }`:               false,
		`var a = map[string]func() *regexp.Regexp{"a": pattern("a")}`: false,
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(madeEarly(parsed, map[string]bool{"must": true})) > 0; got != want {
			t.Errorf("%s: made early: %v, want %v", text, got, want)
		}
	}
}

// eachConstant calls visit for what the constants of a file are set to.
func eachConstant(parsed *ast.File, visit func(name string, value ast.Expr)) {
	for _, decl := range parsed.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			for i, value := range spec.Values {
				visit(spec.Names[i].Name, value)
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
