//go:build unix

package refrain_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain"
)

func ExampleUsageError() {
	defer inNewFolder()()

	_, err := refrain.Run(context.Background(), refrain.Options{
		Command:  []string{"true"},
		Settings: map[string]string{"loop.max_iterations": "many"},
	})
	if usage, ok := errors.AsType[*refrain.UsageError](err); ok {
		fmt.Println(usage.What)
	}
	// Output: Settings: loop.max_iterations must be a whole number, 0 or more, or "none" or "unlimited", not "many"
}

func ExampleHeldError() {
	defer inNewFolder()()
	ctx := context.Background()
	control, end := begin(ctx, refrain.Options{Command: []string{"sleep", "1000"}})

	_, err := refrain.Run(ctx, refrain.Options{Command: []string{"true"}})
	if held, ok := errors.AsType[*refrain.HeldError](err); ok {
		fmt.Println(held.Run, "is at work here")
	}
	if err := control.StopNow(ctx); err != nil {
		log.Fatal(err)
	}
	end()
	// Output: run-1 is at work here
}

func ExampleNotFoundError() {
	defer inNewFolder()()
	finished(refrain.Options{Command: []string{"true"}})

	_, err := refrain.Open("", "run-7")
	if missing, ok := errors.AsType[*refrain.NotFoundError](err); ok {
		fmt.Println("there is no", missing.Run)
	}
	// Output: there is no run-7
}

func ExampleUnreadableError() {
	defer inNewFolder()()
	finished(refrain.Options{Command: []string{"true"}})
	latest := finished(refrain.Options{Command: []string{"true"}})
	if err := os.WriteFile(filepath.Join(latest.Dir, "run.json"), []byte("{"), 0o600); err != nil {
		log.Fatal(err)
	}

	for record, err := range refrain.Runs("") { // one that is damaged hides no other
		if bad, ok := errors.AsType[*refrain.UnreadableError](err); ok {
			fmt.Println(bad.Run, "cannot be read")
			continue
		}
		fmt.Println(record.Run)
	}
	// Output:
	// run-1
	// run-2 cannot be read
}

func ExamplePanicError() {
	defer inNewFolder()()

	result, err := refrain.Run(context.Background(), refrain.Options{
		Command:   []string{"true"},
		Observers: []refrain.Observer{refrain.ObserverFunc(func(refrain.Event) { panic("out of paper") })},
	})
	if panicked, ok := errors.AsType[*refrain.PanicError](err); ok { // and this program goes on
		fmt.Println(panicked.Who, "panicked with", panicked.Value)
	}
	fmt.Println(result.State)
	// Output:
	// an observer panicked with out of paper
	// failed
}
