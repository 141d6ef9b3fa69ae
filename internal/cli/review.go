package cli

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/review"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// reviewWishes is what somebody wants of a run that they look through.
type reviewWishes struct {
	drop, dropTasks, dropHunks []string
	only, onlyTasks            []string
	squash, one                bool
	message, onto, branch      string
	noVerify, dryRun, finish   bool
}

func (w *reviewWishes) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&w.drop, "drop", nil, "put this file back as it was before the run; can be given several times")
	f.StringArrayVar(&w.dropTasks, "drop-task", nil, "the same for all files that only this task has changed")
	f.StringArrayVar(&w.dropHunks, "drop-hunk", nil, "the same for hunk N of a file, as --json numbers them")
	f.StringArrayVar(&w.only, "only", nil, "keep this file, and drop what is not named so")
	f.StringArrayVar(&w.onlyTasks, "only-task", nil, "the same for all files of this task")
	f.BoolVar(&w.squash, "squash", false, "make commits of what is left: one for each task")
	f.BoolVar(&w.one, "one", false, "make one commit of all of it")
	f.StringVarP(&w.message, "message", "m", "", "the subject of the one commit")
	f.StringVar(&w.onto, "onto", "", "hand the work to this branch, wherever it is checked out")
	f.StringVar(&w.branch, "branch", "", "hand it to a new branch of this name")
	f.BoolVar(&w.noVerify, "no-verify", false, "commit without git's hooks")
	f.BoolVar(&w.dryRun, "dry-run", false, "only show which commits would be made")
	f.BoolVar(&w.finish, "finish", false, "only finish what a review that was killed has begun")
}

// drops tells whether files are to be put back, and commits whether commits are to be made.
func (w *reviewWishes) drops() bool {
	return len(w.drop)+len(w.dropTasks)+len(w.dropHunks)+len(w.only)+len(w.onlyTasks) > 0
}

func (w *reviewWishes) commits() bool { return w.squash || w.one || w.onto != "" || w.branch != "" }

// check refuses what does not go together.
func (w *reviewWishes) check() error {
	switch {
	case w.finish && (w.drops() || w.commits()):
		return usage("--finish stands by itself", "what was begun is finished before anything else is dropped or committed; leave it out")
	case len(w.only)+len(w.onlyTasks) > 0 && len(w.drop)+len(w.dropTasks)+len(w.dropHunks) > 0:
		return usage("--only and --drop exclude each other", "name what stays, or what goes")
	case w.onto != "" && w.branch != "":
		return usage("--onto and --branch exclude each other", "--onto is for a branch that is there, --branch for a new one")
	case w.message != "" && !w.one:
		return usage("--message needs --one", "several commits have the names of their tasks")
	case (w.noVerify || w.dryRun) && !w.commits():
		return usage("--no-verify and --dry-run are for commits", "add --squash, --one, --onto BRANCH or --branch NAME")
	case w.dryRun && w.drops():
		return usage("--dry-run shows commits, and drops nothing", "drop first, or leave that out")
	}
	return nil
}

