package refrain_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/refrain-loop/refrain/internal/loop"
)

// The example that people see first is one that runs as a test.
func TestDocsShowTheExample(t *testing.T) {
	_, example, _ := strings.Cut(read(t, "example_test.go"), "// the docs show what follows\n")
	example, _, ok := strings.Cut(example, "\t// Output:")
	if !ok {
		t.Fatal("there is no example")
	}
	if !strings.Contains(unindented(read(t, "docs/library.md")), strings.TrimSpace(unindented(example))) {
		t.Error("docs/library.md does not show the example as it is in example_test.go")
	}
}

// Who opens the README sees it all on two screens, and what it is in a sentence.
func TestTheREADMEIsShort(t *testing.T) {
	page := read(t, "README.md")
	if n := strings.Count(page, "\n"); n > 120 {
		t.Errorf("README.md has %d lines, want at most 120: docs/ has room", n)
	}
	for _, want := range []string{"Ralph loop", "docs/media/demo.svg", "docs/media/report.png"} {
		if !strings.Contains(page, want) {
			t.Errorf("README.md has no %s", want)
		}
	}
	if n := strings.Count(read(t, "docs/glossary.md"), "\n| **"); n == 0 || n > 25 {
		t.Errorf("docs/glossary.md has %d words, want at most 25: a reader has to learn them", n)
	}
}

var (
	link    = regexp.MustCompile(`(?:\]\(|src=")([^)\s"]+)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	block   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
)

// A link in the docs leads to a file that is there, and to a heading in it. Every
// page of docs is in the index.
func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	index := read(t, "docs/README.md")
	for _, page := range append(pages, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md") {
		for _, m := range link.FindAllStringSubmatch(block.ReplaceAllString(read(t, page), ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if anchor != "" && !slices.Contains(anchors(read(t, file)), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", page, m[1])
			}
		}
		if name := filepath.Base(page); filepath.Dir(page) == "docs" && name != "README.md" && !strings.Contains(index, "("+name) {
			t.Errorf("docs/README.md does not name %s", name)
		}
	}
}

// anchors are the headings of a page as links name them.
func anchors(page string) []string {
	var all []string
	for _, h := range heading.FindAllStringSubmatch(block.ReplaceAllString(page, ""), -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, h[1]))
	}
	return all
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
