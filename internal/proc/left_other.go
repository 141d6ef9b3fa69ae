//go:build !linux

package proc

import "errors"

// Left cannot be told here: the environment of other processes is not to be
// seen.
func Left([]string, string, string) ([]string, error) { return nil, errors.ErrUnsupported }

// Descends cannot be told here.
func Descends(int, int) bool { return false }
