package fleet

import "context"

// Legs is who does legs: a worker's desk.
type Legs interface {
	// Run does one leg, and comes back with how the run stands. A done ctx is a wish to
	// leave the run at once, as far as it has got. Hooks hears and is asked meanwhile.
	Run(ctx context.Context, t Turn, h Hooks) (Standing, error)
	// Tell hands an order to the leg of a run that is live here.
	Tell(ctx context.Context, run string, leg int, o Order) (Answer, error)
	// Leave has every leg that is live here left to others, between two steps or, where
	// now is said, with its agent ended.
	Leave(now bool)
	// Live is how many legs there are.
	Live() int
}

// Hooks is what a leg asks of whoever has it done.
type Hooks struct {
	// Tell hears how far the leg is.
	Tell func(Progress)
	// Heard tells when the fleet last said that the leg is ours. While that is not long
	// ago, nobody else has been given the run.
	Heard func() (at Beat)
	// Spent hears what an iteration has cost, and tells whether there is more to spend.
	Spent func(usd float64, tokens int64) (broke bool)
}
