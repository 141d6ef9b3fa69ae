//go:build unix

package cli

import (
	"fmt"
	"os"
	"syscall"
)

// become runs another program in the place of this one, by our name.
func become(_ *shell, program string, args []string) error {
	err := syscall.Exec(program, append([]string{ourName}, args...), os.Environ())
	return fmt.Errorf("run %s: %w", program, err)
}
