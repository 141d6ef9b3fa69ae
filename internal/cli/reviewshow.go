package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/review"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// reviewedFile is a file with what stands beside its change.
type reviewedFile struct {
	history.Touched
	Hunks []review.Hunk `json:"hunks,omitempty"`
}

// json is all of it for scripts.
func (r *reviewed) json(ctx context.Context) (any, error) {
	net := r.run.Net()
	if net == nil {
		net = &loop.Changes{}
	}
	files := []reviewedFile{}
	for _, f := range r.files {
		hunks, err := r.hunks(ctx, f)
		if err != nil {
			return nil, err
		}
		files = append(files, reviewedFile{f, hunks})
	}
	return struct {
		Run      string         `json:"run"`
		Net      *loop.Changes  `json:"net"`
		Files    []reviewedFile `json:"files"`
		Refusals []loop.Refusal `json:"refusals,omitempty"`
		Proof    *loop.Proof    `json:"proof,omitempty"`
		loop.Later
	}{r.run.Name, net, files, r.run.Sum.Refusals, r.run.Proof(), r.run.Sum.Later}, nil
}

// hunks are the places at which a file was changed.
func (r *reviewed) hunks(ctx context.Context, f history.Touched) ([]review.Hunk, error) {
	var diff bytes.Buffer
	err := r.diff(ctx, &diff, f)
	return review.Hunks(diff.Bytes()), err
}

// overview prints what the run came to, by task.
func (r *reviewed) overview() {
	out, changed := r.sh.out, r.run.Changed()
	fmt.Fprintf(out, "%s: %s, +%d -%d lines\n", r.run.Name, text.Plural(changed.Files, "file"), changed.LinesAdded, changed.LinesRemoved)
	for _, task := range r.tasks() {
		fmt.Fprintf(out, "\n%s\n", text.Line(task))
		for _, f := range r.files {
			if of(f, task) {
				fmt.Fprintf(out, "  %s\n", r.fileWords(f))
			}
		}
	}
	r.section("Refused claims", r.run.Refused())
	r.section("Changed tests", view.ChangedTests(r.run.Proof()))
	var later []string
	for _, file := range r.run.Sum.RunsLater {
		later = append(later, view.LaterFile(file)+": "+view.LaterWhy(file))
	}
	if more := r.run.Sum.RunsLaterMore; more > 0 {
		later = append(later, "and "+text.Plural(more, "more file"))
	}
	r.section("Runs by itself later", later)
	if more := changed.Files - len(r.files); more > 0 {
		fmt.Fprintf(out, "\n%s are not listed\n", text.Plural(more, "more file"))
	}
}

func (r *reviewed) section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(r.sh.out, "\n%s\n", title)
	for _, line := range lines {
		fmt.Fprintf(r.sh.out, "  %s\n", line)
	}
}

// tasks are those that the files were changed for, in the order of the files'
// first changes, and noTask.
func (r *reviewed) tasks() []string {
	sorted := slices.Clone(r.files)
	slices.SortStableFunc(sorted, func(a, b history.Touched) int { return firstIteration(a) - firstIteration(b) })
	var list []string
	none := false
	for _, f := range sorted {
		none = none || len(f.Tasks) == 0
		for _, task := range f.Tasks {
			if !slices.Contains(list, task) {
				list = append(list, task)
			}
		}
	}
	if none {
		list = append(list, noTask)
	}
	return list
}

// firstIteration is the first iteration that changed a file.
func firstIteration(f history.Touched) int {
	if len(f.Iterations) == 0 {
		return 0
	}
	return f.Iterations[0]
}

// fileWords is a file, what happened to it, and in which iterations; and what is to
// be known of those.
func (r *reviewed) fileWords(f history.Touched) string {
	said := fmt.Sprintf("%-8s %s", f.Change, text.Path(f.Path))
	if f.From != "" {
		said += " (was " + text.Path(f.From) + ")"
	}
	var more, refused []string
	if n := len(f.Iterations); n > 0 {
		var numbers []string
		for _, i := range f.Iterations {
			numbers = append(numbers, fmt.Sprint(i))
			if slices.ContainsFunc(r.run.Sum.Refusals, func(refusal loop.Refusal) bool { return refusal.Iteration == i }) {
				refused = append(refused, fmt.Sprint(i))
			}
		}
		more = append(more, text.OneOrMany(n, "iteration ", "iterations ")+text.FirstFew(numbers))
	}
	if n := len(f.Tasks); n > 1 {
		more = append(more, fmt.Sprintf("for %d tasks", n))
	}
	if len(refused) > 0 {
		more = append(more, "claim refused in "+text.FirstFew(refused))
	}
	if p := r.run.Proof(); p != nil && slices.Contains(p.Files, f.Path) {
		more = append(more, "decides what is tested")
	}
	if len(more) > 0 {
		said += "  " + strings.Join(more, ", ")
	}
	return said
}

// diff writes the change of one file.
func (r *reviewed) diff(ctx context.Context, w io.Writer, f history.Touched) error {
	from, err := r.h.At(ctx, 0)
	if err != nil {
		return err
	}
	to, err := r.h.Here(ctx)
	if err != nil {
		return err
	}
	paths := []string{r.h.Tree.Prefix() + f.Path}
	if f.From != "" {
		paths = append(paths, r.h.Tree.Prefix()+f.From)
	}
	return r.h.Kept.Diff(ctx, w, from, to, checkpoint.DiffOptions{Paths: paths})
}
