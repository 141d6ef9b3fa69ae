package telemetry

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Whatever happens in a run, in whatever order and however often its runner
// dies, once it has ended well its spans are one tree.
func TestSpansAreAlwaysOneTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r relay
		tell := r.next()
		tell.tell(&loop.RunStarted{Name: "build-7", Procedure: "build"})
		iter, attempt := 0, 0 // the last that ended
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			tell.at = tell.at.Add(time.Duration(rapid.IntRange(-1500, 3000).Draw(t, "ms")) * time.Millisecond)
			switch what := rapid.IntRange(0, 12).Draw(t, "event"); {
			case what == 0 && tell.iter == 0:
				tell.begin(iter+1, attempt+1)
			case what == 1 && tell.iter > iter:
				if attempt++; rapid.Bool().Draw(t, "counts") {
					iter, attempt = iter+1, 0
				}
				tell.tell(&loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK}})
				tell.tell(&loop.Warning{Text: "said when it had ended"})
				tell.iter, tell.attempt = 0, 0
			case what == 2 && tell.iter == 0:
				tell.tell(&loop.RunWaiting{Rule: "limit"})
			case what == 3 && tell.iter == 0:
				tell.tell(&loop.RunPaused{})
			case what == 4 && tell.iter == 0:
				tell.tell(&loop.RunUnpaused{})
			case what == 5 && tell.iter > 0:
				tell.tell(&loop.AgentTool{ID: rapid.StringMatching("[abc]?").Draw(t, "id"), Name: "Bash"})
			case what == 6 && tell.iter > 0:
				tell.tell(&loop.AgentToolResult{ID: rapid.StringMatching("[abc]?").Draw(t, "id"), Name: "Bash"})
			case what == 7:
				tell.tell(&loop.GateStarted{Name: "test", Where: loop.InClean})
			case what == 8:
				tell.tell(&loop.GateFinished{Gate: loop.Gate{Name: "test", Where: loop.InClean, Duration: loop.Millis(time.Minute)}})
			case what == 9:
				tell.tell(&loop.HookFinished{Point: "started", Duration: loop.Millis(time.Minute)})
			case what == 10:
				tell.tell(&loop.Warning{Text: rapid.String().Draw(t, "text")})
			case what == 11:
				open, number := tell.iter, tell.attempt
				r.next()
				tell.tell(&loop.RunResumed{From: loop.Crashed})
				tell.iter, tell.attempt = open, number // it takes over what was under way
			case what == 12:
				tell.tell(&loop.CheckpointMade{Checkpoint: "c"})
			}
		}
		if tell.iter > 0 { // a run does not end before its attempt
			tell.tell(&loop.IterationFinished{Outcome: loop.Outcome{Result: loop.Interrupted}})
		}
		tell.finish(loop.Done, loop.ByGates, "")
		if err := sound(understood(t, r.sent)); err != nil {
			t.Fatal(err)
		}
	})
}