func reviewCommand(sh *shell) *cobra.Command {
	var wishes reviewWishes
	cmd := &cobra.Command{
		Use:   "review [RUN]",
		Short: "Look through what a run changed, drop what you do not want, commit the rest",
		Long: "Show what a run came to, by task and file, with the claims that were refused, the changed tests, and\n" +
			"the files that run by themselves later. On a terminal it then asks about each file: keep it, drop it, drop all\n" +
			"files of its task, or go through its hunks. At the end it asks whether to make commits of what is left.\n" +
			"Nothing is touched before you have answered.\n\n" +
			"What is dropped is put back as it was before the run; all else stays as it is. What was there is kept as a\n" +
			"checkpoint first, and the answer says how to get it back.\n\n" +
			"--squash makes one commit for each task of the plan, --one makes one of all, in your name and with your hooks.\n" +
			"Only what the run changed is in them: your own work, staged or not, stays as it is. Commits that the run has\n" +
			"made itself are replaced. --onto and --branch make them on another branch; a branch that only has to be\n" +
			"moved on to the run's own commits gets those, unless you say --squash. Where something does not go\n" +
			"together, no commit is made and no branch is moved; what was dropped by the same command stays dropped.\n\n" +
			"What a review that was killed has left half done, the next one that drops or commits makes whole first; --finish\n" +
			"does only that. Files that you have changed since are left alone.",
		Example: "  refrain review\n  refrain review build-7 --drop notes.txt --squash\n  refrain review build-7 --one -m 'Add an export command' --onto main\n" +
			"  refrain review build-7 --drop-task 'Write the docs' --json",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	wishes.flags(cmd.Flags())
	asJSON := addJSON(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error { return wishes.check() }
	review := func(cmd *cobra.Command, args []string) error {
		r, err := openReview(cmd.Context(), sh, first(args))
		if err != nil {
			return err
		}
		switch {
		case wishes.finish:
			return r.onlyFinish(cmd.Context(), *asJSON)
		case wishes.drops() || wishes.commits():
			return r.do(cmd.Context(), &wishes, *asJSON)
		}
		r.tellCutShort()
		if *asJSON {
			all, err := r.json(cmd.Context())
			if err != nil {
				return err
			}
			return printJSON(sh.out, all)
		}
		r.overview()
		if len(r.files) == 0 || !isTerminal(sh.in) || !isTerminal(sh.out) || !r.run.State.Ended() {
			return nil
		}
		// Questions are ended by Ctrl+C at once. What is done then is not cut in two.
		ctx := cmd.Context()
		return r.ask(ctx, bufio.NewReader(sh.in), func(act func(context.Context) error) error {
			cmd.SetContext(ctx) // the one before has ended its own
			return sh.heeding(func(cmd *cobra.Command, _ []string) error { return act(cmd.Context()) })(cmd, nil)
		})
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if wishes.drops() || wishes.commits() || wishes.finish {
			return sh.heeding(review)(cmd, args)
		}
		return review(cmd, args)
	}
	return cmd
}

// openReview opens a run to look through.
func openReview(ctx context.Context, sh *shell, ref string) (*reviewed, error) {
	runs, entry, err := sh.find(ref)
	if err != nil {
		return nil, err
	}
	h, err := history.Open(ctx, runs, entry)
	if err != nil {
		return nil, err
	}
	r := &reviewed{sh: sh, h: h, entry: entry, run: lookClosely(runs, entry)}
	r.files, err = h.Touched(ctx)
	return r, err
}

// finish makes whole what a review that was killed has left. It goes before all that
// changes something, and before nothing else: who only looks changes nothing.
func (r *reviewed) finish(ctx context.Context) (history.Finished, error) {
	done, err := r.h.Finish(ctx)
	if err == nil && done.What != "" {
		fmt.Fprintf(r.sh.err, "The last review was cut short: %s now. Undo with: %s\n", done.What, done.Undo)
	}
	return done, err
}

func (r *reviewed) onlyFinish(ctx context.Context, asJSON bool) error {
	done, err := r.finish(ctx)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(r.sh.out, struct {
			Run string `json:"run"`
			history.Finished
		}{r.entry.Name, done})
	case done.What == "":
		fmt.Fprintln(r.sh.out, "Nothing was left to finish.")
	}
	return nil
}

// tellCutShort says that a review was killed, to who only looks.
func (r *reviewed) tellCutShort() {
	if r.h.CutShort() && r.run.State.Ended() {
		fmt.Fprintf(r.sh.err, "The last review was cut short. Finish it with: refrain review %s --finish\n", r.entry.Name)
	}
}

// reviewed is a run that somebody looks through.
type reviewed struct {
	sh    *shell
	h     *history.History
	entry journal.Entry
	run   *view.Run
	files []history.Touched
}

// do does what was asked for on the command line: drop first, then commit.
func (r *reviewed) do(ctx context.Context, w *reviewWishes, asJSON bool) error {
	said := map[string]any{"run": r.entry.Name}
	if w.dryRun {
		r.tellCutShort()
	} else if _, err := r.finish(ctx); err != nil {
		return err
	}
	undo := ""
	if w.drops() {
		files, rests, err := r.chosen(ctx, w)
		if err != nil {
			return err
		}
		undone, err := r.drop(ctx, files, rests, asJSON)
		if err != nil {
			return err
		}
		undo = fmt.Sprintf("refrain rollback %s/%s", r.entry.Name, undone.Kept)
		said["dropped"], said["kept"], said["changes"] = files, undone.Kept, undone.Changes
		if len(undone.Since) > 0 {
			said["changed_since"] = undone.Since
		}
		if len(rests) > 0 {
			said["cut"] = restored(rests)
		}
		if r, err = openReview(ctx, r.sh, r.entry.Name); err != nil {
			return err
		}
	}
	if w.commits() {
		done, err := r.squash(ctx, w)
		if err != nil {
			return r.notSquashed(err, undo, said, done, asJSON)
		}
		if asJSON {
			said["squash"] = done
		} else {
			r.tellSquash(done, w.dryRun)
		}
	}
	if asJSON {
		return printJSON(r.sh.out, said)
	}
	return nil
}

// notSquashed is the failure of commits, with what was done before it: files were
// dropped, which undo takes back, or a branch has moved.
func (r *reviewed) notSquashed(err error, undo string, said map[string]any, done *history.Squashed, asJSON bool) error {
	if undo == "" && done == nil {
		return err
	}
	told := explain(err)
	if undo != "" {
		hint := fmt.Sprintf("the files are dropped (undo: %s)", undo)
		if told.hint != "" {
			hint += "; " + told.hint
		}
		told.hint = hint
	}
	if asJSON {
		said["error"] = told.what
		if done != nil {
			said["squash"] = done
		}
		if err := printJSON(r.sh.out, said); err != nil {
			return err
		}
	}
	return told
}

func restored(rests []history.Rest) []string {
	var list []string
	for _, r := range rests {
		list = append(list, r.Path)
	}
	return list
}

// noTask heads the files that no iteration with a task has changed.
const noTask = "No task"

func of(f history.Touched, task string) bool {
	return slices.Contains(f.Tasks, task) || task == noTask && len(f.Tasks) == 0
}

// chosen finds what is to be dropped: whole files, and what others hold without some
// of their hunks.
func (r *reviewed) chosen(ctx context.Context, w *reviewWishes) ([]history.Touched, []history.Rest, error) {
	if len(w.only)+len(w.onlyTasks) > 0 {
		kept, err := r.named(w.only, w.onlyTasks, of)
		if err != nil {
			return nil, nil, err
		}
		var gone []history.Touched
		for _, f := range r.files {
			if !slices.ContainsFunc(kept, func(k history.Touched) bool { return k.Path == f.Path }) {
				gone = append(gone, f)
			}
		}
		if len(gone) == 0 {
			return nil, nil, usage("there is nothing else to drop", "leave --only out")
		}
		return gone, nil, nil
	}
	gone, err := r.named(w.drop, w.dropTasks, func(f history.Touched, task string) bool { return of(f, task) && len(f.Tasks) <= 1 })
	if err != nil {
		return nil, nil, err
	}
	without := map[string][]int{}
	var order []history.Touched
	for _, wish := range w.dropHunks {
		at := strings.LastIndexByte(wish, ':')
		n, err := strconv.Atoi(wish[at+1:])
		if at < 0 || err != nil {
			return nil, nil, usage(fmt.Sprintf("%q names no hunk", wish), "write it like notes.txt:2; \"refrain review --json\" numbers them")
		}
		found, err := r.named([]string{wish[:at]}, nil, of)
		if err != nil {
			return nil, nil, err
		}
		if _, seen := without[found[0].Path]; !seen {
			order = append(order, found[0])
		}
		without[found[0].Path] = append(without[found[0].Path], n)
	}
	var rests []history.Rest
	for _, f := range order {
		rest, err := r.rest(ctx, f, without[f.Path])
		if err != nil {
			return nil, nil, err
		}
		rests = append(rests, rest)
	}
	return gone, rests, nil
}

// named finds files by their names, and those of tasks.
func (r *reviewed) named(paths, tasks []string, of func(history.Touched, string) bool) ([]history.Touched, error) {
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
			return nil, usage(fmt.Sprintf("%s is not a file that %s has changed", path, r.entry.Name), "name it from the work tree on; "+hint)
		}
		add(r.files[at])
	}
	for _, task := range tasks {
		if !slices.Contains(r.tasks(), task) || task == noTask {
			return nil, usage(fmt.Sprintf("%q is not a task for which %s has changed files", task, r.entry.Name), "write it as it stands in the plan; "+hint)
		}
		before := len(list)
		for _, f := range r.files {
			if of(f, task) {
				add(f)
			}
		}
		if len(list) == before {
			return nil, usage(fmt.Sprintf("all files of %q were changed for other tasks too", task), "drop them one by one with --drop FILE; "+hint)
		}
	}
	return list, nil
}

