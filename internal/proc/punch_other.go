//go:build !linux

package proc

import "os"

// punch does nothing: the space is taken until the end.
func punch(*os.File, int64, int64) {}
