//go:build linux && !amd64 && !arm64

package fence

import "golang.org/x/sys/unix"

// newFilter is nil: the numbers of the calls are not known here.
func newFilter(bool, bool) []unix.SockFilter { return nil }
