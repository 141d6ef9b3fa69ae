package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func reviewCommand(sh *shell) *cobra.Command {
	var drop, tasks []string
	cmd := &cobra.Command{
		Use:   "review [RUN]",
		Short: "Look through what a run changed, and drop what you do not want",
		Long: "Show what a run came to, by task and file, with the claims that were refused, the tests that do not hold\n" +
			"as they were, and the files that run by themselves later. On a terminal it then asks about each file: keep\n" +
			"it, drop it, or drop all files of its task. Nothing is touched before you have answered for all of them.\n\n" +
			"A file that is dropped is put back as it was before the run; all others stay as they are. What was there\n" +
			"is kept as a checkpoint first, and the answer says how to get it back. Commits, the index and the\n" +
			"branches stay as they are.",
		Example:           "  refrain review\n  refrain review build-7 --drop notes.txt\n  refrain review build-7 --drop-task 'Write the docs' --json",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	f := cmd.Flags()
	f.StringArrayVar(&drop, "drop", nil, "put this file back as it was before the run; can be given several times")
	f.StringArrayVar(&tasks, "drop-task", nil, "the same for all files that only this task has changed")
	asJSON := addJSON(cmd)
	review := func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		runs, entry, err := sh.find(first(args))
		if err != nil {
			return err
		}
		h, err := history.Open(ctx, runs, entry)
		if err != nil {
			return err
		}
		files, err := h.Touched(ctx)
		if err != nil {
			return err
		}
		r := &reviewed{sh: sh, h: h, entry: entry, run: lookClosely(runs, entry), files: files}
		asked := len(drop)+len(tasks) > 0
		switch {
		case asked:
			chosen, err := r.chosen(drop, tasks)
			if err != nil {
				return err
			}
			return r.drop(ctx, chosen, *asJSON)
		case *asJSON:
			return printJSON(sh.out, r.json())
		}
		r.overview()
		if len(files) == 0 || !isTerminal(sh.in) || !isTerminal(sh.out) || !r.run.State.Ended() {
			return nil
		}
		chosen, err := r.ask(ctx)
		if err != nil || len(chosen) == 0 {
			return err
		}
		return r.drop(ctx, chosen, false)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(drop)+len(tasks) > 0 {
			return sh.heeding(review)(cmd, args)
		}
		return review(cmd, args) // it may ask, and there Ctrl+C ends it at once
	}
	return cmd
}

// reviewed is a run that somebody looks through.
type reviewed struct {
	sh    *shell
	h     *history.History
	entry journal.Entry
	run   *view.Run
	files []history.Touched
}

// json is all of it for scripts.
func (r *reviewed) json() any {
	net := r.run.Net()
	if net == nil {
		net = &loop.Changes{}
	}
	return struct {
		Run      string            `json:"run"`
		Net      *loop.Changes     `json:"net"`
		Files    []history.Touched `json:"files"`
		Refusals []loop.Refusal    `json:"refusals,omitempty"`
		Proof    *loop.Proof       `json:"proof,omitempty"`
		loop.Later
	}{r.run.Name, net, r.files, r.run.Sum.Refusals, r.run.Proof(), r.run.Sum.Later}
}

// noTask heads the files that no iteration with a task has changed.
const noTask = "No task"

