package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/scaffold"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
)

// planning is the talk about a plan: what the agent wants to know, what it came to,
// and what is to become of that. All that is said in it is in files at once, so
// whoever leaves loses nothing.
type planning struct {
	sh       *shell
	sentence string // what is wanted; empty: what the specs say
	talks    bool   // somebody is there to be asked
	tells    bool   // somebody may read what is printed

	tree string
	file files.Named // the plan
	spec string      // the one of the sentence; empty: there is none

	plans func(words string) (done bool, err error) // plans, in a run
	build func() error
	edit  func(path string) error

	asked int // how many questions
}

// maxQuestions is how many are asked in one talk, whatever the plan has.
const maxQuestions = 3

// numberedQuestion is a question, and its place in the plan from 1.
type numberedQuestion struct {
	number int
	plan.Question
}

// answer is what a person has said to a question.
type answer struct {
	numberedQuestion
	said string
}

// hold plans, and talks about it.
func (p *planning) hold() error {
	if p.talks && p.sentence == "" { // what is open from the last time may be all that is missing
		if _, left, err := p.ask(); left || err != nil {
			return err
		}
	}
	if done, err := p.plans(p.sentence); !done || err != nil {
		return err
	}
	if !p.talks {
		return p.tell()
	}
	dropTyped(p.sh.in) // it was not meant for this
	answered, left, err := p.ask()
	if left || err != nil {
		return err
	}
	if answered {
		p.sh.say("Planning goes on with your answers.")
		if done, err := p.plans(p.sentence); !done || err != nil {
			return err
		}
		dropTyped(p.sh.in)
	}
	return p.settle()
}

// open is the questions of the plan that have no answer yet.
func (p *planning) open() ([]numberedQuestion, error) {
	if p.file.IsZero() {
		return nil, nil
	}
	known, err := scaffold.Answered(p.tree)
	if err != nil {
		return nil, err
	}
	var list []numberedQuestion
	for i, q := range plan.Questions(p.file) {
		if !known[text.Line(q.Text)] {
			list = append(list, numberedQuestion{i + 1, q})
		}
	}
	return list, nil
}

// ask asks what the agent wants to know, one by one. It tells whether there was an
// answer, and whether the person has left.
func (p *planning) ask() (answered, left bool, err error) {
	open, err := p.open()
	if err != nil {
		return false, false, err
	}
	open = open[:min(len(open), maxQuestions-p.asked)]
	if len(open) == 0 {
		return false, false, nil
	}
	fmt.Fprintln(p.sh.out)
	p.sh.say("The agent has %s. Enter takes its own guess.", text.Plural(len(open), "question"))
	for i, q := range open {
		p.asked++
		fmt.Fprint(p.sh.out, "\n"+lines.Hang(fmt.Sprintf("%d/%d  ", i+1, len(open)), text.Line(q.Text), p.sh.look()))
		line, ok := p.read(guess(q) + "> ")
		if !ok {
			p.leave("Nothing is lost.", "refrain plan")
			return answered, true, nil
		}
		said := strings.TrimSpace(line)
		answered = answered || said != ""
		if err := p.keep(q, said); err != nil {
			return answered, false, err
		}
	}
	return answered, false, nil
}

// guess is what the plan goes by so far, for a prompt.
func guess(q numberedQuestion) string {
	if q.Meanwhile == "" {
		return ""
	}
	return "[" + text.Line(q.Meanwhile) + "] "
}

// keep writes an answer into the spec that its question is about. No answer is
// one, too: nobody wants to be asked again.
func (p *planning) keep(q numberedQuestion, said string) error {
	if said == "" {
		said = "Left open; the plan decides."
		if q.Meanwhile != "" {
			said = "Left open; meanwhile: " + text.Line(q.Meanwhile) + "."
		}
	}
	if err := scaffold.AddAnswer(p.tree, p.about(q), text.Line(q.Text), text.Clean(said)); err != nil {
		return scaffoldProblem(err)
	}
	return nil
}

