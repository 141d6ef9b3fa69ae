package show

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/term"
)

// Heard is what somebody wants to hear of the agents of a run.
type Heard struct{ raw, stderr, Follow, json *bool }

// LogsFlags are the flags of a command that prints transcripts.
func LogsFlags(f *pflag.FlagSet) Heard {
	return Heard{
		raw:    f.Bool("raw", false, "print the agent's output exactly as it came"),
		stderr: f.Bool("stderr", false, "with --raw: its error output instead"),
		Follow: f.BoolP("follow", "f", false, "go on as the run does"),
		json:   AddJSON(f),
	}
}

// Check finds what is wrong with the flags.
func (h Heard) Check() error {
	exclude := func(other string) error {
		return mistake("--raw and --"+other+" exclude each other", "give one of them")
	}
	switch {
	case *h.raw && *h.json:
		return exclude("json")
	case *h.raw && *h.Follow:
		return exclude("follow")
	case *h.stderr && !*h.raw:
		return mistake("--stderr needs --raw", "error output is only kept as it came")
	}
	return nil
}

// Logs prints the transcript of an iteration, or of the last one.
func (p Page) Logs(ctx context.Context, iter int, h Heard) error {
	if err := h.Check(); err != nil {
		return err
	}
	onward := iter == 0
	if onward {
		iter = p.Entry.LastIteration()
	}
	log := transcript{Page: p, iter: iter, out: term.Transcript(p.Out, p.Look)}
	if *h.json {
		log.out = term.JSON(p.Out)
	}
	switch {
	case *h.raw && *h.stderr:
		return log.raw("stderr")
	case *h.raw:
		return log.raw("stdout")
	case *h.Follow:
		if !*h.json {
			log.headed, log.out = true, term.Headed(p.Out, p.Look)
		}
		return log.follow(ctx, onward)
	}
	return log.show()
}

// transcript reads one iteration of a run.
type transcript struct {
	Page
	iter int
	out  term.Output

	headed bool // out also tells what happened around the agent
}

func (t *transcript) raw(name string) error {
	dir, _, err := t.Store.LastAttempt(t.Entry.Name, t.iter)
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
	_, err = io.Copy(t.Out, f)
	return err
}

// show prints the transcript of the last attempt.
func (t *transcript) show() error {
	dir, _, err := t.Store.LastAttempt(t.Entry.Name, t.iter)
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
	for e, err := range control.Follow(ctx, t.Store, t.Entry.Name, after) {
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
	for e, err := range t.Store.Events(t.Entry.Name, 0) {
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
	return mistake(fmt.Sprintf("%s has no iteration %d", t.Called, t.iter),
		fmt.Sprintf("%q lists its iterations", t.command("show", "")))
}

// dropped tells why there is no transcript: nothing was printed, or it is old.
func (t *transcript) dropped(dir string) error {
	if keep := kept(t.Entry); keep > 0 && t.iter <= t.Entry.LastIteration()-keep {
		return mistake(fmt.Sprintf("the transcript of %s/%d is gone", t.Called, t.iter),
			fmt.Sprintf("raise retention.transcripts to keep more; its result is in \"%s show\"", t.Program))
	}
	said := "the agent printed nothing"
	if info, err := os.Stat(filepath.Join(dir, "stderr")); err == nil && info.Size() > 0 {
		said += " but errors: see --raw --stderr"
	}
	fmt.Fprintln(t.Err, said)
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