// overview prints what the run came to, by task.
func (r *reviewed) overview() {
	out, changed := r.sh.out, r.run.Changed()
	fmt.Fprintf(out, "%s: %s, +%d -%d lines\n", r.run.Name, text.Plural(changed.Files, "file"), changed.LinesAdded, changed.LinesRemoved)
	for _, task := range r.tasks() {
		fmt.Fprintf(out, "\n%s\n", text.Line(task))
		for _, f := range r.files {
			if of(f, task) {
				fmt.Fprintf(out, "  %s\n", fileWords(f))
			}
		}
	}
	r.section("Refused claims", r.run.Refused())
	r.section("Tests that do not hold as they were", view.ChangedTests(r.run.Proof()))
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

func of(f history.Touched, task string) bool {
	return slices.Contains(f.Tasks, task) || task == noTask && len(f.Tasks) == 0
}

// fileWords is a file, what happened to it, and in which iterations.
func fileWords(f history.Touched) string {
	said := fmt.Sprintf("%-8s %s", f.Change, text.Path(f.Path))
	if f.From != "" {
		said += " (was " + text.Path(f.From) + ")"
	}
	var more []string
	if n := len(f.Iterations); n > 0 {
		var numbers []string
		for _, i := range f.Iterations {
			numbers = append(numbers, fmt.Sprint(i))
		}
		more = append(more, text.OneOrMany(n, "iteration ", "iterations ")+text.FirstFew(numbers))
	}
	if n := len(f.Tasks); n > 1 {
		more = append(more, fmt.Sprintf("for %d tasks", n))
	}
	if len(more) > 0 {
		said += "  " + strings.Join(more, ", ")
	}
	return said
}

// chosen finds the files that are named, and those of the tasks that are.
func (r *reviewed) chosen(paths, tasks []string) ([]history.Touched, error) {
	var list []history.Touched
	add := func(f history.Touched) {
		if !slices.ContainsFunc(list, func(have history.Touched) bool { return have.Path == f.Path }) {
			list = append(list, f)
		}
	}
	hint := fmt.Sprintf("\"refrain review %s\" lists them", r.entry.Name)
	for _, path := range paths {
		at := slices.IndexFunc(r.files, func(f history.Touched) bool { return f.Path == path || f.From == path && path != "" })
		if at < 0 {
			return nil, usage(fmt.Sprintf("%s is no file that %s has changed", path, r.entry.Name), "name it from the work tree on; "+hint)
		}
		add(r.files[at])
	}
	for _, task := range tasks {
		if !slices.Contains(r.tasks(), task) || task == noTask {
			return nil, usage(fmt.Sprintf("%q is no task for which %s has changed files", task, r.entry.Name), "write it as it stands in the plan; "+hint)
		}
		own := r.only(task)
		if len(own) == 0 {
			return nil, usage(fmt.Sprintf("all files of %q were changed for other tasks too", task), "drop them one by one with --drop FILE; "+hint)
		}
		for _, f := range own {
			add(f)
		}
	}
	return list, nil
}

// only lists the files that were changed for a task and for no other: what others
// need does not go with it.
func (r *reviewed) only(task string) []history.Touched {
	var list []history.Touched
	for _, f := range r.files {
		if of(f, task) && len(f.Tasks) <= 1 {
			list = append(list, f)
		}
	}
	return list
}

// drop puts files back, and says what that did.
func (r *reviewed) drop(ctx context.Context, files []history.Touched, asJSON bool) error {
	if err := belongsHere(r.sh, r.entry); err != nil {
		return err
	}
	undone, err := r.h.Drop(ctx, files, nil)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(r.sh.out, map[string]any{"run": r.entry.Name, "dropped": files, "kept": undone.Kept, "changes": undone.Changes})
	}
	for _, f := range files {
		fmt.Fprintf(r.sh.out, "dropped %s\n", text.Path(f.Path))
	}
	fmt.Fprintf(r.sh.out, "%s. Undo with: refrain rollback %s/%s\n", text.Sentence(changed(undone.Changes)), r.entry.Name, undone.Kept)
	return nil
}

// ask goes through the files, and gives those to drop. Who quits drops nothing.
func (r *reviewed) ask(ctx context.Context) ([]history.Touched, error) {
	in := bufio.NewReader(r.sh.in)
	answers := map[string]bool{} // by path: whether it is dropped
	for i := 0; i < len(r.files); {
		f := r.files[i]
		if _, done := answers[f.Path]; done {
			i++
			continue
		}
		fmt.Fprintf(r.sh.out, "\n(%d/%d) %s\n[k]eep  [d]rop  drop its [t]ask  [v]iew  [q]uit? ", i+1, len(r.files), fileWords(f))
		line, err := in.ReadString('\n')
		if err != nil {
			line = "q" // no answer drops nothing
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "k", "keep", "":
			answers[f.Path] = false
		case "d", "drop":
			answers[f.Path] = true
		case "t", "task":
			r.dropTask(f, answers)
		case "v", "view":
			if err := r.view(ctx, f); err != nil {
				return nil, err
			}
		case "q", "quit":
			fmt.Fprintln(r.sh.out, "Nothing was dropped.")
			return nil, nil
		default:
			fmt.Fprintln(r.sh.out, "Type one of the letters, then Enter. Enter alone keeps the file.")
		}
	}
	var list []history.Touched
	for _, f := range r.files {
		if answers[f.Path] {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(r.sh.out, "Everything is kept.")
	}
	return list, nil
}

// dropTask answers for all files of a file's only task.
func (r *reviewed) dropTask(f history.Touched, answers map[string]bool) {
	if len(f.Tasks) != 1 {
		fmt.Fprintf(r.sh.out, "It belongs to %s: drop or keep it by itself.\n", text.Plural(len(f.Tasks), "task"))
		return
	}
	for _, own := range r.only(f.Tasks[0]) {
		if _, done := answers[own.Path]; !done {
			answers[own.Path] = true
			fmt.Fprintf(r.sh.out, "drops %s\n", text.Path(own.Path))
		}
	}
}

// view shows the change of one file.
func (r *reviewed) view(ctx context.Context, f history.Touched) error {
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
	return r.sh.paged(func(w io.Writer) error {
		screen := &diffScreen{to: w, color: r.sh.look().Color}
		if err := r.h.Kept.Diff(ctx, screen, from, to, checkpoint.DiffOptions{Paths: paths}); err != nil {
			return err
		}
		return screen.Close()
	})
}
