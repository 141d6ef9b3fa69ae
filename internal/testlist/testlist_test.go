package testlist

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
)

func TestOrder(t *testing.T) {
	report := &tests.Report{
		Named: []tests.Test{
			{Name: "quick", Status: tests.Passed, Duration: time.Millisecond},
			{Name: "skipped", Status: tests.Skipped},
			{Name: "slow", Status: tests.Passed, Duration: time.Second},
			{Name: "broken", Status: tests.Failed, Error: true},
			{Name: "wrong", Status: tests.Failed},
		},
		Failing: []tests.Test{
			{Name: "wrong", Message: "want 3", Duration: 2 * time.Millisecond},
			{Name: "wrong", Message: "said again"},
			{Name: "broken", Message: "no such file"},
		},
	}
	l, ok := New(report, &loop.Tests{Total: 7, Passed: 4, Failed: 2, Skipped: 1}, nil)
	want := "[{wrong failed 2ms want 3} {broken error 0s no such file} {slow passed 1s } {quick passed 1ms } {skipped skipped 0s }]"
	if got := said(l.Tests); !ok || got != want {
		t.Errorf("tests = %s, %v; want %s", got, ok, want)
	}
	if l.Unlisted() != 2 || l.Cut {
		t.Errorf("unlisted %d, cut: %v; want the two that nobody named", l.Unlisted(), l.Cut)
	}
}

func said(list []loop.Test) string {
	var words []string
	for _, t := range list {
		words = append(words, fmt.Sprintf("{%s %s %s %s}", t.Name, t.Status, t.Duration.Duration(), t.Message))
	}
	return "[" + strings.Join(words, " ") + "]"
}

func TestOfAProgramsOwnGate(t *testing.T) {
	counted := &loop.Tests{Total: 3, Passed: 1, Failed: 2, Failing: []string{"a", "b"}}
	l, _ := New(nil, counted, nil)
	if got, want := said(l.Tests), "[{a failed 0s } {b failed 0s }]"; got != want {
		t.Errorf("tests = %s, want %s", got, want)
	}
	l, _ = New(nil, counted, []loop.Test{{Name: "c\xff", Status: loop.StatusPassed}, {Name: "a", Status: loop.StatusFailed, Message: strings.Repeat("x", 1000)}})
	if got, want := said(l.Tests), "[{a failed 0s "+strings.Repeat("x", maxText)+"} {c\ufffd passed 0s }]"; got != want {
		t.Errorf("tests = %s, want %s", got, want)
	}
	l, ok := New(nil, nil, []loop.Test{{Name: "a", Status: loop.StatusPassed}, {Name: "b", Status: loop.StatusError}, {Name: "c", Status: loop.StatusSkipped}, {Name: "d", Status: loop.StatusFailed}})
	if !ok || l.Total != 4 || l.Passed != 1 || l.Failed != 2 || l.Skipped != 1 {
		t.Errorf("counts of a list = %+v, %v", l, ok)
	}
	if _, ok := New(nil, nil, nil); ok {
		t.Error("no tests are a look")
	}
}

// Whatever there is too much of, failing tests stay.
func TestBounds(t *testing.T) {
	report := &tests.Report{MoreNamed: true, Failing: []tests.Test{{Name: "late", Message: "no"}}}
	for i := range 2 * maxTests {
		report.Named = append(report.Named, tests.Test{Name: fmt.Sprint(i), Status: tests.Passed})
	}
	l, _ := New(report, &loop.Tests{Total: 50000}, nil)
	if len(l.Tests) != maxTests || !l.Cut || l.Tests[0].Name != "late" || l.Tests[0].Status != loop.StatusFailed || l.Unlisted() != 50000-maxTests {
		t.Errorf("%d tests, cut: %v, first %+v, unlisted %d", len(l.Tests), l.Cut, l.Tests[0], l.Unlisted())
	}
	for i := range report.Named {
		report.Named[i].Name = fmt.Sprint(i, strings.Repeat("x", 490))
	}
	l, _ = New(report, &loop.Tests{Total: 50000}, nil)
	var b bytes.Buffer
	if err := l.Write(&b); err != nil || b.Len() > maxBytes*3/2 || !l.Cut || l.Tests[0].Name != "late" {
		t.Errorf("%d bytes, cut: %v, %v", b.Len(), l.Cut, err)
	}
}

func TestRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "run-1", "iterations", "0001")
	if list, err := Read(t.Context(), dir); list != nil || err != nil {
		t.Errorf("Read of no folder = %v, %v", list, err)
	}
	for name, text := range map[string]string{
		"test.clean.tests.jsonl":        `{"gate":"test","where":"clean","total":1}` + "\n" + `{"gate":"test","where":"clean","total":2}` + "\n" + `{"gate":"test","whe`,
		"torn.tests.jsonl":              `{"gate":"torn","where":"workspace","tot{"gate":"torn","where":"workspace","total":5}` + "\nno list\n" + `{"gate":"torn","where":"workspace","total":6}` + "\n",
		"test.tests.jsonl":              `{"gate":"test","where":"workspace","total":3}` + "\n",
		"a.as-it-was.clean.tests.jsonl": `{"gate":"a","where":"clean","with":"as-it-was","total":4}` + "\n",
		"test.log":                      "no list",
	} {
		path := filepath.Join(dir, "gates", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Read(t.Context(), dir)
	var got []int
	for _, l := range list {
		got = append(got, l.Total)
	}
	if fmt.Sprint(got) != "[3 1 2 5 6 4]" || err == nil {
		t.Errorf("Read = %v, %v; want the work tree, where a line goes on after half a one, the clean checkout twice, the other tree, and nothing of the line without an end", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "gates", "bad.tests.jsonl"), []byte("{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "gates", "out.tests.jsonl")); err != nil {
		t.Skip("no links here")
	}
	list, err = Read(t.Context(), dir)
	if len(list) != 6 || err == nil || !strings.Contains(err.Error(), "bad.tests.jsonl: ") || !strings.Contains(err.Error(), "out.tests.jsonl: it is a link that leads out of the tree") {
		t.Errorf("Read = %d looks, %v; want those that can be read, and the names of the files that cannot", len(list), err)
	}
}
