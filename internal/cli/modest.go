package cli

import (
	"runtime"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/lull"
)

// atOnce is how many processors a runner uses. It waits most of the time, and many may
// run at once; what takes long is done by other programs.
const atOnce = 2

// modest has a runner take little of the machine while an agent works. It is for a
// process that only runs loops, and so not for the library.
type modest struct{ lull *lull.Watch }

func newModest() modest {
	// It also ends the look that Go takes again and again at how many there are. What we
	// start is not told: this is no variable of the environment.
	runtime.GOMAXPROCS(min(atOnce, runtime.GOMAXPROCS(0)))
	return modest{lull.New()}
}

// Observe takes note that there is something to do.
func (m modest) Observe(loop.Event) { m.lull.Stir() }
