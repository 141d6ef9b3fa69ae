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
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/term"
)

// followEvery is how often a live run is looked at.
const followEvery = 200 * time.Millisecond

func logsCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logs [RUN[/N]]",
		Short: "Show what the agent said and did in an iteration",
		Long: "Show the transcript of iteration N, or of the last one. With -f follow a live run, iteration by\n" +
			"iteration, until it ends.",
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
		store, entry, err := sh.find(ref)
		if err != nil {
			return err
		}
		onward := iter == 0
		if onward {
			iter = lastIteration(entry)
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
			return log.follow(cmd.Context(), onward)
		}
		return log.show()
	}
	return cmd
}

// lastIteration is the one under way, or the last that was.
func lastIteration(e journal.Entry) int {
	last := 1
	if e.Last != nil {
		last = e.Last.Iter
	}
	for _, ev := range e.Tail {
		last = max(last, ev.Iter)
	}
	return last
}

// transcript reads one iteration of a run.
type transcript struct {
	sh    *shell
	store journal.Store
	entry journal.Entry
	iter  int
	out   term.Output
	seen  int64 // the last event shown
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
	return t.print(dir)
}

// print shows the events of an attempt that were not shown yet.
func (t *transcript) print(dir string) error {
	for e, err := range journal.AttemptEvents(dir) {
		if err != nil {
			return err
		}
		if e.Seq > t.seen {
			t.out.Observe(e)
			t.seen = e.Seq
		}
	}
	return nil
}

// follow prints what comes until the run is over. A run that was asked for as
// a whole is followed into its next iterations.
func (t *transcript) follow(ctx context.Context, onward bool) error {
	for {
		entry, err := t.store.Load(t.entry.Name)
		if err != nil {
			return err
		}
		over := t.store.Status(entry).Ended() // asked first: what comes after it is complete
		for ; ; t.iter++ {
			for n := 1; ; n++ {
				dir := t.store.AttemptDir(t.entry.Name, t.iter, n)
				if _, err := os.Stat(dir); err != nil {
					break
				}
				if err := t.print(dir); err != nil {
					return err
				}
			}
			if !onward || t.iter >= lastIteration(entry) {
				break
			}
		}
		if over || !onward && finishedBy(entry, t.iter) {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
	}
}

// finishedBy tells whether an iteration is over: a later one began, or it was
// the last that finished and none is under way.
func finishedBy(e journal.Entry, iter int) bool {
	return lastIteration(e) > iter || e.Last != nil && e.State.Next() > iter
}

func (t *transcript) missing() error {
	return usage(fmt.Sprintf("%s has no iteration %d", t.entry.Name, t.iter),
		fmt.Sprintf("\"refrain show %s\" lists its iterations", t.entry.Name))
}

// dropped tells why there is no transcript: nothing was printed, or it is old.
func (t *transcript) dropped(dir string) error {
	if keep := kept(t.entry); keep > 0 && t.iter <= lastIteration(t.entry)-keep {
		return usage(fmt.Sprintf("the transcript of %s/%d is gone", t.entry.Name, t.iter),
			"raise retention.transcripts to keep more; what it came to is in \"refrain show\"")
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
