package container

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/refrain-loop/refrain/internal/outside"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Look finds an engine on this machine. The error is an *Error.
func Look(ctx context.Context, program string) (Engine, error) {
	e := Engine{Program: program}
	if runtime.GOOS == "windows" {
		return e, &Error{What: "paths of Windows mean nothing in a container", Remedy: "use refrain in WSL"}
	}
	if _, err := outside.Find(program); err != nil {
		return e, &Error{What: program + " cannot be found", Remedy: "install " + program}
	}
	answer, err := ask(ctx, proc.Run, e.about(), os.Environ())
	if err != nil {
		return e, &Error{What: program + " does not answer", Remedy: fmt.Sprintf("start it, and see that %q works", program+" info"), Err: err}
	}
	return e.hear(answer), nil
}

// Has sees that an image is on this machine with the programs that are needed in
// it. Nothing is pulled: what an agent works in is for a person to fetch. The error
// is an *Error.
func (e Engine) Has(ctx context.Context, image string, programs ...string) error {
	if image == "" {
		return &Error{What: "sandbox.image is not set", Remedy: `name the image to work in, as in sandbox.image = "node:22"; "refrain init --dockerfile" writes a Dockerfile for one`}
	}
	if _, err := ask(ctx, proc.Run, e.image(image), os.Environ()); err != nil {
		return &Error{What: "image " + image + " is not on this machine", Remedy: fmt.Sprintf("fetch it with \"%s pull %s\", or make it with \"%s build -t %s .\"", e.Program, image, e.Program, image), Err: err}
	}
	answer, err := ask(ctx, proc.Run, e.lacks(image, programs), os.Environ())
	if err != nil {
		return &Error{What: "image " + image + " does not work", Remedy: "it needs sh, cat and git", Err: err}
	}
	var missing []string
	for line := range strings.Lines(answer) {
		if program, ok := strings.CutPrefix(strings.TrimSpace(line), lacking); ok {
			missing = append(missing, program)
		}
	}
	if len(missing) > 0 {
		return &Error{What: fmt.Sprintf("image %s has no %s", image, strings.Join(missing, " and no ")), Remedy: "put it into the image; \"refrain init --dockerfile\" shows how"}
	}
	return nil
}
