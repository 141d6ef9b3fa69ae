package refrain_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain"
)

// What follows is what docs/library.md shows, as far as it is no example that runs.
// What the page leaves out is a line that ends like this: // …

var _ = refrain.Options{
	Set:      []refrain.Setting{refrain.KeyLoopMaxTime.Is(8 * time.Hour), refrain.KeyDoneGates.Is(true)},
	Settings: map[string]string{"loop.max_time": "8h", "done.gates": "true"},
}

func _(ctx context.Context, control *refrain.Control) error {
	for e, err := range control.Subscribe(ctx, 0) {
		if err != nil {
			return err
		}
		if p, ok := e.Payload.(*refrain.RunPaused); ok {
			_ = p // …
		}
	}
	return nil
}

func _() {
	for run, err := range refrain.Runs(".") {
		_ = err                                // …
		for i, err := range run.Iterations() { // Latest(5) gives the last five, the latest first
			_ = err // …
			fmt.Println(i.Number, i.Outcome.Result, i.Outcome.Duration)
		}
	}
}

var _ = refrain.Options{
	Hooks: refrain.Hooks{
		Before: func(ctx context.Context, m refrain.Moment) refrain.Answer {
			if m.Iteration%2 == 0 {
				return refrain.Answer{Decision: refrain.SkipIteration, Why: "only odd ones"}
			}
			return refrain.Answer{Metadata: map[string]string{"ticket": "T-17"}}
		},
	},
}

var (
	goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	leftOut = regexp.MustCompile(`(?m)^\s*_ = \w+\s*// …$`)
)

// Who copies a piece of Go from the page about the library has something that compiles,
// and the interfaces that it shows are those that there are.
func TestEveryPieceOfGoInTheDocsHolds(t *testing.T) {
	compiled := oneLine(leftOut.ReplaceAllString(read(t, "snippets_test.go"), "…"))
	declared := interfaces(t)
	shown, pieces := 0, 0
	for _, m := range goBlock.FindAllStringSubmatch(read(t, "docs/library.md"), -1) {
		name, isType := strings.CutPrefix(m[1], "type ")
		name, _, _ = strings.Cut(name, " ")
		switch {
		case strings.HasPrefix(m[1], "package "): // see TestDocsShowTheExample
		case isType:
			if shown++; oneLine(m[1]) != declared[name] {
				t.Errorf("docs/library.md shows\n%s\nand %s is\n%s", oneLine(m[1]), name, declared[name])
			}
		default:
			if pieces++; !strings.Contains(compiled, oneLine(m[1])) {
				t.Errorf("docs/library.md shows what nobody compiles: have the same in snippets_test.go\n%s", m[1])
			}
		}
	}
	if shown < 4 || pieces < 4 {
		t.Fatalf("%d interfaces and %d pieces were found in docs/library.md: is it read as it should be?", shown, pieces)
	}
}

// interfaces are those of the library, each on one line.
func interfaces(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if _, ok := spec.Type.(*ast.InterfaceType); ok {
				var b bytes.Buffer
				if err := printer.Fprint(&b, set, spec); err != nil {
					t.Fatal(err)
				}
				found[spec.Name.Name] = oneLine("type " + b.String())
			}
			return false
		})
	}
	return found
}

func oneLine(code string) string { return strings.Join(strings.Fields(code), " ") }
