package journal

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

// recorded are the lines of all journals, and of all that agents said, in the runs
// that were recorded with earlier versions.
func recorded(t testing.TB) (lines [][]byte) {
	t.Helper()
	packed, err := filepath.Glob("../cli/testdata/recorded/*.tar.gz")
	if err != nil || len(packed) == 0 {
		t.Fatalf("%v, %v", packed, err)
	}
	for _, name := range packed {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for r := tar.NewReader(z); ; {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if base := path.Base(h.Name); base != journalName && base != eventsName {
				continue
			}
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(b) {
				lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
			}
		}
	}
	return lines
}

// ours are lines as this version writes them: of each type, empty and full.
func ours(t testing.TB) (lines [][]byte) {
	t.Helper()
	for _, typ := range loop.Types() {
		full := loop.NewPayload(typ)
		fill(reflect.ValueOf(full).Elem())
		for i, p := range []loop.Payload{loop.NewPayload(typ), full} {
			for _, its := range []string{"", strings.Repeat("0", 32)} {
				line, err := Encode(loop.Event{Seq: 7, Time: noon, Run: "loop_1", Iter: i, Attempt: i, Payload: p, Seal: its})
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// check sees that a line which is kept is what comes of reading and writing it.
func (a *asIs) check(t rapid.TB, text []byte) (kept bool) {
	t.Helper()
	line, ok := scanLine(text)
	if !ok || !a.keeps(line) {
		return false
	}
	e, err := Decode(text)
	if err != nil {
		t.Fatalf("%s is kept, and cannot be read: %v", text, err)
	}
	again, err := Encode(e)
	if err != nil || !bytes.Equal(again, text) {
		t.Fatalf("%s is kept, and written as\n%s, %v", text, again, err)
	}
	return true
}

func TestALineIsKeptOnlyWhereItIsWrittenSo(t *testing.T) {
	var a asIs
	all := recorded(t)
	kept := 0
	for _, line := range all {
		if a.check(t, line) {
			kept++
		}
	}
	t.Logf("%d of %d recorded lines are kept, of %d shapes", kept, len(all), len(a.known))
	if kept < len(all)/2 {
		t.Errorf("only %d of %d recorded lines are kept", kept, len(all))
	}
	for _, line := range ours(t) {
		// Some letters are put in a way that takes a second look.
		if !a.check(t, line) && !bytes.Contains(line, []byte(`\u2028`)) {
			t.Errorf("%s is not kept", line)
		}
	}
	for _, line := range []string{
		`{"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"r","type":"run.paused", "x":1}`,
		`{"seq":1,"time":"2026-11-05T12:00:00Z","run":"r","type":"run.paused"}`,
		`{"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"r","iter":0,"type":"run.paused"}`,
		`{"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"r","type":"warning","text":"a\/b"}`,
		`{"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"r","type":"warning","text":"a","more":1}`,
		`{"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"r","type":"warning"}`,
		`{"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"r","type":"agent.text","text":"a","seal":"0"}`,
		"{\"seq\":1,\"time\":\"2026-11-05T12:00:00.000Z\",\"run\":\"r\",\"type\":\"agent.text\",\"text\":\"\xff\"}",
		"{\"seq\":1,\"time\":\"2026-11-05T12:00:00.000Z\",\"run\":\"r\",\"type\":\"agent.text\",\"text\":\"\u2028\"}",
		`{"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"r","type":"agent.text","text":"a"}x`,
		`{"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"r","type":"agent.text","text":"a","text":"b"}`,
	} {
		if a.check(t, []byte(line)) {
			t.Errorf("%s is kept", line)
		}
	}
}

// Whatever becomes of lines: one that is kept is what comes of reading and writing it,
// whichever were seen before.
func TestALineThatWasChangedIsKeptOnlyWhereItIsWrittenSo(t *testing.T) {
	lines := append(recorded(t), ours(t)...)
	pieces := []string{`0`, `1`, `-`, `.5`, `1.0`, `e9`, `"`, `,`, `null`, `true`, `{}`, `[]`, `[1]`, `""`, `"a"`, `\`, `\u0041`, `,"x":1`, "\u2028", "\xff", `"2026-11-05T12:00:00Z"`, `"2026-11-05T12:00:00.10Z"`, `00`, `12345678901234567890`}
	var a asIs
	rapid.Check(t, func(t *rapid.T) {
		line := bytes.Clone(rapid.SampledFrom(lines).Draw(t, "line"))
		a.check(t, line)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			i := rapid.IntRange(0, len(line)).Draw(t, "at")
			n := rapid.IntRange(0, min(4, len(line)-i)).Draw(t, "instead of")
			line = []byte(string(line[:i]) + rapid.SampledFrom(pieces).Draw(t, "piece") + string(line[i+n:]))
		}
		a.check(t, line)
	})
}

func TestAllToEncodeIsAllEvents(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	state := startOf(r)
	for i := 1; i <= 3; i++ {
		r.Append(at(i, i, 1, &loop.IterationStarted{Max: 3}))
		r.Append(at(i, i, 1, &loop.AgentText{Text: "he said \"x\"\n\u2028"}))
		r.Append(at(i, i, 1, &loop.AgentTool{Name: "Bash", Input: "ls", Shell: true}))
		state = finish(r, state, 1)
	}
	r.Append(at(99, 0, 0, &loop.RunFinished{State: loop.Done, Elapsed: loop.Millis(time.Second)}))
	r.Close()
	journal := filepath.Join(r.Dir(), journalName)
	for _, tt := range []struct {
		what string
		act  func()
	}{
		{"as it is", func() {}},
		{"with others", func() {
			appendTo(t, journal, "{\"seq\":99,\"time\":\"2026-11-05T12:00:00.000Z\",\"run\":\"r\",\"type\":\"run.paused\"}\nnonsense\n")
		}},
		{"without a key", func() { os.Remove(s.Keys().File()) }},
	} {
		tt.act()
		s, err := OpenIn(filepath.Dir(s.Keys().File()), s.Tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, after := range []int64{0, 3, 7} {
			var want, got []string
			for e, err := range s.AllEvents("build-1", after) {
				want = append(want, encoded(t, e, err))
			}
			for e, err := range AllToEncode(s, "build-1", after) {
				got = append(got, encoded(t, e, err))
			}
			if len(want) == 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, after %d:\n%s\nwant\n%s", tt.what, after, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

func encoded(t *testing.T, e loop.Event, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	line, err := Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}
