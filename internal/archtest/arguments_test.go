package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// cobra's own checks of arguments answer with exit code 1 and no hint. Ours
// (noArguments, atMost, between, exactlyOne) answer as every wrong use does: 3,
// with what to do.
func TestCommandsCheckArgumentsWithOurOwn(t *testing.T) {
	eachFile(t, func(pkg, file string, parsed *ast.File) {
		if !slices.Contains(importsOf(t, parsed), "github.com/spf13/cobra") {
			return
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			use, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, ok := use.X.(*ast.Ident)
			name := use.Sel.Name
			if ok && from.Name == "cobra" && name != "PositionalArgs" && (strings.HasSuffix(name, "Args") || name == "MatchAll") {
				t.Errorf("%s: cobra.%s gives exit code 1 and no hint: use noArguments, atMost, between or exactlyOne", file, name)
			}
			return true
		})
	})
}
