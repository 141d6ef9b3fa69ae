package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/term"
)

func logsCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logs [RUN[/N]]",
		Short: "Show what the agent said and did in an iteration",
		Long: "Show the transcript of iteration N, or of the last one. With -f follow a live run, iteration by\n" +
			"iteration, until it ends, with a heading for each, for gates and for the end.",
		Example:           "  refrain logs\n  refrain logs build-7/3 --raw\n  refrain logs -f",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	f := cmd.Flags()
	raw := f.Bool("raw", false, "print the agent's output exactly as it came")
	stderr := f.Bool("stderr", false, "with --raw: its error output instead")
	follow := f.BoolP("follow", "f", false, "go on as the run does")
	asJSON := addJSON(cmd)
	cmd.PreRunE = exclusive([][2]string{{"raw", "json"}, {"raw", "follow"}})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *stderr && !*raw {
			return usage("--stderr needs --raw", "error output is only kept as it came")
		}
		ref, iter, err := iterationRef(first(args))
		if err != nil {
			return err
		}
		store, entry, err := sh.meant(ref)
		if err != nil {
			return err
		}
		onward := iter == 0
		if onward {
			iter = entry.LastIteration()
		}
		log := transcript{sh: sh, store: store, entry: entry, iter: iter, out: term.Transcript(sh.out, sh.look())}
		if *asJSON {
			log.out = term.JSON(sh.out)
		}
		switch {
		case *raw && *stderr:
			return log.raw("stderr")
		case *raw:
			return log.raw("stdout")
		case *follow:
			if !*asJSON {
				log.headed, log.out = true, term.Headed(sh.out, sh.look())
			}
			return log.follow(cmd.Context(), onward)
		}
		return log.show()
	}
	return cmd
}

// transcript reads one iteration of a run.
type transcript struct {
	sh    *shell
	store journal.Store
	entry journal.Entry
	iter  int
	out   term.Output

	headed bool // out also tells what happened around the agent
}

func (t *transcript) raw(name string) error {
	dir, _, err := t.store.LastAttempt(t.entry.Name, t.iter)
	if err != nil {
		return t.missing()
	}
	f, err := files.OpenFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return t.dropped(dir)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(t.sh.out, f)
	return err
}

// show prints the transcript of the last attempt.
func (t *transcript) show() error {
	dir, _, err := t.store.LastAttempt(t.entry.Name, t.iter)
	if err != nil {
		return t.missing()
	}
	if _, err := os.Stat(filepath.Join(dir, "stdout")); errors.Is(err, fs.ErrNotExist) {
		return t.dropped(dir)
	}
	for e, err := range journal.AttemptEvents(dir) {
		if err != nil {
			return err
		}
		t.out.Observe(e)
	}
	return nil
}

// follow prints what comes until the run is over. A run that was asked for as
// a whole is followed into its next iterations.
func (t *transcript) follow(ctx context.Context, onward bool) error {
	after, err := t.begin()
	if err != nil {
		return err
	}
	for e, err := range control.Follow(ctx, t.store, t.entry.Name, after) {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case !onward && e.Iter > t.iter:
			return nil
		case e.Iter >= t.iter && !e.Type().Kept(), t.headed && (e.Iter >= t.iter || e.Iter == 0):
			t.out.Observe(e)
		}
		if f, ok := e.Payload.(*loop.IterationFinished); ok && !onward && f.State.Next() > t.iter {
			return nil
		}
	}
	return nil
}

// begin is the last event before the iteration.
func (t *transcript) begin() (after int64, err error) {
	for e, err := range t.store.Events(t.entry.Name, 0) {
		if err != nil {
			return 0, err
		}
		if e.Iter >= t.iter {
			break
		}
		after = e.Seq
	}
	return after, nil
}

func (t *transcript) missing() error {
	return usage(fmt.Sprintf("%s has no iteration %d", t.entry.Name, t.iter),
		fmt.Sprintf("\"refrain show %s\" lists its iterations", t.entry.Name))
}

// dropped tells why there is no transcript: nothing was printed, or it is old.
func (t *transcript) dropped(dir string) error {
	if keep := kept(t.entry); keep > 0 && t.iter <= t.entry.LastIteration()-keep {
		return usage(fmt.Sprintf("the transcript of %s/%d is gone", t.entry.Name, t.iter),
			"raise retention.transcripts to keep more; its result is in \"refrain show\"")
	}
	said := "the agent printed nothing"
	if info, err := os.Stat(filepath.Join(dir, "stderr")); err == nil && info.Size() > 0 {
		said += " but errors: see --raw --stderr"
	}
	fmt.Fprintln(t.sh.err, said)
	return nil
}

// kept is of how many iterations the run keeps the transcripts; 0 is all.
func kept(e journal.Entry) int {
	var settings map[string]struct{ Value any }
	if json.Unmarshal(e.Config, &settings) != nil {
		return 0
	}
	n, _ := settings["retention.transcripts"].Value.(float64)
	return int(n)
}
