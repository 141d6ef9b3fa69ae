//go:build unix

package refrain_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain"
)

// threeIterations is a run in a repository: one file more in each iteration.
func threeIterations(t *testing.T) (dir string, r refrain.Result) {
	t.Helper()
	dir = gitTree(t)
	return dir, run(t, refrain.Options{
		Dir: dir, Prompt: "Count", MaxIterations: 3, Settings: map[string]string{"loop.exit_zero_is_done": "false"},
		Command: script(`echo "number $REFRAIN_ITERATION"; echo careful >&2; echo $REFRAIN_ITERATION > file-$REFRAIN_ITERATION; test $REFRAIN_ITERATION != 2`),
	})
}

func TestARunThatIsOverCanBeReadInFull(t *testing.T) {
	t.Parallel()
	dir, r := threeIterations(t)
	record, err := refrain.Open(dir, r.Run)
	if err != nil {
		t.Fatal(err)
	}
	if record.Run != r.Run || record.ID != r.ID || record.Dir != r.Dir || record.Procedure != "run" || record.Started.IsZero() || record.Live() {
		t.Errorf("record = %+v, live %v; want %s, over", record, record.Live(), r.Run)
	}
	again, err := record.Result()
	if err != nil || again.State != r.State || again.Reason != r.Reason || again.Totals != r.Totals || again.Elapsed != r.Elapsed || again.Output != "number 3" || r.Output != again.Output {
		t.Errorf("Result = %+v, %v; want %+v", again, err, r)
	}
	snapshot, err := record.Snapshot()
	if err != nil || snapshot.State != refrain.Exhausted && snapshot.State != r.State || snapshot.Totals.Iterations != 3 {
		t.Errorf("Snapshot = %+v, %v", snapshot, err)
	}
	if stats, err := record.Stats(); err != nil || stats.Totals.Failed != 1 || stats.Durations.N != 3 {
		t.Errorf("Stats = %+v, %v", stats, err)
	}

	var numbers []int
	for i, err := range record.Iterations() {
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, i.Number)
	}
	latest, err := record.Latest(2)
	if err != nil || !slices.Equal(numbers, []int{1, 2, 3}) || len(latest) != 2 || latest[0].Number != 3 || latest[1].Number != 2 {
		t.Errorf("Iterations = %v, Latest = %+v, %v", numbers, latest, err)
	}
	second, err := record.Iteration(2)
	if err != nil || second.Outcome.Result != refrain.Failed || second.Attempt != 1 || second.Ended.IsZero() {
		t.Errorf("Iteration(2) = %+v, %v; want the one that failed", second, err)
	}
	var missing *refrain.NotFoundError
	if _, err := record.Iteration(9); !errors.As(err, &missing) {
		t.Errorf("Iteration(9) = %v, want a *NotFoundError", err)
	}
	if _, err := os.Stat(filepath.Join(second.Dir, "prompt.md")); err != nil {
		t.Error(err)
	}
}

func TestWhatAnIterationLeftCanBeRead(t *testing.T) {
	t.Parallel()
	dir, r := threeIterations(t)
	record, err := refrain.Open(dir, "")
	if err != nil || record.Run != r.Run {
		t.Fatalf("Open of the latest = %+v, %v", record, err)
	}
	text := func(file io.ReadCloser, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		b, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := text(record.Transcript(2, 0)); got != "number 2\n" {
		t.Errorf("Transcript = %q", got)
	}
	if got := text(record.Stderr(2, 1)); got != "careful\n" {
		t.Errorf("Stderr = %q", got)
	}
	if got := text(record.Prompt(2, 0)); !strings.HasPrefix(got, "Count") {
		t.Errorf("Prompt = %q", got)
	}
	if got := text(record.Diff(t.Context(), 3)); !strings.Contains(got, "+++ b/file-3") || strings.Contains(got, "file-2") {
		t.Errorf("Diff(3) = %s", got)
	}
	if got := text(record.Diff(t.Context(), 0)); !strings.Contains(got, "file-1") || !strings.Contains(got, "file-3") {
		t.Errorf("Diff(0) = %s", got)
	}
	diff, err := record.Diff(t.Context(), 0)
	if err != nil || diff.Close() != nil { // nobody has to read it
		t.Error(err)
	}
	if _, err := record.Transcript(2, 7); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Transcript of no attempt = %v", err)
	}
	var missing *refrain.NotFoundError
	if _, err := record.Transcript(9, 0); !errors.As(err, &missing) {
		t.Errorf("Transcript of no iteration = %v", err)
	}
	var usage *refrain.UsageError
	if _, err := record.Diff(t.Context(), 9); !errors.As(err, &usage) {
		t.Errorf("Diff of no iteration = %v", err)
	}
}

