//go:build !linux && !darwin

package project

import (
	"errors"
	"io/fs"
	"os"
)

// linkInto is not known here.
func linkInto(string, *os.File, string) error { return errors.ErrUnsupported }

// namesOf is not known here.
func namesOf(fs.FileInfo) int { return 1 }
