//go:build !linux

package proc

import "time"

// Others cannot be told here.
func Others(string, []string, time.Time) (pids []int, known bool) { return nil, false }
