// Dashboard lists the runs of a project, shows the last iterations of the latest
// that is over, and follows the live one. With -pause it pauses that, and leaves.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/refrain-loop/refrain"
)

func main() {
	pause := flag.Bool("pause", false, "pause the live run")
	flag.Parse()
	var live, over *refrain.Record
	for run, err := range refrain.Runs(flag.Arg(0)) { // the latest first
		if err != nil {
			log.Print(err) // one that cannot be read hides no other
			continue
		}
		result, err := run.Result()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-10s %-10s %3d iterations  %s\n", run.Run, result.State, result.Totals.Iterations, result.Why)
		switch ended := result.State.Ended(); {
		case !ended && live == nil:
			live = run
		case ended && over == nil:
			over = run
		}
	}
	if over != nil {
		latest, err := over.Latest(5)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("\nlast iterations of", over.Run)
		for _, i := range latest {
			fmt.Printf("%4d  %-11s %8s  %s\n", i.Number, i.Outcome.Result, i.Outcome.Duration, i.Outcome.Summary)
		}
	}
	if live == nil {
		return
	}
	fmt.Println("\nfollowing", live.Run)
	for e, err := range live.Follow(context.Background(), 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Time.Local().Format(time.TimeOnly), e.Type())
		if _, working := e.Payload.(*refrain.AgentStarted); working && *pause {
			fmt.Println("paused:", live.Control().Pause(context.Background()) == nil)
			return
		}
	}
}
