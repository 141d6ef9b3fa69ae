package ledger

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// However a line is written, what every event has is found in it.
func TestBeginningsOfLines(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       Line
		scanned    bool
	}{
		{"as we write them", `{"seq":7,"time":"T","run":"r","iter":3,"attempt":2,"type":"agent.text","text":"a"}`, Line{Seq: 7, Time: "T", Iter: 3, Attempt: 2, Type: "agent.text"}, true},
		{"of no iteration", `{"seq":7,"time":"T","run":"r","type":"run.paused"}`, Line{Seq: 7, Time: "T", Type: "run.paused"}, true},
		{"with something escaped", `{"seq":7,"time":"T","run":"\"r","iter":3,"type":"a\u002eb","text":"a"}`, Line{Seq: 7, Time: "T", Iter: 3, Type: "a.b"}, false},
		{"in another order", `{"type":"x","iter":3,"seq":7,"time":"T"}`, Line{Seq: 7, Time: "T", Iter: 3, Type: "x"}, false},
		{"with blanks", `{"seq": 7, "time": "T", "type": "x"}`, Line{Seq: 7, Time: "T", Type: "x"}, false},
		{"below zero", `{"seq":7,"time":"T","run":"r","iter":-3,"type":"x"}`, Line{Seq: 7, Time: "T", Iter: -3, Type: "x"}, false},
	} {
		got, ok := parse([]byte(tt.line))
		if !ok || got.Seq != tt.want.Seq || got.Time != tt.want.Time || got.Iter != tt.want.Iter || got.Attempt != tt.want.Attempt || got.Type != tt.want.Type {
			t.Errorf("%s: %+v, %v", tt.name, got, ok)
		}
		if _, ok := scan([]byte(tt.line)); ok != tt.scanned {
			t.Errorf("%s: the quick way took it: %v", tt.name, ok)
		}
	}
	for _, bad := range []string{``, `{`, `{"seq":7`, `{"seq":7,"time":"T","run":"r","type":"x`, `{"seq":99999999999999999999,"time":"T","run":"r","type":"x"}`, `{"seq":,"time":"T","run":"r","type":"x"}`, `{"seq":7,"time":"T","run":"r"}`} {
		if got, ok := parse([]byte(bad)); ok {
			t.Errorf("%s was read as %+v", bad, got)
		}
	}
}

// What is read the quick way is what is read in full.
func TestQuickIsAsGoodAsWhole(t *testing.T) {
	at := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	tricky := `he said ,"state":{"totals":{"iterations":9}}, and "type":"x"`
	for _, p := range []loop.Payload{
		&loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Said: loop.Said{Summary: tricky}}, Verdict: loop.Verdict{Action: loop.Continue, Why: tricky}, State: loop.State{Totals: loop.Totals{OK: 3}}},
		&loop.CheckpointMade{Checkpoint: "c1"},
		&loop.Warning{Text: tricky},
		&loop.RunPaused{},
	} {
		raw, err := journal.Encode(loop.Event{Seq: 4, Time: at, Run: "r", Iter: 1, Attempt: 1, Payload: p})
		if err != nil {
			t.Fatal(err)
		}
		line, ok := scan(raw)
		if !ok {
			t.Fatalf("%s cannot be scanned", raw)
		}
		want, err := line.Event()
		if err != nil {
			t.Fatal(err)
		}
		got, err := line.event(at)
		if got.Run = want.Run; err != nil || asText(t, got) != asText(t, want) {
			t.Errorf("%s was read as %s, %v", raw, asText(t, got), err)
		}
		if whole, is := p.(*loop.IterationFinished); is {
			f, err := line.finished()
			if err != nil || f.Outcome.Summary != whole.Outcome.Summary || f.Verdict.Why != tricky {
				t.Errorf("%s ended with %+v, %v", raw, f, err)
			}
		}
	}
	for _, rest := range []string{`"state":{"totals":{}},"outcome":{"result":"ok"}`, `"new":1,"verdict":{},"state":{"totals":{}},"outcome":{"result":"ok"}`} {
		line, _ := parse([]byte(`{"seq":7,"time":"T","run":"r","type":"iteration.finished",` + rest + `}`))
		if f, err := line.finished(); err != nil || f.Outcome.Result != loop.OK {
			t.Errorf("in another order, %s, it ended with %+v, %v", rest, f, err)
		}
	}
}

func asText(t *testing.T, e loop.Event) string {
	t.Helper()
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
