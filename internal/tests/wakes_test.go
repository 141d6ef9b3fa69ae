package tests

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/text"
)

// readAll reads a text as Read does, but gives every line to every reader: what is
// held back from one must not mean anything to it.
func readAll(output string) (Report, bool) {
	p, w := New(), whatWakes()
	for line := range strings.SplitSeq(output, "\n") {
		p.line = p.line[:0]
		p.returned = false
		p.extend([]byte(line))
		line = text.Valid(text.StripEscapes(string(p.line)))
		for i := range frameworks {
			if !p.overheard(w.within[i]) {
				p.entrant(i).line(line)
			}
		}
	}
	p.line = nil
	return p.Report()
}

func sameAsAll(t *testing.T, what, output string) {
	t.Helper()
	got, ok := Read(output)
	want, wantOK := readAll(output)
	if diff := cmp.Diff(want, got); diff != "" || ok != wantOK {
		t.Errorf("%s: with lines held back it reads differently (-all +held back):\n%s\nfrom\n%.2000s", what, diff, output)
	}
}

func TestNothingIsHeldBackThatMeansAnything(t *testing.T) {
	var all []string
	for _, path := range samples(t) {
		output := sample(t, path)
		sameAsAll(t, path, output)
		all = append(all, strings.Split(output, "\n")...)
	}
	// The lines of all of them in any order, and some behind what diffs and lists
	// put before a line: whatever state a reader is in, any line may come.
	r := rand.New(rand.NewPCG(1, 2))
	for range 800 {
		var b strings.Builder
		for range 1 + r.IntN(60) {
			at := r.IntN(len(all))
			for _, line := range all[at:min(len(all), at+1+r.IntN(6))] {
				if r.IntN(20) == 0 {
					line = []string{" ", "  ", "+", "- ", "    ", "\t", "> ", "\x1b[32m"}[r.IntN(8)] + line
				}
				b.WriteString(line + "\n")
			}
		}
		sameAsAll(t, "lines at random", b.String())
		if t.Failed() {
			return
		}
	}
}

// Most lines of what people and programs write are for nobody, so nobody is even
// made to read them.
func TestMostLinesWakeNobody(t *testing.T) {
	const said = "I looked at the parser first.\nThe cause is a cache that is never emptied; see cache.go:42.\n" +
		"2026-11-15T12:00:00Z INFO server: GET /items 200 12ms\n[3/17] compiling internal/cache\n-\tif x == nil {\n+\tif x == nil || y {\n"
	p := New()
	p.WriteString(strings.Repeat(said, 100))
	made := 0
	for _, e := range p.entrants {
		if e.reader != nil {
			made++
		}
	}
	if made != 0 || p.awake != 0 {
		t.Errorf("%d readers were made for lines that are of no test runner", made)
	}
}

func FuzzHoldBack(f *testing.F) {
	for _, path := range samples(f) {
		f.Add(sample(f, path))
	}
	f.Add("PASS a.test.js\n x\n1..0 # SKIP\n")
	f.Fuzz(func(t *testing.T, output string) { sameAsAll(t, "fuzz", output) })
}
