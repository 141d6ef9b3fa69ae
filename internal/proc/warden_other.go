//go:build !linux

package proc

// Where orphans cannot be followed there is nothing for a warden to do.
const hired = keeperName

func ward(args []string) int { return keep(args) }

// No status says that everyone has ended.
const (
	endedAll, endedSome     = -2, -3
	stoppedAll, stoppedSome = -4, -5
)
