// Package preflight looks at what a run will trip over, before anything is paid
// for: no agent is set to work, no gate is started, nobody is asked over a network,
// and nothing is written.
//
// It reads the settings and looks for files and programs. Where nothing else shows
// that somebody is signed in, the agent's CLI is asked. What would make a run
// fail or work in the wrong place is refused; what a person should only know is a
// worry.
package preflight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/outside"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// Finding is one thing that is not as a run needs it.
type Finding struct {
	Name  string // what was looked at
	What  string
	Hint  string
	Worry bool // it is worth a word, and no reason to refuse
}

// Flight is a run that is about to start.
type Flight struct {
	request.Assignment
	Terms   policy.Terms
	Workers []Worker // who works, and those that stand in; none: nobody is chosen yet
	Git     bool     // the work tree is in a repository
}

// Worker is an agent of the run, and the program that it is.
type Worker struct {
	Name    string
	Program string // as it is called; empty: nobody can tell
	Remedy  string // what to do when that is not there

	Account *Account // nil: it is a command of somebody's own, of which nothing is known
}

// Place is the name of the finding that a person can overrule.
const Place = "place"

// Refused is those findings that keep the run from starting.
func Refused(list []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f Finding) bool { return f.Worry })
}

// checks is everything that is looked at, in the order of telling.
var checks = []func(context.Context, Flight) []Finding{
	quick(place), quick(repository), quick(Agents), quick(masked), accounts, quick(gates), quick(proof), quick(limits), quick(ends), quick(prompts), quick(specs), quick(notRead),
}

// quick is a check that waits for nobody.
func quick(check func(Flight) []Finding) func(context.Context, Flight) []Finding {
	return func(_ context.Context, f Flight) []Finding { return check(f) }
}

// Look looks at everything.
func Look(ctx context.Context, f Flight) []Finding {
	var list []Finding
	for _, check := range checks {
		list = append(list, check(ctx, f)...)
	}
	return list
}

// place refuses to let an agent loose on everything that somebody has.
func place(f Flight) []Finding { return At(f.Tree) }

// At is what is wrong with a place to work in.
func At(tree string) []Finding {
	what := ""
	home, err := os.UserHomeDir()
	switch {
	case same(tree, filepath.VolumeName(tree)+string(filepath.Separator)):
		what = "this is the root of the file system"
	case err == nil && same(tree, home):
		what = "this is your home folder"
	default:
		return nil
	}
	return []Finding{{Name: Place, What: what + ": an agent here can change all that you have", Hint: "go to the folder of a project, or pass --here to work here all the same"}}
}

// same tells whether two paths lead to one folder.
func same(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

func repository(f Flight) []Finding {
	if f.Git {
		return nil
	}
	if _, err := outside.Find("git"); err != nil {
		return []Finding{{Name: "git", Worry: true, What: "git cannot be found: what an agent does here cannot be undone", Hint: "install git 2.32 or later"}}
	}
	return []Finding{{Name: "git", Worry: true, What: "this folder is in no git repository: what an agent does here cannot be undone", Hint: "run \"git init\" here first"}}
}

// Agents sees that the programs of those who work are there. One that only stands
// in for another may never be needed.
func Agents(f Flight) []Finding {
	if f.Config().Sandbox.Boxed() {
		return nil // it is in an image, which was looked at
	}
	var list []Finding
	for i, w := range f.Workers {
		if w.Program == "" {
			continue // whoever makes the run says so
		}
		if err := found(f.Dir(), w.Program); err != nil {
			list = append(list, Finding{Name: "agent " + w.Name, Worry: i > 0, What: fmt.Sprintf("agent %s: %s %v", w.Name, w.Program, err), Hint: w.Remedy})
		}
	}
	return list
}

// masked refuses a command that has a mask in the place of a secret, as an import
// leaves it: its agent would be turned away again and again, or its gate be red.
func masked(f Flight) []Finding {
	var list []Finding
	add := func(name string, c setting.Command) {
		if c.Lost() {
			list = append(list, Finding{
				Name: name, What: fmt.Sprintf("%s: in its command, %s stands where a secret was", name, setting.Mask),
				Hint: "take it out, and have the command read the secret from your environment; or keep the command in your own settings",
			})
		}
	}
	c := f.Config()
	for _, w := range f.Workers {
		if len(f.Request.Command) == 0 { // which is nobody's in the settings, whatever its name
			add("agent "+w.Name, c.Agents[w.Name].Command)
		}
	}
	for name, line := range map[string]string{"build": c.Commands.Build, "lint": c.Commands.Lint, "test": c.Commands.Test} {
		add("command "+name, setting.Command{Line: line})
	}
	for _, g := range c.Gates {
		add("gate "+g.Name, setting.Command{Line: g.Run})
	}
	return list
}

// found looks for a program as whoever starts it in a folder will.
func found(dir, program string) error {
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		program = filepath.Join(dir, program)
	}
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return errors.New("cannot be executed: permission denied")
	}
	return errors.New("cannot be found")
}

