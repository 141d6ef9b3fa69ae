package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/container"
	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Wish is what settings ask of a sandbox.
type Wish struct {
	Mode     string
	Allow    []string
	Network  string
	Image    string   // of containers
	Programs []string // that have to be in it
}

// Find is what a run would be held in here, and what is let in that leads out of it.
// A network of listed hosts is refused where nothing holds anybody to the list.
func Find(ctx context.Context, w Wish) (*loop.Sandbox, error) {
	home, _ := os.UserHomeDir() // without one there is none to open
	found := &loop.Sandbox{Wanted: w.Mode, Open: Place{Home: home, Allow: w.Allow, Getenv: os.Getenv}.Escapes(), Network: w.Network}
	if container.Known(w.Mode) {
		if err := tryContainers(ctx, w); err != nil {
			return nil, &UnavailableError{Wanted: w.Mode, Err: err}
		}
		found.Mode, found.Image = w.Mode, w.Image
		return found, nil
	}
	kind, why, err := Choose(w.Mode, fence.Kinds, func(k fence.Kind) error { return explain(fence.Look(), k, proc.TryFence(ctx, k)) })
	if err != nil {
		return nil, err
	}
	if kind == fence.None && w.Network != openNetwork {
		return nil, &UnconfinedError{Network: w.Network, Wanted: w.Mode, Why: why}
	}
	found.Mode, found.Why = string(kind), join(why, lacking(fence.Look(), kind))
	return found, nil
}

// tryContainers sees that containers of the image can be had. Nothing holds them to
// a list of hosts yet.
func tryContainers(ctx context.Context, w Wish) error {
	engine, err := container.Look(ctx, w.Mode)
	if err != nil {
		return err
	}
	if w.Network != openNetwork {
		return &container.Error{
			What:   fmt.Sprintf("sandbox.network = %q does not work with containers yet", w.Network),
			Remedy: `set sandbox.network = "open", and say what they may reach in sandbox.options, such as "--network=none"`,
		}
	}
	return engine.Has(ctx, w.Image, w.Programs...)
}

// openNetwork is the network of the host.
const openNetwork = "open"

// explain gives why a kind does not hold in words that a person can look up, where
// the machine says more than the try does: that ends in whatever the kernel answers
// first. A machine that seems to lack something and holds all the same is believed.
func explain(f fence.Facts, kind fence.Kind, err error) error {
	switch {
	case err == nil:
		return nil
	case kind == fence.Namespaces && f.NoUsers != "":
		return &fence.Error{Kind: kind, What: "no user namespaces", Err: errors.New(f.NoUsers)}
	case kind == fence.Landlock && f.Landlock == 0 && f.Kernel != "":
		return &fence.Error{Kind: kind, Err: errors.New("Linux " + f.Kernel + " has no Landlock")}
	}
	return err
}

// Choose gives the kind of sandbox that is wanted. Each kind is tried; one that does
// not hold what it should is not called by its name. With "auto" it is the best
// that holds, with why it is no better one; else it is that kind or an
// *UnavailableError. The kinds are those of the system, the best first.
func Choose(wanted string, kinds []fence.Kind, try func(fence.Kind) error) (kind fence.Kind, why string, err error) {
	switch wanted {
	case "none":
		return fence.None, "", nil
	case "auto":
	default:
		if system := systemOf(fence.Kind(wanted)); !slices.Contains(kinds, fence.Kind(wanted)) && system != "" {
			return "", "", &UnavailableError{Wanted: wanted, Err: errors.New("it is for " + system)}
		}
		if err := try(fence.Kind(wanted)); err != nil {
			return "", "", &UnavailableError{Wanted: wanted, Err: err}
		}
		return fence.Kind(wanted), "", nil
	}
	if len(kinds) == 0 {
		return fence.None, "none is built for " + runtime.GOOS + " yet", nil
	}
	for _, kind := range kinds {
		err := try(kind)
		if err == nil {
			return kind, why, nil
		}
		why = join(why, whyNot(err))
	}
	return fence.None, why, nil
}

// systemOf is where there is a kind.
func systemOf(kind fence.Kind) string {
	switch kind {
	case fence.Seatbelt:
		return "macOS"
	case fence.Landlock, fence.Namespaces:
		return "Linux"
	}
	return ""
}

// lacking is what a kind that holds does not stop on this kernel; empty: nothing that
// it should.
func lacking(f fence.Facts, kind fence.Kind) string {
	switch kind {
	case fence.Landlock:
		return strings.Join(f.Lacks(), "; ")
	case fence.Namespaces:
		return strings.Join(f.LacksApart(), "; ")
	}
	return ""
}

// join puts reasons together; two kinds may lack the same.
func join(a, b string) string {
	if a == "" || a == b {
		return b
	}
	if b == "" {
		return a
	}
	return a + "; " + b
}

// whyNot is why a kind can not be had, without its name.
func whyNot(err error) string {
	var said *fence.Error
	if !errors.As(err, &said) {
		return err.Error()
	}
	if said.What == "" {
		return said.Err.Error()
	}
	return said.What + ": " + said.Err.Error()
}

// UnavailableError says that this machine has no such sandbox.
type UnavailableError struct {
	Wanted string
	Err    error
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("sandbox.mode = %q can not be had here: %s", e.Wanted, whyNot(e.Err))
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *UnavailableError) Hint() string {
	var boxless *container.Error
	if errors.As(e.Err, &boxless) {
		return boxless.Hint()
	}
	return strings.Join([]string{`"refrain doctor" tells what there is`, "--sandbox auto takes the best of it", "--sandbox none does without"}, "; ")
}

// UnconfinedError says that a network can not be had without a sandbox.
type UnconfinedError struct {
	Network string
	Wanted  string // the mode
	Why     string // there is no sandbox
}

func (e *UnconfinedError) Error() string {
	said := fmt.Sprintf("sandbox.network = %q needs a sandbox, and ", e.Network)
	if e.Why == "" {
		return said + fmt.Sprintf("sandbox.mode is %q", e.Wanted)
	}
	return said + "there is none here: " + e.Why
}

// Hint says what to do.
func (e *UnconfinedError) Hint() string {
	if e.Why == "" {
		return `use --sandbox auto, or set sandbox.network = "open"`
	}
	return `"refrain doctor" tells what is missing; sandbox.network = "open" does without`
}
