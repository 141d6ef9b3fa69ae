package proc

import (
	"fmt"
	"os"
	"sync/atomic"
)

// helperWord is the first argument of a re-executed binary. No command of a
// person is called so.
const helperWord = "refrain-helper"

// keeperName is the helper that keeps the processes of a run.
const keeperName = "keeper"

// wardenName is the helper that ends what a keeper kept that was killed.
const wardenName = "warden"

// tryName is the helper that tries a fence from within.
const tryName = "fence"

// called remembers that this binary answers to helperWord.
var called atomic.Bool

// Helper is called first in main, and in TestMain. When this process was
// started with the arguments of HelperCommand, it runs the function of that
// name and exits with its result; otherwise it returns at once. Ours, such as
// the keeper, need no place in the table.
func Helper(table map[string]func(args []string) int) {
	called.Store(true)
	if len(os.Args) < 2 || os.Args[1] != helperWord {
		return
	}
	if len(os.Args) < 3 {
		fmt.Fprintf(os.Stderr, "refrain: %s needs a name\n", helperWord)
		os.Exit(2)
	}
	switch os.Args[2] {
	case keeperName:
		os.Exit(keep(os.Args[3:]))
	case wardenName:
		os.Exit(ward(os.Args[3:]))
	case tryName:
		os.Exit(tryFence(os.Args[3:]))
	}
	run, ok := table[os.Args[2]]
	if !ok {
		fmt.Fprintf(os.Stderr, "refrain: this program has no helper named %q\n", os.Args[2])
		os.Exit(2)
	}
	os.Exit(run(os.Args[3:]))
}

// HelperCommand gives the argv that runs a helper in a new process of this
// same binary. The error is a *NoHelperError when Helper was never called: the
// new process would run the whole program again instead.
func HelperCommand(name string, args ...string) ([]string, error) {
	if !called.Load() {
		return nil, &NoHelperError{Name: name}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program to run its helper %q: %w", name, err)
	}
	return append([]string{self, helperWord, name}, args...), nil
}

// NoHelperError says that this program does not call Helper.
type NoHelperError struct{ Name string }

func (e *NoHelperError) Error() string {
	return fmt.Sprintf("helper %q cannot be run: this program does not call Helper first in main (or in TestMain)", e.Name)
}