// gates sees that the programs of the gates are there.
func gates(f Flight) []Finding {
	if runtime.GOOS == "windows" || !f.Config().Loop.Gates {
		return nil // its shell has other words
	}
	var list []Finding
	for _, g := range f.Config().Gates {
		if info, err := os.Stat(f.InTree(filepath.FromSlash(g.Dir))); g.Dir != "" && (err != nil || !info.IsDir()) {
			list = append(list, Finding{
				Name: "gate " + g.Name, What: fmt.Sprintf("gate %s: there is no folder %s", g.Name, g.Dir),
				Hint: "correct its dir in refrain.toml",
			})
			continue
		}
		if f.Config().Sandbox.Boxed() {
			continue // its programs are in an image
		}
		for _, program := range Programs(g.Run) {
			if _, err := exec.LookPath(program); err != nil {
				list = append(list, Finding{
					Name: "gate " + g.Name, What: fmt.Sprintf("gate %s: %s cannot be found", g.Name, program),
					Hint: fmt.Sprintf("install %s, or correct the gate: %s", program, g.Run),
				})
			}
		}
	}
	return list
}

// proof tells once that a claim will only be believed. Where a proof was asked for,
// the settings are refused.
func proof(f Flight) []Finding {
	if done := f.Terms.Completion(); f.Terms.Gated() || !f.Config().Loop.Gates || !done.Promise && !done.Plan {
		return nil
	}
	return []Finding{{
		Name: "gates", Worry: true, What: "there is no gate: nothing can prove that the work is done, and the agent's word is taken for it",
		Hint: "\"refrain init\" finds out how this project is tested; or name a test: --gate 'go test ./...'",
	}}
}

// limits sees that something ends the run, though its agent works well and never
// has enough. Who says that there is no limit, in a flag or in settings, means it.
func limits(f Flight) []Finding {
	bounds, stop := f.Terms.Limits(), f.Config().Stop
	switch {
	case f.Terms.CanBeDone() || f.Terms.OwnRules != nil || len(stop.Patterns) > 0 || len(stop.Scripts) > 0:
		return nil
	case bounds.Iterations > 0 || bounds.Time > 0 || bounds.CostUSD > 0 || bounds.Tokens > 0 || f.Settings.IsSet("loop.max_iterations"):
		return nil
	}
	return []Finding{{
		Name: "limits", What: "nothing limits this run, and nothing is asked for that would make it done",
		Hint: "set a limit (-n 20, --max-time 8h, --max-cost 20) or a way to be done (--until DONE, --plan FILE); --unlimited says that it is meant",
	}}
}

// ends tells of an end that a file asks of everything, and so of a procedure that
// has its own: a run that writes a plan is not over when the tasks of one are done.
func ends(f Flight) []Finding {
	var list []Finding
	for _, key := range []string{"done.promise", "done.plan", "done.gates", "loop.exit_zero_is_done"} {
		if origin, added := f.Settings.AddedToProcedure(key); added {
			list = append(list, Finding{
				Name: "ends", Worry: true, What: fmt.Sprintf("%s = %s of %s holds for %s too, which has an end of its own", key, origin.Value, origin.Where, f.Request.Procedure),
				Hint: fmt.Sprintf("if that is not meant, write %s = \"\" below [procedures.%s]", key, f.Request.Procedure),
			})
		}
	}
	return list
}

// gap is a line of a sample that nobody has filled in.
var gap = text.NewPattern(`^\s*([-*] )?FILL IN\b`)

// prompts sees that somebody has said what to do in the files of the prompt.
func prompts(f Flight) []Finding {
	if !f.HasPrompt() {
		return nil
	}
	_, pieces, err := f.Pieces()
	if err != nil {
		return nil // whoever makes the run says so
	}
	var list []Finding
	for _, piece := range pieces {
		text, err := piece.Read()
		if piece.Path == "" || err != nil {
			continue
		}
		for n, line := range strings.Split(text, "\n") {
			if gap().MatchString(line) {
				list = append(list, Finding{Name: "prompt", What: fmt.Sprintf("%s still says FILL IN (line %d)", piece.Name, n+1), Hint: "write there what is to be done, or say it: refrain run 'Add an export command'"})
				break
			}
		}
	}
	return list
}

// specsFragment is the part of a prompt that sends an agent to the specs.
const specsFragment = "builtin:observe/specs"

// specs sees that there is a spec where an agent is sent to read them. A project
// without the folder may have them elsewhere, and who says a sentence needs none.
func specs(f Flight) []Finding {
	_, pieces, err := f.Pieces()
	if err != nil || len(f.Request.Context) > 0 {
		return nil
	}
	for _, piece := range pieces {
		if piece.Name != specsFragment {
			continue
		}
		list, err := plan.ReadSpecs(filepath.Join(f.Tree, "specs"))
		if err != nil || slices.ContainsFunc(list, func(s plan.Spec) bool { return !strings.EqualFold(filepath.Base(s.Path), "README.md") }) {
			return nil
		}
		return []Finding{{Name: "specs", What: "specs/ has no spec yet", Hint: fmt.Sprintf("write one, or say what you want: refrain run %s 'Add an export command'", f.Request.Procedure)}}
	}
	return nil
}
