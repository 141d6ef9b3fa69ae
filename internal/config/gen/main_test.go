package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
)

func TestPagesAreUpToDate(t *testing.T) {
	for _, p := range pages {
		old, err := os.ReadFile(p.path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.renew(string(old))
		if err != nil {
			t.Fatalf("%s: %v", p.path, err)
		}
		if string(old) != want {
			t.Errorf("%s is not what settings and rules say: run \"make docs\"", p.path)
		}
	}
}

func TestOnlyWhatIsBetweenTheMarksIsMadeAnew(t *testing.T) {
	for _, tt := range []struct{ name, end, page, want string }{
		{"to the end", "", "by hand\nBEGIN\nout of date\n", "by hand\nBEGIN\n\nnew\n"},
		{"to a mark", "END\n", "by hand\nBEGIN\nout of date\nEND\nmore\n", "by hand\nBEGIN\n\nnew\n\nEND\nmore\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "page.md")
			if err := os.WriteFile(path, []byte(tt.page), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := (page{path, "BEGIN\n", tt.end, always(func() string { return "new\n" })}).write(); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != tt.want {
				t.Errorf("generated page: %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestAPageWithoutItsMarksIsNotTouched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("by hand\nBEGIN\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []page{{path, "START\n", "", nil}, {path, "BEGIN\n", "END\n", nil}} {
		if err := p.write(); err == nil {
			t.Errorf("no error without %q and %q", p.begin, p.end)
		}
	}
	if page, err := os.ReadFile(path); err != nil || string(page) != "by hand\nBEGIN\n" {
		t.Errorf("the page became %q, %v", page, err)
	}
}

// A reason that is not in the tables would be one that nobody has heard of.
func TestEveryReasonIsInTheManual(t *testing.T) {
	loops, err := constants("loop", "Reason")
	if err != nil {
		t.Fatal(err)
	}
	stops, err := constants("stop", "Reason")
	if err != nil {
		t.Fatal(err)
	}
	told := map[loop.Reason]bool{}
	for _, e := range stop.Ends() {
		if e.When == "" {
			t.Errorf("nothing says when it comes to %s", e.Reason)
		}
		told[e.Reason] = true
	}
	if len(told) != len(loops)+len(stops) {
		t.Errorf("%d reasons are told of, and there are %v and %v", len(told), loops, stops)
	}
}
