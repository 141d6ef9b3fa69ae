package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/review"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// reviewTalk is the questions of a review. Nothing is touched before the last of
// those about files is answered, and who quits, or says nothing more, drops nothing.
type reviewTalk struct {
	*reviewed
	in *bufio.Reader
	// doing does something that must not be cut in two.
	doing func(func(context.Context) error) error

	answers map[string]bool  // by path: whether it is dropped
	without map[string][]int // by path: hunks that are
	over    bool             // nobody answers any more
}

// ask goes through the files, drops what was said, and asks about commits.
func (r *reviewed) ask(ctx context.Context, in *bufio.Reader, doing func(func(context.Context) error) error) error {
	t := &reviewTalk{reviewed: r, in: in, doing: doing, answers: map[string]bool{}, without: map[string][]int{}}
	goOn, err := t.files(ctx)
	if err != nil || !goOn {
		return err
	}
	if err := t.drop(ctx); err != nil || t.over {
		return err
	}
	return t.commits(ctx)
}

// answer is what somebody types, in small letters. Who is gone quits.
func (t *reviewTalk) answer(question string, args ...any) string {
	fmt.Fprintf(t.sh.out, question, args...)
	line, err := t.in.ReadString('\n')
	if err != nil && strings.TrimSpace(line) == "" {
		t.over = true
		return "q"
	}
	return strings.TrimSpace(line)
}

// letter is an answer of which the first letter counts.
func (t *reviewTalk) letter(question string, args ...any) string {
	answer := strings.ToLower(t.answer(question, args...))
	if answer == "" {
		return ""
	}
	return answer[:1]
}

// files asks about each file. It is false for who quits.
func (t *reviewTalk) files(ctx context.Context) (bool, error) {
	list := t.reviewed.files
	for i := 0; i < len(list); {
		f := list[i]
		if _, done := t.answers[f.Path]; done {
			i++
			continue
		}
		switch t.letter("\n(%d/%d) %s\n[k]eep  [d]rop  drop its [t]ask  [h]unks  [v]iew  [b]ack  [q]uit? ", i+1, len(list), t.fileWords(f)) {
		case "k", "":
			t.answers[f.Path] = false
		case "d":
			t.answers[f.Path] = true
		case "t":
			t.dropTask(f)
		case "h":
			if err := t.hunk(ctx, f); err != nil {
				return false, err
			}
		case "v":
			if err := t.view(ctx, f); err != nil {
				return false, err
			}
		case "b":
			if i = max(i-1, 0); i < len(list) {
				delete(t.answers, list[i].Path)
				delete(t.without, list[i].Path)
			}
		case "q":
			fmt.Fprintln(t.sh.out, "Nothing was dropped.")
			return false, nil
		default:
			fmt.Fprintln(t.sh.out, "Type one of the letters, then Enter. Enter alone keeps the file.")
		}
	}
	return true, nil
}

// dropTask answers for all files of a file's only task.
func (t *reviewTalk) dropTask(f history.Touched) {
	if len(f.Tasks) != 1 {
		to := "no task"
		if n := len(f.Tasks); n > 0 {
			to = text.Plural(n, "task")
		}
		fmt.Fprintf(t.sh.out, "It belongs to %s: drop or keep it by itself.\n", to)
		return
	}
	for _, own := range t.only(f.Tasks[0]) {
		if _, done := t.answers[own.Path]; !done {
			t.answers[own.Path] = true
			fmt.Fprintf(t.sh.out, "drops %s\n", text.Path(own.Path))
		}
	}
}

// hunk asks about each hunk of a file.
func (t *reviewTalk) hunk(ctx context.Context, f history.Touched) error {
	hunks, err := t.hunks(ctx, f)
	if err != nil {
		return err
	}
	if len(hunks) < 2 || f.Change == "deleted" {
		fmt.Fprintln(t.sh.out, "It was changed in one piece: keep it or drop it.")
		return nil
	}
	var gone []int
	for i := 0; i < len(hunks); {
		h := hunks[i]
		t.showHunk(h)
		switch t.letter("Hunk %d of %d: [k]eep  [d]rop  [q]uit the hunks? ", h.N, len(hunks)) {
		case "k", "":
			i++
		case "d":
			gone = append(gone, h.N)
			i++
		case "q":
			return nil
		default:
			fmt.Fprintln(t.sh.out, "Type one of the letters, then Enter. Enter alone keeps the hunk.")
		}
	}
	switch len(gone) {
	case 0:
		t.answers[f.Path] = false
	case len(hunks):
		t.answers[f.Path] = true
	default:
		t.answers[f.Path], t.without[f.Path] = false, gone
	}
	return nil
}

