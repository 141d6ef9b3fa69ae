package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"strings"
)

// count counts the lines of a file. A line that has code and a comment is code.
func count(path string) (file, error) {
	f := file{path: path}
	in, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	block := false
	for lines.Scan() {
		f.lines++
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "":
		case block || strings.HasPrefix(line, "/*"):
			f.comments++
			block = !strings.Contains(line, "*/")
		case strings.HasPrefix(line, "//"):
			f.comments++
		default:
			f.code++
		}
	}
	return f, lines.Err()
}

// branches is the cyclomatic complexity of a body.
func branches(body *ast.BlockStmt) int {
	n := 1
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// depth is how deep the statements of a body are nested. An else-if is beside its
// if, and a function within starts anew.
func depth(body *ast.BlockStmt) int {
	deepest := 0
	var visit func(n ast.Node, at int)
	visit = func(n ast.Node, at int) {
		ast.Inspect(n, func(node ast.Node) bool {
			if node == n {
				return true
			}
			switch node := node.(type) {
			case *ast.FuncLit:
				visit(node.Body, 0)
				return false
			case *ast.IfStmt:
				deepest = max(deepest, at+1)
				visit(node.Body, at+1)
				switch other := node.Else.(type) {
				case *ast.BlockStmt:
					visit(other, at+1)
				case *ast.IfStmt:
					visit(&ast.BlockStmt{List: []ast.Stmt{other}}, at)
				}
				return false
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				deepest = max(deepest, at+1)
				visit(node, at+1)
				return false
			}
			return true
		})
	}
	visit(body, 0)
	return deepest
}

// shape is a body without the names in it, so that copies are found.
func shape(body *ast.BlockStmt) string {
	var b strings.Builder
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			b.WriteByte(')')
		case *ast.BasicLit:
			b.WriteString(n.Value)
		case *ast.SelectorExpr:
			fmt.Fprintf(&b, "(.%s ", n.Sel.Name)
		case *ast.BinaryExpr:
			fmt.Fprintf(&b, "(%s ", n.Op)
		case *ast.UnaryExpr:
			fmt.Fprintf(&b, "(%s ", n.Op)
		case *ast.AssignStmt:
			fmt.Fprintf(&b, "(%s ", n.Tok)
		case *ast.BranchStmt:
			fmt.Fprintf(&b, "(%s ", n.Tok)
		default:
			fmt.Fprintf(&b, "(%T ", n)
		}
		return true
	})
	return b.String()
}
