// Package parts is what happens around an attempt, one file each: the tree before
// and after it, the plan, the prompt, hooks, commits, what is guarded.
//
// A part is made with the kit of its run, and its methods stand in the lists of
// engine.Order (package app has them in plain sight). What a part keeps from one
// attempt to the next it can find again: in the state, in the run's folder, or by
// looking. What rules on claims is in package proof.
package parts
