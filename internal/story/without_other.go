//go:build !linux

package story

import (
	"fmt"
	"os"
)

// Without is a program for stories that runs on Linux alone.
func Without() {
	fmt.Fprintln(os.Stderr, "without: only on Linux")
	os.Exit(2)
}
