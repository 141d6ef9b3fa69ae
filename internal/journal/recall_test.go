package journal

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// The words of what iterations said stand once in the journal, and a next runner has
// them again.
func TestTheWordsOfSummariesAreRecalled(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	state := startOf(r)
	for _, said := range []string{"one", "", "three", "four"} {
		e := at(state.Next(), state.Next(), 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Said: loop.Said{Summary: said}}})
		state = state.Sum(e)
		e.Payload.(*loop.IterationFinished).State = state.Carried()
		r.Append(e)
	}
	name := r.Meta().Name
	r.Close()
	if text := readFile(t, r.log.journal.path); strings.Count(text, `"four"`) != 1 || strings.Count(text, `"one"`) != 1 {
		t.Errorf("the words stand more than once:\n%s", text)
	}
	want := []loop.Summary{{Iteration: 1, Text: "one"}, {Iteration: 3, Text: "three"}, {Iteration: 4, Text: "four"}}
	entry, err := s.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Recall(name, entry.State); err != nil || !slices.Equal(got.Summaries, want) || got.SaidIn != nil {
		t.Errorf("Recall = %+v, %v, want %+v", got.Talk, err, want)
	}
	_, past := resume(t, s, name)
	if !slices.Equal(past.State.Summaries, want) {
		t.Errorf("a resume knows %+v, want %+v", past.State.Summaries, want)
	}
}

// Half a line that a crash has left costs nobody's words.
func TestWordsBehindHalfALineAreRecalled(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	state := startOf(r)
	for _, said := range []string{"one", "", "", "four"} {
		e := at(state.Next(), state.Next(), 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Said: loop.Said{Summary: said}}})
		state = state.Sum(e)
		e.Payload.(*loop.IterationFinished).State = state.Carried()
		r.Append(e)
	}
	name := r.Meta().Name
	r.Close()
	path := r.log.journal.path
	lines := strings.SplitAfter(readFile(t, path), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, `"one"`) })
	cut, _, _ := strings.Cut(strings.Replace(lines[i+1], `"iter":2`, `"iter":9`, 1), `"state"`)
	lines[i] = cut + lines[i]
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	entry, err := s.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Recall(name, entry.State)
	if want := []loop.Summary{{Iteration: 1, Text: "one"}, {Iteration: 4, Text: "four"}}; err != nil || !slices.Equal(got.Summaries, want) {
		t.Errorf("Recall = %+v, %v, want %+v", got.Summaries, err, want)
	}
}

// A line that is damaged takes its own words along, and no others.
func TestADamagedLineCostsItsOwnWords(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	state := startOf(r)
	for _, said := range []string{"one", "two", "three"} {
		e := at(state.Next(), state.Next(), 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Said: loop.Said{Summary: said}}})
		state = state.Sum(e)
		e.Payload.(*loop.IterationFinished).State = state.Carried()
		r.Append(e)
	}
	r.Close()
	path := r.log.journal.path
	text := strings.Replace(readFile(t, path), `"summary":"two"`, `"summary":"forged"`, 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	entry, err := s.Load(r.Meta().Name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Recall(r.Meta().Name, entry.State)
	if want := []loop.Summary{{Iteration: 1, Text: "one"}, {Iteration: 3, Text: "three"}}; err != nil || !slices.Equal(got.Summaries, want) {
		t.Errorf("Recall = %+v, %v, want %+v", got.Summaries, err, want)
	}
}
