package conformance

import (
	"slices"
	"strings"
	"testing"
)

func TestHear(t *testing.T) {
	const events = `{"Action":"start","Package":"p"}
{"Action":"build-output","ImportPath":"q","Output":"q.go:1: what?\n"}
{"Action":"output","Package":"p","Test":"TestStories/rooda/good","Output":"fine\n"}
{"Action":"pass","Package":"p","Test":"TestStories/rooda/good"}
{"Action":"output","Package":"p","Test":"TestStories/rooda/bad","Output":"oh no\n"}
{"Action":"fail","Package":"p","Test":"TestStories/rooda/bad"}
{"Action":"skip","Package":"p","Test":"TestStories/rooda/later"}
`
	var told strings.Builder
	got, err := Hear(strings.NewReader(events), &told)
	if err != nil {
		t.Fatal(err)
	}
	for test, want := range map[string]string{"good": "pass", "bad": "fail", "later": "skip"} {
		if how := got["TestStories/rooda/"+test]; how != want {
			t.Errorf("%s ended with %q, want %q", test, how, want)
		}
	}
	if want := "q.go:1: what?\noh no\n"; told.String() != want {
		t.Errorf("told %q, want %q", told.String(), want)
	}
	if _, err := Hear(strings.NewReader("FAIL\n"), &told); err == nil {
		t.Error("Hear of what is no JSON is no error")
	}
}

func TestScore(t *testing.T) {
	limits := Story{Path: "limits", Test: "limits", System: "rooda", Shown: []Shown{{Row: "LIM-01", Line: 1}}}
	hooks := Story{Path: "hooks", Test: "hooks", Shown: []Shown{{Row: "HOOK-01", Line: 1}}}
	broken := LeftOut{ID: "HOOK-01", Kind: Broken, Why: "oh"}
	both := []Story{limits, hooks}
	tests := []struct {
		name    string
		books   Books
		results Results
		want    []string
	}{
		{"all passed", shelf(both), Results{"limits": "pass", "hooks": "pass"}, nil},
		{
			"one failed", shelf(both),
			Results{"limits": "pass", "hooks": "fail"},
			[]string{"hooks failed", "HOOK-01 has no story that passed: hooks"},
		},
		{
			"one was skipped", shelf(both),
			Results{"limits": "pass", "hooks": "skip"},
			[]string{"HOOK-01 has no story that passed: hooks"},
		},
		{
			"one was never told", shelf(both),
			Results{"limits": "pass"},
			[]string{"hooks was not told", "HOOK-01 has no story that passed: hooks"},
		},
		{"the story of a broken row is skipped", shelf(both, broken), Results{"limits": "pass", "hooks": "skip"}, nil},
		{
			"a broken row is mended", shelf(both, broken),
			Results{"limits": "pass", "hooks": "pass"},
			[]string{"HOOK-01 is called broken, but its story passes"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.books.Score(tt.results).Wrong(); !slices.Equal(got, tt.want) {
				t.Errorf("Wrong() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPrint(t *testing.T) {
	limits := Story{Path: "limits", Test: "limits", Shown: []Shown{{Row: "LIM-01", Line: 1}}}
	var b strings.Builder
	shelf([]Story{limits}, LeftOut{ID: "HOOK-01", Kind: Later, Why: "soon"}).Score(Results{"limits": "pass"}).Print(&b)
	want := `
             rows  covered  later  apart  broken  missing    share
  tachikoma     1        1      0      0       0        0  100.0 %
      rooda     1        1      0      0       0        0  100.0 %
    fresher     1        0      1      0       0        0    0.0 %
  descartes     0        0      0      0       0        0    0.0 %
        all     2        1      1      0       0        0   50.0 %

Left out, later:
  HOOK-01   hooks → soon
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
}
