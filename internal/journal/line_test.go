package journal

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

// However a line is written, what every event has is found in it.
func TestBeginningsOfLines(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       Line
		scanned    bool
	}{
		{"as we write them", `{"seq":7,"time":"T","run":"r","iter":3,"attempt":2,"type":"agent.text","text":"a"}`, Line{Seq: 7, time: []byte("T"), Iter: 3, Attempt: 2, Type: "agent.text"}, true},
		{"of no iteration", `{"seq":7,"time":"T","run":"r","type":"run.paused"}`, Line{Seq: 7, time: []byte("T"), Type: "run.paused"}, true},
		{"of a type that we do not know", `{"seq":7,"time":"T","run":"r","type":"run.flown"}`, Line{Seq: 7, time: []byte("T"), Type: "run.flown"}, true},
		{"with something escaped", `{"seq":7,"time":"T","run":"\"r","iter":3,"type":"a\u002eb","text":"a"}`, Line{Seq: 7, time: []byte("T"), Iter: 3, Type: "a.b"}, false},
		{"in another order", `{"type":"x","iter":3,"seq":7,"time":"T"}`, Line{Seq: 7, time: []byte("T"), Iter: 3, Type: "x"}, false},
		{"with blanks", `{"seq": 7, "time": "T", "type": "x"}`, Line{Seq: 7, time: []byte("T"), Type: "x"}, false},
		{"below zero", `{"seq":7,"time":"T","run":"r","iter":-3,"type":"x"}`, Line{Seq: 7, time: []byte("T"), Iter: -3, Type: "x"}, false},
		{"with letters of others", `{"seq":7,"time":"T","run":"ö","type":"x"}`, Line{Seq: 7, time: []byte("T"), Type: "x"}, false},
	} {
		got, ok := ParseLine([]byte(tt.line))
		if !ok || got.Seq != tt.want.Seq || string(got.time) != string(tt.want.time) || got.Iter != tt.want.Iter || got.Attempt != tt.want.Attempt || got.Type != tt.want.Type {
			t.Errorf("%s: %+v, %v", tt.name, got, ok)
		}
		if _, ok := scanLine([]byte(tt.line)); ok != tt.scanned {
			t.Errorf("%s: the quick way took it: %v", tt.name, ok)
		}
	}
	for _, bad := range []string{
		``, `{`, `{"seq":7`, `{"seq":7,"time":"T","run":"r","type":"x`, `{"seq":99999999999999999999,"time":"T","run":"r","type":"x"}`,
		`{"seq":,"time":"T","run":"r","type":"x"}`, `{"seq":7,"time":"T","run":"r"}`, `{"seq":07,"time":"T","run":"r","type":"x"}`,
	} {
		if got, ok := ParseLine([]byte(bad)); ok {
			t.Errorf("%s was read as %+v", bad, got)
		}
	}
}

// tricky is a text that looks like what is looked for.
const tricky = `he said ,"state":{"totals":{"iterations":9}}, and "type":"x"`

// What is read in brief is what is read in full, but for the state.
func TestBriefIsAsGoodAsWhole(t *testing.T) {
	for _, p := range []loop.Payload{
		&loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Said: loop.Said{Summary: tricky}}, Verdict: loop.Verdict{Action: loop.Continue, Why: tricky}, State: loop.State{Totals: loop.Totals{OK: 3}}},
		&loop.CheckpointMade{Checkpoint: "c1"},
		&loop.Warning{Text: tricky},
		&loop.RunPaused{},
	} {
		raw, err := Encode(loop.Event{Seq: 4, Time: noon, Run: "r", Iter: 1, Attempt: 1, Payload: p, Seal: strings.Repeat("0", 32)})
		if err != nil {
			t.Fatal(err)
		}
		line, ok := scanLine(raw)
		if !ok {
			t.Fatalf("%s cannot be scanned", raw)
		}
		want, err := line.Event()
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := want.Payload.(*loop.IterationFinished); ok {
			f.State = loop.State{}
		}
		if got, err := line.Brief(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s was read as %+v, %v", raw, got, err)
		}
	}
	for _, rest := range []string{`"state":{"totals":{}},"outcome":{"result":"ok"}`, `"new":1,"verdict":{},"state":{"totals":{}},"outcome":{"result":"ok"}`} {
		line, _ := ParseLine([]byte(`{"seq":7,"time":"2026-11-15T12:00:00.000Z","run":"r","type":"iteration.finished",` + rest + `}`))
		if e, err := line.Brief(); err != nil || e.Payload.(*loop.IterationFinished).Outcome.Result != loop.OK {
			t.Errorf("in another order, %s, it is %+v, %v", rest, e, err)
		}
	}
}