// rest is what a file holds without some of its hunks.
func (r *reviewed) rest(ctx context.Context, f history.Touched, without []int) (history.Rest, error) {
	hunks, err := r.hunks(ctx, f)
	if err != nil {
		return history.Rest{}, err
	}
	whole := fmt.Sprintf("drop all of it with --drop %s", f.Path)
	if len(hunks) == 0 || f.Change == "deleted" {
		return history.Rest{}, usage(f.Path+" was not changed line by line", whole)
	}
	var kept []review.Hunk
	for _, h := range hunks {
		if !slices.Contains(without, h.N) {
			kept = append(kept, h)
		}
	}
	if len(kept) == len(hunks) || len(hunks)-len(kept) < len(without) {
		return history.Rest{}, usage(fmt.Sprintf("%s has %s", f.Path, text.Plural(len(hunks), "hunk")), "name one of them; \"refrain review --json\" numbers them")
	}
	if len(kept) == 0 {
		return history.Rest{}, usage(fmt.Sprintf("nothing would be left of the change of %s", f.Path), whole)
	}
	was, _, err := r.h.Both(ctx, f)
	if err != nil {
		return history.Rest{}, err
	}
	content, err := review.Keep(was, kept)
	return history.Rest{Path: f.Path, Content: content}, err
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
func (r *reviewed) drop(ctx context.Context, files []history.Touched, rests []history.Rest, quiet bool) (*history.Undone, error) {
	if err := belongsHere(r.sh, r.entry); err != nil {
		return nil, err
	}
	undone, err := r.h.Drop(ctx, files, rests, nil)
	if err != nil || quiet {
		return undone, err
	}
	for _, f := range files {
		also := ""
		if slices.Contains(undone.Since, f.Path) {
			also = ", with what was changed in it since the run"
		}
		fmt.Fprintf(r.sh.out, "dropped %s%s\n", text.Path(f.Path), also)
	}
	for _, rest := range rests {
		fmt.Fprintf(r.sh.out, "dropped part of %s\n", text.Path(rest.Path))
	}
	fmt.Fprintf(r.sh.out, "%s. Undo with: refrain rollback %s/%s\n", text.Sentence(changed(undone.Changes)), r.entry.Name, undone.Kept)
	return undone, nil
}
