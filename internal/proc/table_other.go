//go:build !linux

package proc

import (
	"errors"
	"fmt"
)

// Elsewhere descent is not known: a group, or a job, is all that can be ended.
var errNoTable = fmt.Errorf("this system does not list its processes: %w", errors.ErrUnsupported)

func readTable() (table, error) { return table{}, errNoTable }

func readBelow(int) (table, error) { return table{}, errNoTable }

func workDir(int) (string, error) { return "", errNoTable }

func ticksUp() uint64 { return 0 }

func pidSpace() string { return "0" }

func readEntry(int) (entry, error) { return entry{}, errNoTable }

// ByKernel says that the kernel does not hold together what is started here.
func ByKernel() error { return errNoTable }
