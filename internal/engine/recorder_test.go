package engine

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/redact"
)

type seen []loop.Event

func (s *seen) Observe(e loop.Event) { *s = append(*s, e) }

// What is secret is in nothing that is written, added up or shown; what something
// is known by stays.
func TestSecretsAreNotRecorded(t *testing.T) {
	const key = "4f9a82cc1d0e77b64f9a82cc1d0e77b64f9a82cc" // it may as well be a commit
	var shown seen
	var written []loop.Event
	r := newRecorder(Options{Clock: wall{}, Observers: []Observer{&shown}, Hide: redact.New([]redact.Secret{{Name: "CACHE_KEY", Value: key}})})
	r.log = func(list []loop.Event) { written = append(written, list...) }
	r.heard = func(loop.Type, loop.Status) {}

	outcome := loop.Outcome{Result: loop.Failed, Said: loop.Said{Summary: "used " + key}, Error: &loop.AgentError{Kind: loop.ErrAgent, Message: key}}
	outcome.Gates = []loop.Gate{{Name: "test", Why: "refused " + key, Tree: key}}
	outcome.Checkpoint, outcome.Session = key, key
	raw := &loop.IterationFinished{Outcome: outcome}
	r.Record(&loop.NoteAdded{Text: "use " + key}, &loop.AgentText{Text: key})
	r.Record(&loop.CheckpointMade{Checkpoint: key, Tree: key})
	r.Record(raw)

	if len(written) != 4 || len(shown) != 4 {
		t.Fatalf("%d events were written and %d shown, want 4", len(written), len(shown))
	}
	for i := range written {
		for _, e := range []loop.Event{written[i], shown[i]} {
			b, err := json.Marshal(e.Payload)
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.ReplaceAll(string(b), `"`+key+`"`, ""); strings.Contains(text, key) { // alone it is a name
				t.Errorf("%s has the key: %s", e.Type(), b)
			}
		}
	}
	finished := written[3].Payload.(*loop.IterationFinished)
	if finished.Outcome.Checkpoint != key || finished.Outcome.Session != key || finished.Outcome.Gates[0].Tree != key || written[2].Payload.(*loop.CheckpointMade).Checkpoint != key {
		t.Errorf("what something is known by was lost: %+v", finished.Outcome)
	}
	if finished.Outcome.Error.Message != "***CACHE_KEY***" || finished.Outcome.Summary != "used ***CACHE_KEY***" {
		t.Errorf("recorded %+v", finished.Outcome)
	}
	if raw.Outcome.Error.Message != key {
		t.Error("the caller's own outcome was changed")
	}
	if !reflect.DeepEqual(finished.State, r.State().Carried()) {
		t.Errorf("the state is %+v, and the journal says %+v", r.State(), finished.State)
	}
	if got := r.Event(&loop.NoteAdded{Text: key}).Payload.(*loop.NoteAdded).Text; got != "***CACHE_KEY***" {
		t.Errorf("a hook would be told %q", got)
	}
}
