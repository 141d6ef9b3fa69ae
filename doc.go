// Package refrain runs a coding agent again and again, each time as a fresh
// process with a fresh context, until the work is proven done.
//
// It is what the command refrain is made of, for programs that want to start,
// watch and steer runs themselves, to look into those that are there, or to bring
// what no setting could name:
//
//	func main() {
//		refrain.Helper() // first: see there
//
//		result, err := refrain.Run(ctx, refrain.Options{
//			Agent:  "claude",
//			Prompt: "Fix the failing tests",
//			Until:  "DONE",
//			Gates:  []string{"go test ./..."},
//		})
//		…
//	}
//
// A run belongs to a work tree, and only one is live in it at a time. It reads
// the same settings (refrain.toml and the environment; what Options say wins),
// keeps the same files, and can be looked at and talked to with the command
// while it is alive. A run that was started here can be resumed there, unless it
// needs what only the program has; and the other way round.
//
// What a program can bring: an Agent, a Gate, a Rule, a Completion check, Hooks and
// Observers. What it can look at: Runs and Open find a run, live or over, whoever
// started it, and a Record has its iterations, events, diffs and transcripts. A
// Control steers a live one. There is an example of each.
//
// An agent that fails, a limit that is reached and a stop that was asked for are
// results. An error means that no run could begin, or that the runner itself
// could not go on.
//
// What may change in later versions, and what may not, is in docs/library.md.
package refrain
