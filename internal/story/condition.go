package story

import (
	"fmt"
	"os"
)

// Condition is what stories can ask in brackets beyond testscript's own: [root],
// who can give files to other users.
func Condition(cond string) (bool, error) {
	if cond == "root" {
		return os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}