// about is the spec that a question is about: the one that it names, else that of
// the sentence, else the only one.
func (p *planning) about(q numberedQuestion) string {
	specs, err := plan.ReadSpecs(filepath.Join(p.tree, scaffold.SpecsFolder))
	if err != nil {
		return scaffold.AnswersFile
	}
	var names []string
	for _, s := range specs {
		if rel, err := filepath.Rel(p.tree, filepath.FromSlash(s.Path)); err == nil && !s.Index() {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	for _, ref := range q.Refs {
		if slices.Contains(names, ref.Spec) {
			return ref.Spec
		}
	}
	switch {
	case slices.Contains(names, p.spec):
		return p.spec
	case len(names) == 1:
		return names[0]
	}
	return scaffold.AnswersFile
}

// scaffoldProblem says what to do about a file that cannot be written.
func scaffoldProblem(err error) error {
	var refused *scaffold.RefusedError
	if errors.As(err, &refused) {
		return &request.UsageError{What: refused.Error(), Hint: refused.Hint}
	}
	return err
}

// tell prints the questions where nobody can be asked, with the command that
// answers them.
func (p *planning) tell() error {
	open, err := p.open()
	if err != nil || len(open) == 0 || !p.tells {
		return err
	}
	fmt.Fprintln(p.sh.out)
	p.sh.say("The plan has %s, and goes by its own guess meanwhile:", text.Plural(len(open), "open question"))
	command := "refrain plan"
	for _, q := range open {
		fmt.Fprint(p.sh.out, lines.Hang(fmt.Sprintf("  %d  ", q.number), strings.TrimSpace(text.Line(q.Text)+" "+guess(q)), p.sh.look()))
		command += fmt.Sprintf(" --answer %d='…'", q.number)
	}
	p.sh.say("Answer with: %s", command)
	return nil
}

// settle shows the plan, and does with it what the person wants.
func (p *planning) settle() error {
	p.show()
	for {
		line, ok := p.read("\n[b]uild it  [e]dit it  [a]sk for changes  [q]uit? ")
		if !ok {
			p.leave("The plan is kept.", "refrain build")
			return nil
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "b", "build":
			return p.build()
		case "e", "edit":
			if err := p.edit(p.file.Path); err != nil {
				fmt.Fprintf(p.sh.out, "%s\n", text.Line(err.Error()))
			}
			p.show()
		case "a", "ask":
			if done, err := p.askAgain(); !done || err != nil {
				return err
			}
		case "q", "quit", "":
			p.sh.say("Go on with: refrain build")
			return nil
		default:
			p.sh.say("Type one of the letters, then Enter. Enter alone leaves the plan as it is.")
		}
	}
}

// askAgain plans again, with what a person wants otherwise. It is not done where
// there is nothing left to talk about.
func (p *planning) askAgain() (done bool, err error) {
	line, ok := p.read("What should be different? ")
	if !ok {
		p.leave("The plan is kept.", "refrain build")
		return false, nil
	}
	remark := strings.TrimSpace(line)
	if remark == "" {
		return true, nil
	}
	words := remark
	if p.sentence != "" {
		words = p.sentence + "\n\nOf the plan as it is, they say: " + remark
	}
	if done, err := p.plans(words); !done || err != nil {
		return false, err
	}
	dropTyped(p.sh.in)
	p.show()
	return true, nil
}

// maxDone is how many tasks that are done are shown with those that are not.
const maxDone = 3

// show prints the tasks of the plan.
func (p *planning) show() {
	tasks, err := plan.Read(p.file)
	if err != nil {
		fmt.Fprintf(p.sh.out, "\n%s\n", text.Line(err.Error()))
		return
	}
	name := p.file.Path
	if rel, err := filepath.Rel(p.tree, name); err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	look, count := p.sh.look(), tasks.Count()
	head := text.Plural(count.Open+count.InProgress, "open task")
	if count.Done > 0 {
		head += fmt.Sprintf(", %d done", count.Done)
	}
	fmt.Fprintf(p.sh.out, "\n%s  %s\n", look.Strong(text.Path(filepath.ToSlash(name))), head)
	section := ""
	for _, t := range tasks {
		if t.Status == plan.Done && count.Done > maxDone {
			continue
		}
		if t.Section != section {
			section = t.Section
			fmt.Fprint(p.sh.out, "\n"+lines.Hang("  ", text.Line(section), look))
		}
		mark := map[plan.Status]string{plan.InProgress: "[~] ", plan.Done: "[x] "}[t.Status]
		if mark == "" {
			mark = "[ ] "
		}
		fmt.Fprint(p.sh.out, lines.Hang(strings.Repeat("  ", 1+min(t.Depth, 4))+mark, text.Line(t.Title()), look))
	}
}

// leave says how to go on, to who leaves in the middle.
func (p *planning) leave(kept, next string) {
	fmt.Fprintln(p.sh.out)
	p.sh.say("%s Go on with: %s", kept, next)
}

// read waits for a line. There is none when the person leaves: by the end of the
// input, or by a signal, which is then the status of the command.
func (p *planning) read(prompt string) (line string, ok bool) {
	fmt.Fprint(p.sh.out, prompt)
	ctx, ended := p.sh.untilSignal(context.Background())
	defer ended()
	type typed struct {
		line string
		err  error
	}
	came := make(chan typed, 1)
	go func() { // a read from a terminal cannot be called off; it ends with the program
		line, err := readLine(p.sh.in)
		came <- typed{line, err}
	}()
	select {
	case t := <-came:
		return t.line, t.err == nil
	case <-ctx.Done():
		return "", false
	}
}
