package doctor

import (
	"context"
	"errors"

	"github.com/refrain-loop/refrain/internal/container"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/sandbox"
)

// checkSandbox tells what agents and gates would be held in, by trying it, and whether
// that confines them; where it can not be had, nothing would start unconfined.
func checkSandbox(ctx context.Context, a request.Assignment) (held Check, confined bool) {
	const name = "sandbox"
	c := a.Config().Sandbox
	found, err := sandbox.Find(ctx, sandbox.Wish{Mode: c.Mode, Allow: c.Allow, Network: c.Network, Image: c.Image, Programs: []string{"sh", "cat", "git"}})
	var missing *sandbox.UnavailableError
	var unconfined *sandbox.UnconfinedError
	switch {
	case errors.As(err, &missing):
		return Check{name, Problem, missing.Error(), missing.Hint()}, true
	case errors.As(err, &unconfined):
		return Check{name, Problem, unconfined.Error(), unconfined.Hint()}, true
	case err != nil:
		return Check{name, Problem, err.Error(), ""}, true
	}
	if _, unconfined := found.Unconfined(); unconfined {
		return Check{name, Worry, found.String() + ": agents and gates can reach whatever you can", engines(ctx) + "; --sandbox none says that you want it so"}, false
	}
	return Check{name, Fine, found.String(), ""}, found.Mode != loop.Unsandboxed
}

// engines is what else there is, where no fence can be had.
func engines(ctx context.Context) string {
	for _, program := range container.Engines {
		if _, err := container.Look(ctx, program); err == nil {
			return program + " is here: name an image in sandbox.image, and set sandbox.mode = \"" + program + "\""
		}
	}
	return "use a Linux with user namespaces or Landlock, docker or podman (sandbox.mode), or a virtual machine"
}