func (t *reviewTalk) showHunk(h review.Hunk) {
	screen := &diffScreen{to: t.sh.out, color: t.sh.look().Color}
	_, _ = fmt.Fprintf(screen, "%s\n%s\n", h.Head, strings.TrimSuffix(strings.Join(h.Lines, ""), "\n")) // the screen says so itself
	_ = screen.Close()
}

// view shows the change of one file, and beside it what is to be known of the
// iterations that made it.
func (t *reviewTalk) view(ctx context.Context, f history.Touched) error {
	return t.sh.paged(func(w io.Writer) error {
		for _, line := range t.beside(f) {
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
		screen := &diffScreen{to: w, color: t.sh.look().Color}
		if err := t.diff(ctx, screen, f); err != nil {
			return err
		}
		return screen.Close()
	})
}

// beside is what was refused of the iterations that changed a file, and which
// tests were changed where it decides about tests.
func (r *reviewed) beside(f history.Touched) []string {
	var list []string
	for _, refusal := range r.run.Sum.Refusals {
		for _, i := range f.Iterations {
			if refusal.Iteration == i {
				list = append(list, fmt.Sprintf("iteration %d claimed done, but %s", i, text.Line(refusal.Why)))
			}
		}
	}
	if p := r.run.Proof(); p != nil && containsPath(p, f) {
		for _, changed := range view.ChangedTests(p) {
			list = append(list, "as it was, "+changed)
		}
	}
	return list
}

func containsPath(p *loop.Proof, f history.Touched) bool {
	for _, path := range p.Files {
		if path == f.Path || path == f.From {
			return true
		}
	}
	return false
}

// drop does what was answered.
func (t *reviewTalk) drop(ctx context.Context) error {
	var gone []history.Touched
	var rests []history.Rest
	for _, f := range t.reviewed.files {
		if t.answers[f.Path] {
			gone = append(gone, f)
		}
		if without := t.without[f.Path]; len(without) > 0 {
			rest, err := t.rest(ctx, f, without)
			if err != nil {
				return err
			}
			rests = append(rests, rest)
		}
	}
	if len(gone)+len(rests) == 0 {
		fmt.Fprintln(t.sh.out, "Everything is kept.")
		return nil
	}
	return t.doing(func(ctx context.Context) error {
		if _, err := t.finish(ctx); err != nil {
			return err
		}
		if _, err := t.reviewed.drop(ctx, gone, rests, false); err != nil {
			return err
		}
		again, err := openReview(ctx, t.sh, t.entry.Name)
		if err == nil {
			t.reviewed = again
		}
		return err
	})
}

// commits asks whether to make commits of what is left, and where.
func (t *reviewTalk) commits(ctx context.Context) error {
	if parts, err := t.h.Parts(ctx); err != nil || len(parts) == 0 {
		return err
	}
	w := &reviewWishes{dryRun: true}
	switch t.letter("\nMake commits of what is left? One for each [t]ask, [o]ne of all, [l]eave it: ") {
	case "t":
		w.squash = true
	case "o":
		w.squash, w.one = true, true
	default:
		return nil
	}
	for {
		switch where := t.answer("Where? Enter is here; else a branch, or +NAME for a new one. [q]uit: "); {
		case where == "q" || t.over:
			fmt.Fprintln(t.sh.out, "Nothing was committed.")
			return nil
		case strings.HasPrefix(where, "+"):
			w.onto, w.branch = "", where[1:]
		default:
			w.onto, w.branch = where, ""
		}
		done, err := t.squash(ctx, w)
		if err == nil {
			t.tellSquash(done, true)
			break
		}
		told := explain(err)
		if ctx.Err() != nil || told.status == statusLocked {
			return err
		}
		told.print(t.sh.out)
	}
	if w.one {
		w.message = t.answer("Its subject (Enter takes the one above): ")
		if t.over {
			fmt.Fprintln(t.sh.out, "Nothing was committed.")
			return nil
		}
	}
	if t.letter("Make them? [y/N] ") != "y" {
		fmt.Fprintln(t.sh.out, "Nothing was committed.")
		return nil
	}
	w.dryRun = false
	return t.doing(func(ctx context.Context) error {
		if _, err := t.finish(ctx); err != nil {
			return err
		}
		done, err := t.squash(ctx, w)
		if err == nil {
			t.tellSquash(done, false)
		}
		return err
	})
}
