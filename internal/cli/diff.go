package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/checkpoint"
)

func diffCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [RUN[/N[..M]]]",
		Short: "Show what a run, or one of its iterations, changed",
		Long: "Show what changed in the work tree: over the whole run, in iteration N, or from the end of\n" +
			"iteration N to the end of M. Number 0 is the tree before the first iteration. It is read from the\n" +
			"run's own checkpoints, so commits, resets and branches of the agent's make no difference.\n\n" +
			"On a terminal it is coloured and paged, and control characters in files are left out. In a pipe it\n" +
			"is what git prints, byte for byte.",
		Example:           "  refrain diff\n  refrain diff build-7/3 --stat\n  refrain diff build-7/0..5 --json",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	stat := cmd.Flags().Bool("stat", false, "only the files and how many lines")
	asJSON := addJSON(cmd)
	cmd.PreRunE = exclusive([][2]string{{"stat", "json"}})
	cmd.RunE = sh.heeding(func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		ref, span, err := spanRef(first(args))
		if err != nil {
			return err
		}
		runs, entry, err := sh.find(ref)
		if err != nil {
			return err
		}
		h, err := app.OpenHistory(ctx, runs, entry)
		if err != nil {
			return err
		}
		from, to, err := span.of(ctx, h)
		if err != nil {
			return err
		}
		if *asJSON {
			changes, err := h.Kept.Changes(ctx, from, to)
			if err != nil {
				return err
			}
			return printJSON(sh.out, map[string]any{"run": entry.Name, "from": from.ID, "to": to.ID, "changes": changes})
		}
		return sh.paged(func(w io.Writer) error {
			if !isTerminal(sh.out) {
				return h.Kept.Diff(ctx, w, from, to, checkpoint.DiffOptions{Stat: *stat})
			}
			screen := &diffScreen{to: w, color: sh.look().Color}
			if err := h.Kept.Diff(ctx, screen, from, to, checkpoint.DiffOptions{Stat: *stat}); err != nil {
				return err
			}
			return screen.Close()
		})
	})
	return cmd
}

// span is the part of a run that a person asks about. Without numbers it is the
// whole run, with one it is that iteration.
type span struct{ from, to *int }

// spanRef splits RUN/N..M.
func spanRef(arg string) (run string, s span, err error) {
	run, numbers, has := strings.Cut(arg, "/")
	if !has {
		return run, s, nil
	}
	first, second, two := strings.Cut(numbers, "..")
	if s.from, err = checkpointNumber(first); err != nil {
		return run, s, err
	}
	if two {
		s.to, err = checkpointNumber(second)
	}
	return run, s, err
}

func checkpointNumber(text string) (*int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return nil, usage(fmt.Sprintf("%q is not an iteration", text), "write it like build-7/3 or build-7/2..5; 0 is the tree before the first")
	}
	return &n, nil
}

// of finds the checkpoints at both ends.
func (s span) of(ctx context.Context, h *app.History) (from, to checkpoint.Checkpoint, err error) {
	switch {
	case s.from == nil:
		if from, err = h.At(ctx, 0); err == nil {
			to, err = h.Here(ctx)
		}
	case s.to != nil:
		if from, err = h.At(ctx, *s.from); err == nil {
			to, err = h.At(ctx, *s.to)
		}
	case *s.from == 0:
		return from, to, usage("iteration 0 is the tree before the first: it changed nothing", "write /0..N, or /1 for the first iteration")
	default:
		if from, err = h.Base(ctx, *s.from); err == nil {
			to, err = h.At(ctx, *s.from)
		}
	}
	return from, to, err
}

// paged lets a person scroll through what is written, on a terminal.
func (sh *shell) paged(write func(io.Writer) error) error {
	pager := os.Getenv("PAGER")
	if pager == "" {
		pager = "less -FRX"
	}
	argv := strings.Fields(pager)
	if !isTerminal(sh.out) || len(argv) == 0 || argv[0] == "cat" {
		return write(sh.out)
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return write(sh.out)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = sh.out, sh.err
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start %s: %w", argv[0], err)
	}
	if err := cmd.Start(); err != nil {
		return write(sh.out)
	}
	failed := write(quitter{in})
	_ = in.Close()                                      // the pager may be gone already
	if err := cmd.Wait(); err != nil && failed == nil { // it says itself what is wrong
		return nil
	}
	return failed
}

// quitter takes everything, for who quits the pager has seen enough.
type quitter struct{ io.Writer }

func (q quitter) Write(p []byte) (int, error) {
	_, _ = q.Writer.Write(p)
	return len(p), nil
}
