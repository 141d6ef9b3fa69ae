// Package steer is how people steer a live run: they post wishes from any
// goroutine, and the desk of the run takes them in, writes them down and answers.
//
//	Control            Desk                         the run
//	Do(command) ──►    accepts, or declines ──►     command.received, written down
//	Stop(request)      leaves a wish for            looks at wishes between two steps
//	       ◄── answer  is told each event ◄──       the event that shows the effect
//
// A command only leaves a wish, or ends the agent that runs. So an answer is true,
// and it is in the journal. What a run does about a wish is for package engine.
package steer
