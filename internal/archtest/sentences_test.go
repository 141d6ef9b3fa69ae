package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// sentences are the fields that hold English for people: of verdicts, gates,
// claims, warnings and answers. What a program has to know of them stands in
// fields of its own (Verdict.Now, Warning.Key, Claim.Lacks), for the next better
// sentence must break nothing.
var sentences = []string{"Why", "Hint", "Effect"}

func TestNobodyReadsSentences(t *testing.T) {
	eachFile(t, func(_, file string, parsed *ast.File) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, found := range sentencesRead(parsed) {
			t.Errorf("%s: %s looks for words in a sentence that is for people: give the fact a field of its own", file, found)
		}
	})
}

func TestReadingASentenceIsFound(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		found      bool
	}{
		{"a part of it", `_ = strings.Contains(v.Why, "at once")`, true},
		{"a part of it, cleaned", `_ = strings.HasPrefix(text.Line(v.Why), "cannot "+x)`, true},
		{"the whole", `_ = v.Why == "usage limit"`, true},
		{"a switch", `switch v.Why { case "usage limit": }`, true},
		{"a pattern", `_ = until.MatchString(p.Effect)`, true},
		{"a warning", `switch p := e.Payload.(type) { case *loop.Warning: _ = strings.HasPrefix(p.Text, "cannot save ") }`, true},
		{"whether there is one", `_ = v.Why != ""`, false},
		{"whether another says it already", `_ = strings.Contains(v.Why, wrong)`, false},
		{"its blanks", `_ = strings.TrimSpace(v.Why)`, false},
		{"a key", `switch p := e.Payload.(type) { case *loop.Warning: _ = strings.HasPrefix(p.Key, "budget.") }`, false},
		{"the text of an agent", `switch p := e.Payload.(type) { case *loop.AgentText: _ = strings.Trim(p.Text, "\n") }`, false},
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() {\n"+tt.body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := sentencesRead(parsed); len(got) > 0 != tt.found {
			t.Errorf("%s: %s: found %q, want found: %v", tt.name, tt.body, got, tt.found)
		}
	}
}

// sentencesRead names what in a file looks for known words in a sentence.
func sentencesRead(file *ast.File) []string {
	var found []string
	look := func(root ast.Node, fields []string) {
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name, pattern := reader(n); name != "" && slices.ContainsFunc(n.Args, isField(fields)) && (pattern || slices.ContainsFunc(n.Args, hasWords)) {
					found = append(found, name)
				}
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					if isField(fields)(n.X) && hasWords(n.Y) || isField(fields)(n.Y) && hasWords(n.X) {
						found = append(found, n.Op.String())
					}
				}
			case *ast.SwitchStmt:
				if n.Tag != nil && isField(fields)(n.Tag) {
					found = append(found, "switch")
				}
			}
			return true
		})
	}
	look(file, sentences)
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CaseClause); ok && len(c.List) == 1 && isWarning(c.List[0]) {
			for _, s := range c.Body {
				look(s, []string{"Text"})
			}
		}
		return true
	})
	return found
}

// reader is the name of a call that finds something in a text, or nothing. A
// pattern has its words somewhere else.
func reader(call *ast.CallExpr) (name string, pattern bool) {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	if from, ok := s.X.(*ast.Ident); ok && from.Name == "strings" {
		return "strings." + s.Sel.Name, false
	}
	if slices.Contains([]string{"MatchString", "FindString", "FindStringSubmatch", "ReplaceAllString"}, s.Sel.Name) {
		return s.Sel.Name, true
	}
	return "", false
}

// isField tells whether an expression is, or is made of, one of the fields.
func isField(fields []string) func(ast.Expr) bool {
	return func(e ast.Expr) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			found = found || ok && slices.Contains(fields, s.Sel.Name)
			return !found
		})
		return found
	}
}

// hasWords tells whether an expression has a text of its own, with a letter in it.
func hasWords(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		found = found || ok && lit.Kind == token.STRING && strings.ContainsFunc(lit.Value, func(r rune) bool { return r >= 'A' && r <= 'z' && r != '\\' })
		return !found
	})
	return found
}

func isWarning(e ast.Expr) bool {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	s, ok := star.X.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Warning"
}
