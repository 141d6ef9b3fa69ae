//go:build !linux

package fence

import (
	"errors"
	"runtime"
)

func unsupported(k Kind) error {
	return &Error{Kind: k, What: "raise it on " + runtime.GOOS, Err: errors.ErrUnsupported}
}
