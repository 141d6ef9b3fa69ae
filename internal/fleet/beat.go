package fleet

import "time"

// Beat is what the fleet last said about a leg.
type Beat struct {
	At   time.Time // when it was heard
	Gone bool      // the fleet has given the leg up: somebody else has, or will have, the run
}
