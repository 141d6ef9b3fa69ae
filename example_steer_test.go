//go:build unix

package refrain_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/refrain-loop/refrain"
)

// begin starts a run beside the example, and waits until its agent is at work. The
// function that it returns waits for the end.
func begin(ctx context.Context, o refrain.Options) (control *refrain.Control, end func() refrain.Result) {
	o.Control = refrain.NewControl()
	ended := make(chan refrain.Result)
	go func() {
		result, err := refrain.Run(ctx, o)
		if err != nil {
			log.Fatal(err)
		}
		ended <- result
	}()
	for e, err := range o.Control.Subscribe(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		if _, ok := e.Payload.(*refrain.AgentStarted); ok {
			break
		}
	}
	return o.Control, func() refrain.Result { return <-ended }
}

func ExampleControl_Park() {
	defer inNewFolder()()
	ctx := context.Background()
	control, end := begin(ctx, refrain.Options{
		Command: []string{"sleep", "0.1"}, Prompt: "Work", MaxIterations: 100,
		Settings: map[string]string{"loop.exit_zero_is_done": "false", "loop.backoff": "0s"},
	})

	if err := control.Park(ctx); err != nil { // comes back when its runner has left it
		log.Fatal(err)
	}
	fmt.Println(end().State) // Resume goes on with it
	// Output: parked
}

func ExampleControl_Pause() {
	defer inNewFolder()()
	ctx := context.Background()
	control, end := begin(ctx, refrain.Options{
		Command: []string{"sleep", "0.1"}, Prompt: "Work", MaxIterations: 100,
		Settings: map[string]string{"loop.exit_zero_is_done": "false", "loop.backoff": "0s"},
	})

	for _, wish := range []error{
		control.Note(ctx, "mind the gap"),                // the next agent is told
		control.Raise(ctx, "loop.max_iterations", "200"), // a new total
		control.Pause(ctx),                               // comes back when nothing runs any more
	} {
		if wish != nil {
			log.Fatal(wish)
		}
	}
	now := control.Snapshot()
	fmt.Println(now.State, now.MaxIterations, now.ID == control.ID())
	fmt.Println(control.Stats().Totals.OK > 0)
	if err := control.Resume(ctx); err != nil {
		log.Fatal(err)
	}
	if err := control.Stop(ctx); err != nil { // after this iteration
		log.Fatal(err)
	}
	fmt.Println(end().State)
	// Output:
	// paused 200 true
	// true
	// stopped
}

func ExampleControl_Skip() {
	defer inNewFolder()()
	ctx := context.Background()
	control, end := begin(ctx, refrain.Options{Command: []string{"sleep", "1000"}, MaxIterations: 3})

	if err := control.Skip(ctx); err != nil { // its agent is ended, and the next begins
		log.Fatal(err)
	}
	fmt.Println("skipped:", control.Stats().Totals.Skipped)
	if refused, ok := errors.AsType[*refrain.RefusedError](control.Reboot(ctx)); ok {
		fmt.Println(refused.Command, "was refused") // each iteration has a fresh session anyway
	}
	if err := control.StopNow(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(end().State)
	// Output:
	// skipped: 1
	// reboot was refused
	// stopped
}

func ExampleControl_Approve() {
	defer inNewFolder()()
	ctx := context.Background()
	control := refrain.NewControl()
	go func() {
		answers := []string{"", "stop"} // the empty one is the first choice: go on
		for e := range control.Subscribe(ctx, 0) {
			question, ok := e.Payload.(*refrain.RunAsked)
			if !ok {
				continue
			}
			if err := control.Approve(ctx, answers[0]); err != nil {
				log.Fatal(question.Question, err)
			}
			answers = answers[1:]
		}
	}()

	result, err := refrain.Run(ctx, refrain.Options{
		Command: []string{"true"}, Control: control,
		Settings: map[string]string{"loop.attended": "true", "loop.exit_zero_is_done": "false"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.State, "after", result.Totals.Iterations)
	// Output: stopped after 1
}
