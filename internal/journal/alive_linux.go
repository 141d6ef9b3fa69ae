package journal

import (
	"bytes"
	"fmt"
	"os"
)

// alive tells whether a process of this machine is there and has not ended. One
// that has ended and was not collected yet is not.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !os.IsNotExist(err)
	}
	_, rest, _ := bytes.Cut(b, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z' && rest[0] != 'X'
}