// Behind half a line that a crash has left, the event that follows it is found, however
// little is wanted of it.
func TestBriefFindsAnEventBehindHalfALine(t *testing.T) {
	half := `{"seq":4,"time":"2026-11-15T12:00:00.000Z","run":"r","iter":1,"attempt":1,"type":"iteration.finished","outcome":{"result":"ok"},"verdict":{"action":"continue"},"state":{"totals":{"ok":3,"fai`
	for _, known := range []bool{true, false} {
		line, _ := scanLine([]byte(half + `led":0`))
		if e, whole, err := line.read(line.Raw, known); err == nil || whole {
			t.Errorf("half a line is read as %+v", e)
		}
	}
	line := Line{}
	e, whole, err := line.read([]byte(half+`{"seq":5,"time":"2026-11-15T12:00:01.000Z","run":"r","type":"run.paused"}`), true)
	if err != nil || whole || e.Seq != 5 {
		t.Errorf("it is read as %+v, whole: %v, %v", e, whole, err)
	}
	line, _ = scanLine([]byte(half + `{"seq":5,"time":"2026-11-15T12:00:01.000Z","run":"r","type":"run.paused"}`))
	if e, whole, err = line.read(line.Raw, true); err != nil || whole || e.Seq != 5 {
		t.Errorf("scanned, it is read as %+v, whole: %v, %v", e, whole, err)
	}
}

// Whatever stands in a line: what is read in brief is what Decode reads, but for the
// state; and what Decode cannot read is not read in brief, unless it is that which is
// wrong with it.
func FuzzBrief(f *testing.F) {
	for _, rest := range []string{
		`"max":3}`, `"phase":"gates","seal":"00000000000000000000000000000000"}`, `"exit":{"code":0,"cause":"exited"},"duration_ms":17}`,
		`"outcome":{"result":"ok","summary":"\ud800 \u00e9 é"},"verdict":{"action":"continue"},"state":{"totals":{"ok":1}}}`,
		`"outcome":{"result":"ok","Result":"failed","duration_ms":1e3},"verdict":{"action":"continue","for_ms":-1},"state":{"totals":{"ok":1}}}`,
	} {
		for _, kind := range []string{"iteration.started", "iteration.phase", "agent.exited", "iteration.finished", "warning", "run.flown"} {
			f.Add(kind, rest)
		}
	}
	f.Fuzz(func(t *testing.T, kind, rest string) {
		raw := []byte(`{"seq":7,"time":"2026-11-15T12:00:00.000Z","run":"r","iter":3,"attempt":2,"type":"` + kind + `",` + rest)
		line, ok := scanLine(raw)
		if !ok {
			return
		}
		was := string(raw)
		got, gotErr := line.Brief()
		if string(raw) != was {
			t.Fatalf("%s became %s", was, raw)
		}
		want, wantErr := Decode(raw)
		if wantErr != nil {
			if _, finished := got.Payload.(*loop.IterationFinished); gotErr == nil && !finished {
				t.Fatalf("%s is read as %+v, and in full it is %v", raw, got, wantErr)
			}
			return
		}
		for _, e := range []*loop.Event{&got, &want} {
			if p, ok := e.Payload.(*loop.IterationFinished); ok {
				p.State = loop.State{}
			}
		}
		if gotErr != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is read as %s, %v, want %s", raw, asJSON(t, got), gotErr, asJSON(t, want))
		}
	})
}

// Who asks for a part of a journal gets what a reader of all of it would pick out,
// whatever somebody has done to it.
func TestAPartIsPickedOutOfTheWhole(t *testing.T) {
	s := sealedStore(t)
	path, lines := written(t, s)
	half := `{"seq":90,"time":"2026-11-15T12:00:00.000Z","run":"r","iter":1,"attempt":1,"type":"iteration.fin`
	rapid.Check(t, func(t *rapid.T) {
		now := slices.Clone(lines)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			i := rapid.IntRange(0, len(now)-1).Draw(t, "line")
			switch rapid.IntRange(0, 5).Draw(t, "how") {
			case 0:
				now[i] = strings.Replace(now[i], `"ok"`, `"OK"`, 1)
			case 1:
				now = slices.Insert(now, i, strings.Replace(now[rapid.IntRange(0, len(now)-1).Draw(t, "like")], `"seal":"`, `"seal":"0`, 1))
			case 2:
				now = slices.Insert(now, i, now[rapid.IntRange(0, len(now)-1).Draw(t, "copied")])
			case 3:
				now[i] = half + now[i]
			case 4:
				now = slices.Insert(now, i, half+"\n")
			case 5:
				now = slices.Delete(now, i, min(i+rapid.IntRange(1, 3).Draw(t, "taken"), len(now)))
			}
			if len(now) == 0 {
				now = slices.Clone(lines)
			}
		}
		if err := os.WriteFile(path, []byte(strings.Join(now, "")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		want := Reading{
			After:     int64(rapid.IntRange(0, 8).Draw(t, "after")),
			Iteration: rapid.IntRange(0, 4).Draw(t, "iteration"),
			Types:     rapid.SliceOfN(rapid.SampledFrom([]loop.Type{"run.started", "iteration.started", "iteration.finished", "run.finished"}), 0, 2).Draw(t, "types"),
		}
		all, err := story.Collect(s.Events("build-1", 0))
		if corrupt := (*CorruptError)(nil); errors.As(err, &corrupt) {
			return // not one event is left
		}
		all = slices.DeleteFunc(all, func(e loop.Event) bool { return !want.wants(e.Seq, e.Iter, e.Type()) })
		got, gotErr := story.Collect(s.Read("build-1", want))
		if err != nil || gotErr != nil || !reflect.DeepEqual(got, all) && len(got)+len(all) > 0 {
			t.Fatalf("%+v gives %v, %v, want %v, %v of\n%s", want, types(got), gotErr, types(all), err, strings.Join(now, ""))
		}
	})
}
