package story

import (
	"fmt"
	"os"
)

// Condition is what stories can ask in brackets beyond testscript's own: [root],
// who can give files to other users, and [container], where an agent may do anything.
func Condition(cond string) (bool, error) {
	switch cond {
	case "root":
		return os.Geteuid() == 0, nil
	case "container":
		return isThere("/.dockerenv") || isThere("/run/.containerenv"), nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