func TestEventsOfARunThatIsOver(t *testing.T) {
	t.Parallel()
	dir, r := threeIterations(t)
	record, err := refrain.Open(dir, r.Run)
	if err != nil {
		t.Fatal(err)
	}
	var last int64
	types := map[refrain.EventType]int{}
	for e, err := range record.Events(0) {
		if err != nil || e.Seq != last+1 {
			t.Fatalf("event %d, %v after %d", e.Seq, err, last)
		}
		last = e.Seq
		types[e.Type()]++
	}
	if types["run.started"] != 1 || types["agent.text"] != 3 || types["iteration.finished"] != 3 || types["run.finished"] != 1 {
		t.Errorf("events = %v", types)
	}
	for e, err := range record.Follow(t.Context(), last-1) { // of one that is over it ends
		if err != nil || e.Seq != last {
			t.Errorf("Follow gives %d, %v; want only %d", e.Seq, err, last)
		}
	}
}

func TestRunsAreListedTheLatestFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range refrain.Runs(dir) {
		t.Error("a folder without runs has one")
	}
	var none *refrain.NotFoundError
	if _, err := refrain.Open(dir, ""); !errors.As(err, &none) {
		t.Errorf("Open without runs = %v, want a *NotFoundError", err)
	}
	for range 3 {
		run(t, refrain.Options{Dir: dir, Command: script("true")})
	}
	first, err := refrain.Open(dir, "run-1")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(first.Dir, "run.json"), "{")
	var names []string
	var bad *refrain.UnreadableError
	for r, err := range refrain.Runs(dir) {
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, r.Run)
	}
	if !slices.Equal(names, []string{"run-3", "run-2"}) || bad == nil || bad.Run != "run-1" {
		t.Errorf("runs = %v, unreadable %+v; want the damaged one named, and the others", names, bad)
	}
}

// steady is a run that works until it is told to end.
func steady(t *testing.T, o refrain.Options) (control *refrain.Control, ended <-chan refrain.Result) {
	t.Helper()
	o.Control, o.Command = refrain.NewControl(), script("sleep 1000")
	done := make(chan refrain.Result, 1)
	go func() {
		r, err := refrain.Run(context.WithoutCancel(t.Context()), o)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	for e, err := range o.Control.Subscribe(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.Payload.(*refrain.AgentStarted); ok {
			break
		}
	}
	t.Cleanup(func() { _ = o.Control.StopNow(context.Background()) }) // where the test has not
	return o.Control, done
}

func TestALiveRunIsFollowedAndSteeredByItsRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, ended := steady(t, refrain.Options{Dir: dir})
	record, err := refrain.Open(dir, "")
	if err != nil || !record.Live() {
		t.Fatalf("Open = %+v, %v; want a live one", record, err)
	}
	now, err := record.Result()
	if err != nil || now.State != refrain.Running || now.Reason != "" {
		t.Errorf("Result of a live run = %+v, %v", now, err)
	}
	control := record.Control()
	if control.State() != refrain.Running || control.Snapshot().ID != record.ID {
		t.Errorf("Snapshot = %+v", control.Snapshot())
	}
	var refused *refrain.RefusedError
	if err := control.Resume(t.Context()); !errors.As(err, &refused) || refused.Command != "resume" || refused.State != refrain.Running {
		t.Errorf("Resume of a run that runs = %v, want it refused", err)
	}
	if err := control.Note(t.Context(), "be quick"); err != nil {
		t.Fatal(err)
	}
	noted := false
	for e, err := range record.Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch p := e.Payload.(type) {
		case *refrain.NoteAdded:
			noted = p.Text == "be quick"
			go func() {
				if err := control.StopNow(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			}()
		case *refrain.RunFinished:
			if !noted || p.State != refrain.Stopped {
				t.Errorf("noted %v, finished %+v", noted, p)
			}
		}
	}
	<-ended
	if err := control.Pause(t.Context()); !errors.As(err, &refused) || refused.State != refrain.Stopped || !strings.Contains(refused.Why, "not running") {
		t.Errorf("Pause of a run that is over = %v, want it refused with how it ended", err)
	}
	var usage *refrain.UsageError
	if _, err := refrain.Run(t.Context(), refrain.Options{Dir: dir, Command: script("true"), Control: control}); !errors.As(err, &usage) {
		t.Errorf("Run with the control of another run = %v, want a *UsageError", err)
	}
}

func TestFollowingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	control, ended := steady(t, refrain.Options{Dir: dir})
	record, err := refrain.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("enough seen")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var last error
	for e, err := range record.Follow(ctx, 0) {
		if last = err; err == nil && e.Seq == 1 {
			cancel(why)
		}
	}
	if !errors.Is(last, why) {
		t.Errorf("the last error is %v, want %v", last, why)
	}
	if err := control.StopNow(t.Context()); err != nil {
		t.Error(err)
	}
	<-ended
}

func TestEventsAreDecodedAsTheyWereEncoded(t *testing.T) {
	t.Parallel()
	e := refrain.Event{Seq: 7, Time: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Run: "loop_1", Iter: 2, Attempt: 1, Payload: &refrain.AgentText{Text: "<b>"}}
	line, err := refrain.EncodeEvent(e)
	if err != nil {
		t.Fatal(err)
	}
	back, err := refrain.DecodeEvent(line)
	if said, ok := back.Payload.(*refrain.AgentText); err != nil || !ok || said.Text != "<b>" || back.Seq != 7 || !back.Time.Equal(e.Time) || back.Iter != 2 {
		t.Errorf("DecodeEvent(%s) = %+v, %v", line, back, err)
	}
	later, err := refrain.DecodeEvent([]byte(`{"seq":1,"time":"2026-03-01T09:00:00.000Z","run":"x","type":"run.teleported"}`))
	if err != nil || later.Type() != "run.teleported" {
		t.Errorf("an event of a later version = %+v, %v", later, err)
	}
	if _, err := refrain.DecodeEvent([]byte("{")); err == nil {
		t.Error("half a line is an event")
	}
}

func TestAResultGoesThroughJSONAndBack(t *testing.T) {
	t.Parallel()
	r := run(t, refrain.Options{Dir: t.TempDir(), Command: script("echo > done; echo Hello; " + claims), Until: "DONE", Gates: []string{"test -e done"}})
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"run":"run-1"`, `"state":"done"`, `"level":"proven"`, `"proven":true`, `"elapsed_ms":`, `"totals":{"iterations":1`, `"output":"Hello`, `"started":true`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("JSON = %s, want %s in it", b, want)
		}
	}
	var back refrain.Result
	if err := json.Unmarshal(b, &back); err != nil || back.Run != r.Run || back.Elapsed != r.Elapsed || back.Totals != r.Totals || back.Proof == nil || back.Output != r.Output {
		t.Errorf("back = %+v, %v; want %+v", back, err, r)
	}
	if got := refrain.Span(90 * time.Second).String(); got != "1m30s" {
		t.Errorf("Span.String() = %s", got)
	}
}

