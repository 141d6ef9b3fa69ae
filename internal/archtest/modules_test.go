package archtest

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// text 0.39 is the first that ends on any input; our help goes through it.
func TestTextIsOneThatEnds(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`golang.org/x/text v0\.(\d+)\.`).FindSubmatch(mod)
	if found == nil {
		return // nobody needs it any more
	}
	if minor, err := strconv.Atoi(string(found[1])); err != nil || minor < 39 {
		t.Errorf("go.mod has golang.org/x/text 0.%s, want 0.39 or later", found[1])
	}
}

// What is large or may be changed for something else is known in one place only.
func TestModulesAreImportedInOnePlace(t *testing.T) {
	eachFile(t, func(pkg, file string, parsed *ast.File) {
		for _, imp := range importsOf(t, parsed) {
			for module, users := range onePlace {
				if (imp == module || strings.HasPrefix(imp, module+"/")) && !slices.Contains(users, pkg) {
					t.Errorf("%s: %s may not import %s: that is for %s", file, pkg, imp, strings.Join(users, ", "))
				}
			}
		}
	})
}
