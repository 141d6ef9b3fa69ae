//go:build unix

package refrain_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

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