func TestWhoHoldsTheTreeIsToldWithItsOwnStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	control, ended := steady(t, refrain.Options{Dir: dir})
	var held *refrain.HeldError
	if _, err := refrain.Run(t.Context(), refrain.Options{Dir: dir, Command: script("true")}); !errors.As(err, &held) {
		t.Fatalf("Run beside a live one = %v, want a *HeldError", err)
	}
	if record, err := refrain.Open(dir, held.Run); err != nil || !held.Since.Equal(record.Started) {
		t.Errorf("held since %s, %v; want the start of the run, not of this process", held.Since, err)
	}
	if err := control.StopNow(t.Context()); err != nil {
		t.Error(err)
	}
	<-ended
}

func TestANoteInAGateIsTakenAndAPauseIsRefused(t *testing.T) {
	t.Parallel()
	control := refrain.NewControl()
	var noted, paused error
	gate := refrain.GateFunc("chatty", func(ctx context.Context, _ refrain.Place) refrain.Finding {
		if control.Snapshot().Iteration == 1 {
			noted, paused = control.Note(ctx, "well done"), control.Pause(ctx)
		}
		return refrain.Finding{OK: true}
	})
	run(t, refrain.Options{Dir: t.TempDir(), Command: script(claims), Until: "DONE", CustomGates: []refrain.Gate{gate}, Control: control})
	var refused *refrain.RefusedError
	if noted != nil || !errors.As(paused, &refused) || !strings.Contains(refused.Why, "a gate") {
		t.Errorf("note = %v, pause = %v; want the one taken and the other refused", noted, paused)
	}
}

// API-10: id, state, start and the last sign of life can be asked for.
func TestARecordKnowsItsSettingsAndTimes(t *testing.T) {
	t.Parallel()
	dir, control := t.TempDir(), refrain.NewControl()
	id := control.ID() // before there is a run
	var started refrain.RunStarted
	r := run(t, refrain.Options{
		Dir: dir, Command: script("echo Hello"), Until: "DONE", MaxIterations: 2, Control: control,
		Set: []refrain.Setting{refrain.KeyLoopBackoff.Is(0), refrain.KeyStopFailures.Is(7)},
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if p, ok := e.Payload.(*refrain.RunStarted); ok {
				started = *p
			}
		})},
	})
	if id == "" || r.ID != id || control.ID() != id {
		t.Errorf("the run is %s, and its control said %s before, %s after", r.ID, id, control.ID())
	}
	want := map[string]any{"done.promise": "DONE", "loop.backoff": "0s", "loop.max_iterations": 2.0, "stop.failures": 7.0}
	if !reflect.DeepEqual(started.Settings, want) {
		t.Errorf("run.started has the settings %v, want %v", started.Settings, want)
	}
	record, err := refrain.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := record.Settings()
	if err != nil || settings["stop.failures"] != "7" || settings["loop.max_iterations"] != "2" || settings["loop.idle_timeout"] == "" {
		t.Errorf("the record has the settings %v, %v; want those that held, defaults included", settings, err)
	}
	if level, ok := settings["log.level"]; ok {
		t.Errorf("nobody wanted a log, and the settings have the level %s", level)
	}
	again, err := refrain.SettingsOf(t.Context(), refrain.Options{Dir: t.TempDir(), Command: script("true"), Settings: settings})
	if err != nil || again["stop.failures"] != "7" {
		t.Errorf("with them another run has %v, %v", again, err)
	}
	first, err := record.Iteration(1)
	if err != nil || first.Started.Before(record.Started) || first.Ended.Before(first.Started) || !first.Started.Equal(first.Outcome.StartedAt) || !first.Outcome.PromiseChecked {
		t.Errorf("the first iteration = %+v, %v; want when it began, and that its promise was looked for", first, err)
	}
	for e, err := range record.Events(0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type() == "iteration.started" && e.Iter == 1 && !e.Time.Equal(first.Started) && e.Time.Sub(first.Started) > time.Second {
			t.Errorf("the iteration began at %v, its event is of %v", first.Started, e.Time)
		}
	}
	s, err := record.Snapshot()
	if err != nil || s.LastActivity.Before(first.Ended) || s.LastActivity.After(time.Now()) {
		t.Errorf("snapshot = %+v, %v; want when it was last active", s, err)
	}
}

