package proc

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

// staff is empty here: the job that each process is in does a keeper's work,
// and the system ends it when the runner dies.
type staff struct{}

func (k *Keeper) start(s Spec, cmd *exec.Cmd, files stdio) (process, error) {
	if k.fence.Raised() {
		_, err := fence.NewConfiner(k.fence)
		return nil, &FenceError{Kind: k.fence.Kind, Err: err}
	}
	return startDirect(s, cmd, files)
}

// Ready has nothing to start.
func (k *Keeper) Ready(func(loop.Warning)) error {
	if k.fence.Raised() {
		_, err := fence.NewConfiner(k.fence)
		return &FenceError{Kind: k.fence.Kind, Err: err}
	}
	return nil
}

// Close has nothing to end: each job has ended with its process.
func (k *Keeper) Close() {}

func keep([]string) int {
	fmt.Fprintln(os.Stderr, "refrain: there is no keeper on this system")
	return 2
}
