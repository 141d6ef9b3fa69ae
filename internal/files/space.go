package files

import (
	"errors"
	"strings"
	"syscall"
)

// NoSpace tells whether something went wrong because the disk is full. Where
// another program wrote, such as git, only its words tell.
func NoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || err != nil && strings.Contains(strings.ToLower(err.Error()), "no space left on device")
}