// What each test came to is there for a command, for a gate of the program's own that
// runs one or brings its results along, and for the time before the first iteration.
func TestEachTestOfAGate(t *testing.T) {
	t.Parallel()
	dir := gitTree(t)
	const xml = `printf '<testsuite name="s" tests="2" failures="1">\n<testcase name="adds" time="0.25"/>\n<testcase name="sums" time="1.5"><failure message="want 3"/></testcase>\n</testsuite>\n'; exit 1`
	r := run(t, refrain.Options{
		Dir: dir, Command: script("true"), MaxIterations: 1, Settings: notAtOnce,
		CustomGates: []refrain.Gate{
			refrain.GateFunc("runs", func(ctx context.Context, p refrain.Place) refrain.Finding { return p.Run(ctx, xml) }),
			refrain.GateFunc("says", func(context.Context, refrain.Place) refrain.Finding {
				return refrain.Finding{Tests: &refrain.Tests{Total: 1, Failed: 1}, Each: []refrain.TestResult{{Name: "own", Status: refrain.TestStatusError, Message: "broken"}}}
			}),
		},
	})
	record, err := refrain.Open(dir, r.Run)
	if err != nil {
		t.Fatal(err)
	}
	want := []refrain.TestResult{
		{Name: "s.sums", Status: refrain.TestStatusFailed, Duration: refrain.Span(1500 * time.Millisecond), Message: "want 3"},
		{Name: "s.adds", Status: refrain.TestStatusPassed, Duration: refrain.Span(250 * time.Millisecond)},
	}
	own := []refrain.TestResult{{Name: "own", Status: refrain.TestStatusError, Message: "broken"}}
	for _, iteration := range []int{0, 1} {
		looks, err := record.Tests(iteration, 0)
		i := slices.IndexFunc(looks, func(l refrain.GateTests) bool { return l.Gate == "says" })
		if err != nil || i < 1 || looks[0].Gate != "runs" || looks[0].Framework != "junit" || !slices.Equal(looks[0].Tests, want) || !slices.Equal(looks[i].Tests, own) {
			t.Errorf("Tests(%d) = %+v, %v; want %+v and %+v", iteration, looks, err, want, own)
		}
	}
	var missing *refrain.NotFoundError
	if _, err := record.Tests(7, 0); !errors.As(err, &missing) {
		t.Errorf("Tests of an iteration that is not there: %v, want a NotFoundError", err)
	}
}

func TestAnIterationThatIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run(t, refrain.Options{Dir: dir, Command: script("true"), MaxIterations: 1})
	record, err := refrain.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	transcript := func(iteration, attempt int) error {
		_, err := record.Transcript(iteration, attempt)
		return err
	}
	_, diff := record.Diff(t.Context(), 7)
	for want, err := range map[string]error{
		"run-1 has no iteration 7":              transcript(7, 0),
		"run-1 has no iteration -1":             transcript(-1, 0),
		"iteration 1 of run-1 has no attempt 9": transcript(1, 9),
	} {
		var missing *refrain.NotFoundError
		if !errors.As(err, &missing) || err.Error() != want || !strings.HasPrefix(missing.Run, "run-1/") {
			t.Errorf("error = %#v, want %s", err, want)
		}
	}
	var usage *refrain.UsageError
	if !errors.As(diff, &usage) || strings.Contains(usage.Hint, "/0") {
		t.Errorf("Diff of an iteration that is not there = %#v, want it told in numbers", diff)
	}
	if err := os.RemoveAll(record.Dir); err != nil {
		t.Fatal(err)
	}
	var missing *refrain.NotFoundError
	if err := transcript(1, 0); !errors.As(err, &missing) || missing.Run != "run-1" {
		t.Errorf("a transcript of a run that is gone = %v, want a *NotFoundError of the run", err)
	}
}
