//go:build unix

package refrain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/refrain-loop/refrain"
)

// inNewFolder goes to an empty folder. The function that it returns goes back.
func inNewFolder() func() {
	before, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "refrain-example-")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Chdir(dir); err != nil {
		log.Fatal(err)
	}
	return func() {
		if err := os.Chdir(before); err != nil {
			log.Fatal(err)
		}
		os.RemoveAll(dir)
	}
}

func Example() {
	defer inNewFolder()() // the docs show what follows

	result, err := refrain.Run(context.Background(), refrain.Options{
		Command: []string{"sh", "-c", "echo Hello > greeting.txt; echo '<promise>DONE</promise>'"}, // or Agent: "claude"
		Prompt:  "Write a greeting into greeting.txt",
		Until:   "DONE",
		Gates:   []string{"grep -q Hello greeting.txt"},
	})
	if err != nil {
		log.Fatal(err) // no run could begin
	}
	fmt.Println(result.State, result.Proven, result.Why)
	// Output: done true promise "DONE" found, and the gates agree
}

func ExampleObserver() {
	defer inNewFolder()()

	told := refrain.ObserverFunc(func(e refrain.Event) {
		switch p := e.Payload.(type) {
		case *refrain.AgentText:
			fmt.Println("the agent says:", p.Text)
		case *refrain.IterationFinished:
			fmt.Println("iteration", e.Iter, "was", p.Outcome.Result)
		}
	})
	_, err := refrain.Run(context.Background(), refrain.Options{
		Command:       []string{"echo", "Hello"},
		MaxIterations: 2,
		Settings:      map[string]string{"loop.exit_zero_is_done": "false"},
		Observers:     []refrain.Observer{told},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// the agent says: Hello
	// iteration 1 was ok
	// the agent says: Hello
	// iteration 2 was ok
}

func ExampleControl() {
	defer inNewFolder()()
	ctx := context.Background()
	control := refrain.NewControl()
	ended := make(chan refrain.Result)
	go func() {
		result, err := refrain.Run(ctx, refrain.Options{Command: []string{"sleep", "1000"}, Control: control})
		if err != nil {
			log.Fatal(err)
		}
		ended <- result
	}()

	for e, err := range control.Subscribe(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		if _, ok := e.Payload.(*refrain.AgentStarted); ok {
			break
		}
	}
	fmt.Println(control.State())

	var refused *refrain.RefusedError
	if err := control.Resume(ctx); errors.As(err, &refused) {
		fmt.Println(err)
	}
	if err := control.StopNow(ctx); err != nil { // the agent, and all that it started, is gone
		log.Fatal(err)
	}
	result := <-ended
	fmt.Println(result.State, result.Reason)
	// Output:
	// running
	// resume was refused: the run is running: there is nothing to resume
	// stopped asked
}

func ExampleResume() {
	defer inNewFolder()()
	ctx := context.Background()

	first, err := refrain.Run(ctx, refrain.Options{
		Command:       []string{"sh", "-c", "echo x >> work; test $(wc -l < work) = 3 && echo '<promise>DONE</promise>' || true"},
		Until:         "DONE",
		MaxIterations: 2,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first.State, first.Totals.Iterations)

	second, err := refrain.Resume(ctx, refrain.ResumeOptions{Run: first.Run, MaxIterations: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(second.State, second.Totals.Iterations)
	// Output:
	// exhausted 2
	// done 3
}

// greeter is an agent of one's own: a program that gets the prompt as its last
// argument and prints plain text.
type greeter struct{}

func (greeter) Name() string { return "greeter" }

func (greeter) Command(c refrain.Call) (refrain.Command, error) {
	return refrain.Command{Argv: []string{"sh", "-c", `echo "I was told: $(echo "$0" | head -1)"`, c.Prompt}}, nil
}

func (greeter) Decoder() refrain.Decoder {
	d, err := refrain.NewDecoder("text")
	if err != nil {
		panic(err) // it is one of those that there are
	}
	return d
}

func ExampleAgent() {
	defer inNewFolder()()

	result, err := refrain.Run(context.Background(), refrain.Options{
		CustomAgent:   greeter{},
		Prompt:        "Say hello",
		MaxIterations: 1,
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if said, ok := e.Payload.(*refrain.AgentText); ok {
				fmt.Println(said.Text)
			}
		})},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.State)
	// Output:
	// I was told: Say hello
	// done
}

func ExampleGate() {
	defer inNewFolder()()

	polite := refrain.GateFunc("polite", func(_ context.Context, p refrain.Place) refrain.Finding {
		text, err := os.ReadFile(filepath.Join(p.Dir, "letter"))
		switch {
		case err != nil:
			return refrain.Finding{Why: "there is no letter"}
		case !strings.Contains(string(text), "please"):
			return refrain.Finding{Why: "it does not say please"}
		}
		return refrain.Finding{OK: true}
	})
	result, err := refrain.Run(context.Background(), refrain.Options{
		Command:     []string{"sh", "-c", "echo please >> letter"},
		CustomGates: []refrain.Gate{polite},
		Settings:    map[string]string{"done.gates": "true"}, // passing gates are enough
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.State, result.Proven, result.Why)
	// Output: done true all gates pass
}

func ExampleRule() {
	defer inNewFolder()()

	enough := refrain.RuleFunc("enough", func(f refrain.Facts) refrain.Verdict {
		if f.State.Totals.Files < 2 {
			return refrain.Verdict{}
		}
		return refrain.Verdict{Action: refrain.Stop, Reason: "enough", Why: "two changed files are enough for today"}
	})
	result, err := refrain.Run(context.Background(), refrain.Options{
		Command:  []string{"sh", "-c", "echo more >> file"},
		Rules:    []refrain.Rule{enough},
		Settings: map[string]string{"loop.exit_zero_is_done": "false"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.State, result.Reason, result.Why)
	// Output: aborted enough two changed files are enough for today
}

func ExampleRule_done() {
	defer inNewFolder()()

	small := refrain.RuleFunc("small", func(f refrain.Facts) refrain.Verdict {
		if f.Outcome == nil || f.State.Totals.Files < 3 {
			return refrain.Verdict{}
		}
		return refrain.Verdict{Action: refrain.Stop, State: refrain.Done, Why: "three lines are written"}
	})
	result, err := refrain.Run(context.Background(), refrain.Options{
		Command:  []string{"sh", "-c", "echo line >> poem"},
		Rules:    []refrain.Rule{small},
		Gates:    []string{"test $(wc -l < poem) -ge 3"}, // what the rule says, they judge
		Settings: map[string]string{"loop.exit_zero_is_done": "false", "loop.backoff": "0s"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.State, result.Proven, result.Why)
	// Output: done true three lines are written, and the gates agree
}

func ExampleCompletion() {
	defer inNewFolder()()

	var bow refrain.Completion = refrain.CompletionFunc(func(said string, _ refrain.Outcome) (string, bool) {
		return "a bow", strings.HasSuffix(said, "*bows*")
	})
	result, err := refrain.Run(context.Background(), refrain.Options{
		Command:    []string{"sh", "-c", "echo 'To be, or not to be'; echo '*bows*'"},
		Completion: bow,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.State, result.Level, result.Reason)
	// Output: done claimed check
}

func ExampleHooks() {
	defer inNewFolder()()

	result, err := refrain.Run(context.Background(), refrain.Options{
		Command:       []string{"sh", "-c", "echo working"},
		MaxIterations: 3,
		Settings:      map[string]string{"loop.exit_zero_is_done": "false", "loop.backoff": "0s"},
		Hooks: refrain.Hooks{
			Before: func(_ context.Context, m refrain.Moment) refrain.Answer {
				if m.Iteration == 2 {
					return refrain.Answer{Decision: refrain.SkipIteration, Why: "it is a rest day"}
				}
				return refrain.Answer{Metadata: map[string]string{"weather": "fine"}}
			},
			After: func(_ context.Context, m refrain.Moment) refrain.Answer {
				fmt.Println("iteration", m.Iteration, "was", m.Outcome.Result)
				return refrain.Answer{}
			},
			Finished: func(_ context.Context, r refrain.Result) { fmt.Println(r.Run, "is", r.State) },
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	record, err := refrain.Open("", result.Run)
	if err != nil {
		log.Fatal(err)
	}
	first, err := record.Iteration(1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the weather was", first.Outcome.Metadata["weather"])
	// Output:
	// iteration 1 was ok
	// iteration 3 was ok
	// run-1 is done
	// the weather was fine
}

func ExampleRuns() {
	defer inNewFolder()()
	for _, word := range []string{"Hello", "Bye"} {
		if _, err := refrain.Run(context.Background(), refrain.Options{Command: []string{"echo", word}}); err != nil {
			log.Fatal(err)
		}
	}

	for record, err := range refrain.Runs("") { // the latest first
		if err != nil {
			log.Print(err) // one that cannot be read hides no other
			continue
		}
		result, err := record.Result()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Run, result.State, result.Output)
	}
	// Output:
	// run-2 done Bye
	// run-1 done Hello
}

func ExampleOpen() {
	defer inNewFolder()()
	if _, err := refrain.Run(context.Background(), refrain.Options{
		Command:       []string{"sh", "-c", "echo try $REFRAIN_ITERATION; exit 1"},
		MaxIterations: 3,
		Settings:      map[string]string{"loop.backoff": "0s", "stop.failures": "0"},
	}); err != nil {
		log.Fatal(err)
	}

	record, err := refrain.Open("", "") // the latest
	if err != nil {
		log.Fatal(err)
	}
	latest, err := record.Latest(2)
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range latest {
		transcript, err := record.Transcript(i.Number, i.Attempt)
		if err != nil {
			log.Fatal(err)
		}
		said, err := io.ReadAll(transcript)
		transcript.Close()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("iteration %d was %s: %s", i.Number, i.Outcome.Result, said)
	}
	// Output:
	// iteration 3 was failed: try 3
	// iteration 2 was failed: try 2
}

func ExampleRecord_Follow() {
	defer inNewFolder()()
	ctx := context.Background()
	ended := make(chan error)
	started := refrain.NewControl()
	go func() {
		_, err := refrain.Run(ctx, refrain.Options{Command: []string{"sleep", "1000"}, Control: started})
		ended <- err
	}()
	for range started.Subscribe(ctx, 0) { // it has begun
		break
	}

	record, err := refrain.Open("", "") // from here on it could be another program
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range record.Follow(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		switch p := e.Payload.(type) {
		case *refrain.AgentStarted:
			go func() {
				if err := record.Control().StopNow(ctx); err != nil {
					log.Fatal(err)
				}
			}()
		case *refrain.RunFinished:
			fmt.Println(p.State, p.Reason)
		}
	}
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
	// Output: stopped asked
}

func ExampleDecodeEvent() {
	line := []byte(`{"seq":9,"time":"2026-03-01T09:00:00.000Z","run":"loop_1","iter":2,"attempt":1,"type":"agent.text","text":"Hello"}`)
	e, err := refrain.DecodeEvent(line)
	if err != nil {
		log.Fatal(err)
	}
	if said, ok := e.Payload.(*refrain.AgentText); ok {
		fmt.Println("iteration", e.Iter, "said", said.Text)
	}
	// Output: iteration 2 said Hello
}

func ExampleKey() {
	defer inNewFolder()()

	result, err := refrain.Run(context.Background(), refrain.Options{
		Command:       []string{"sh", "-c", "exit 1"},
		MaxIterations: refrain.Unlimited,
		Set: []refrain.Setting{
			refrain.KeyLoopBackoff.Is(10 * time.Millisecond), // not "10ms": the compiler knows what a duration is
			refrain.KeyStopFailures.Is(2),
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.State, result.Why)
	// Output: aborted 2 consecutive failures
}

func ExamplePreflight() {
	defer inNewFolder()()

	list, err := refrain.Preflight(context.Background(), refrain.Options{
		Command: []string{"true"},
		Prompt:  "Tidy up",
		Gates:   []string{"no-such-linter ."},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, trouble := range list {
		if trouble.About == "gate gate-1" {
			fmt.Println(trouble.What)
		}
	}
	// Output: gate gate-1: no-such-linter cannot be found
}

func ExampleMissingAgentError() {
	defer inNewFolder()()

	_, err := refrain.Run(context.Background(), refrain.Options{Command: []string{"no-such-agent"}})
	if missing, ok := errors.AsType[*refrain.MissingAgentError](err); ok {
		fmt.Println(missing.Agent, "is not here")
	}
	// Output: no-such-agent is not here
}

func ExampleResult() {
	defer inNewFolder()()

	result, err := refrain.Run(context.Background(), refrain.Options{Command: []string{"echo", "Hello"}})
	if err != nil {
		log.Fatal(err)
	}
	kept, err := json.Marshal(result)
	if err != nil {
		log.Fatal(err)
	}
	var again refrain.Result
	if err := json.Unmarshal(kept, &again); err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Run, again.State, again.Output)
	// Output: run-1 done Hello
}
