package refrain_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// The example that people see first is one that runs as a test.
func TestDocsShowTheExample(t *testing.T) {
	_, example, _ := strings.Cut(read(t, "example_test.go"), "// the README shows what follows\n")
	example, _, ok := strings.Cut(example, "\t// Output:")
	if !ok {
		t.Fatal("there is no example")
	}
	for _, file := range []string{"README.md", "docs/library.md"} {
		if !strings.Contains(unindented(read(t, file)), strings.TrimSpace(unindented(example))) {
			t.Errorf("%s does not show the example as it is in example_test.go", file)
		}
	}
}

// Programs can only tell events apart whose payloads have a name here.
func TestEveryEventHasAName(t *testing.T) {
	names := strings.Fields(read(t, "events.go"))
	for _, event := range loop.Types() {
		name := reflect.TypeOf(loop.NewPayload(event)).Elem().Name()
		if !strings.Contains(strings.Join(names, " "), " "+name+" = loop."+name+" ") {
			t.Errorf("events.go has no name for %s (%s)", name, event)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func unindented(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "\n")
}
