// Package doctor looks at everything that a run needs, and says what is missing
// and what to do about it. It changes nothing and asks nobody for a model.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/awake"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/notify"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/preflight"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/scaffold"
	"github.com/refrain-loop/refrain/internal/surface"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/trust"
)

// Check is what the doctor found out about one thing that a run needs.
type Check struct {
	Name   string  `json:"name"`
	Level  Concern `json:"level"`
	Found  string  `json:"found"`
	Remedy string  `json:"remedy,omitempty"`
}

// Concern is how bad it is.
type Concern string

// The concerns, from none to one that keeps a run from working.
const (
	Fine    Concern = "ok"
	Worry   Concern = "warning"
	Problem Concern = "problem"
)

// Examine looks at everything that a run in the work tree around dir needs.
func Examine(ctx context.Context, dir string) ([]Check, error) {
	tree, err := request.Root(dir)
	if err != nil {
		return nil, err
	}
	checks := []Check{checkGit(ctx, tree), checkLock(tree), checkRecords(tree), checkSeals(tree), checkDisk(tree)}
	a, err := request.Load(tree, request.Request{})
	if err != nil {
		return append(checks, badSettings(err)), nil
	}
	held, confined := checkSandbox(ctx, a)
	checks = append(checks, Check{"settings", Fine, "valid", ""}, checkTrust(ctx, a), checkKeeper(ctx), held, checkAwake(ctx))
	checks = append(checks, checkAgents(ctx, a, confined)...)
	return append(checks, checkFlight(ctx, a)...), nil
}

// checkFlight is what the next run would trip over. A prompt matters only to a run
// that is given no other.
func checkFlight(ctx context.Context, a request.Assignment) []Check {
	// Git and agents have checks of their own.
	flight := preflight.Flight{Assignment: a, Terms: policy.Terms{Config: a.Config(), Kind: a.Request.Kind()}, Git: true}
	var list []Check
	for _, f := range preflight.Look(ctx, flight) {
		if f.Name == "gates" {
			continue // told below, whatever the next run asks for
		}
		level := Problem
		if f.Worry || f.Name == "prompt" {
			level = Worry
		}
		list = append(list, Check{f.Name, level, f.What, f.Hint})
	}
	var choice *lineup.ChoiceError
	if _, err := lineup.New(a); errors.As(err, &choice) {
		list = append(list, Check{"agents", Worry, choice.Error() + ": a run asks which, or is refused", "set agent = \"NAME\" in refrain.toml, or name one with -a"})
	}
	if len(a.Config().Gates) == 0 {
		list = append(list, Check{"gates", Worry, "there are none: nothing can prove a claim", "\"refrain init\" finds out how this project is tested; or add a [[gate]] to refrain.toml"})
		return append(list, checkGuide(a)...)
	}
	return append(list, checkUnjudged(a)...)
}

// checkGuide is what AGENTS.md says of how the work is checked, where there is no gate
// at all.
func checkGuide(a request.Assignment) []Check {
	root, err := files.OpenTree(a.Tree)
	if err != nil {
		return nil // other checks say so
	}
	defer root.Close()
	var list []Check
	for _, g := range scaffold.Detect(files.FS(root)).Guided(nil) {
		proposal := g.GuideProposal()
		list = append(list, Check{"gates", Worry, proposal.Text, proposal.Hint})
	}
	return list
}

// checkUnjudged is what "refrain init" would make a gate of, and the settings do not
// have.
func checkUnjudged(a request.Assignment) []Check {
	root, err := files.OpenTree(a.Tree)
	if err != nil {
		return nil // other checks say so
	}
	defer root.Close()
	var list []Check
	for _, f := range preflight.Unjudged(scaffold.Detect(files.FS(root)), a.Config()) {
		list = append(list, Check{f.Name, Worry, f.What, f.Hint})
	}
	return list
}

// checkTrust tells whether a person has agreed to what the work tree runs. One that
// nobody has agreed to is no mistake: it is asked about when it would run.
func checkTrust(ctx context.Context, a request.Assignment) Check {
	const name = "trust"
	items, err := surface.All(ctx, a, lineup.Known(a.Config().Agents))
	if err != nil {
		return Check{name, Worry, err.Error(), ""}
	}
	news, err := surface.Unknown(a, items)
	switch {
	case err != nil:
		return Check{name, Worry, err.Error(), "\"refrain trust\" starts a new one"}
	case len(items) == 0:
		return Check{name, Fine, "this work tree brings along nothing that runs", ""}
	case len(news) == 0:
		return Check{name, Fine, "you trust what this work tree runs", ""}
	}
	e := &trust.Error{Tree: a.Tree, News: news}
	return Check{name, Worry, "not yet: " + e.Error(), "look at it with \"refrain trust --show\", then type \"refrain trust\""}
}

func badSettings(err error) Check {
	c := Check{"settings", Problem, err.Error(), "\"refrain config validate\" lists every problem"}
	var errs *config.Errors
	if errors.As(err, &errs) && errs.Hint() != "" {
		c.Remedy = errs.Hint()
	}
	return c
}

// gitNeeded is the oldest git that can be told which settings of the user to read.
var gitNeeded = [2]int{2, 32}

func checkGit(ctx context.Context, tree string) Check {
	said, err := ask(ctx, preflight.BareFolder(), git.Closed(), "git", "--version")
	if err != nil {
		return Check{"git", Worry, "not found", "install git 2.32 or later: without it nobody can tell what an agent committed"}
	}
	version := strings.TrimPrefix(said, "git version ")
	if !atLeast(version, gitNeeded) {
		return Check{"git", Worry, version + " is old", "install git 2.32 or later"}
	}
	if err := git.Readable(tree); err != nil {
		return Check{"git", Problem, err.Error(), request.HintOf(err)}
	}
	if inside, err := ask(ctx, tree, git.Closed(), "git", "rev-parse", "--is-inside-work-tree"); err != nil || inside != "true" {
		return Check{"git", Worry, version + ", but this is not a git work tree", "run \"git init\" here, so that the agent's work can be undone"}
	}
	return Check{"git", Fine, version, ""}
}

// atLeast compares the first two numbers of a version.
func atLeast(version string, least [2]int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil {
		return false
	}
	return major > least[0] || major == least[0] && minor >= least[1]
}

// checkLock sees that a lock on the state folder's file system excludes.
func checkLock(tree string) Check {
	const name = "lock"
	store, err := journal.Open(tree)
	if err != nil {
		return Check{name, Problem, err.Error(), "see that the .git folder of this work tree is whole"}
	}
	if h, held := store.Holder(); held {
		return Check{name, Fine, fmt.Sprintf("held by %s (pid %d)", h.Run, h.PID), ""}
	}
	dir := nearestFolder(store.Dir)
	err = journal.TryLocks(dir)
	if errors.Is(err, fs.ErrPermission) {
		return Check{name, Problem, "nothing can be written in " + dir, "look at who owns the folder and who may write to it"}
	}
	if err != nil {
		return Check{name, Problem, fmt.Sprintf("no lock can be had in %s: %v", dir, err), "work on a local disk: on some network file systems locks do not exclude"}
	}
	if kind := networkDisk(dir); kind != "" {
		return Check{name, Worry, dir + " is on " + kind, "work on a local disk: there, two runs at once are kept apart for sure"}
	}
	return Check{name, Fine, "works in " + dir, ""}
}

// nearestFolder is the folder itself, or the first above it that exists.
func nearestFolder(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// diskNeeded is what a night of transcripts fits into.
const diskNeeded = 1 << 30

func checkDisk(tree string) Check {
	free, err := freeSpace(tree)
	switch {
	case err != nil:
		return Check{"disk", Worry, "free space is not known: " + err.Error(), ""}
	case free < diskNeeded:
		return Check{"disk", Worry, fmt.Sprintf("%d MB free", free>>20), "free some space: transcripts of a long run need it"}
	}
	return Check{"disk", Fine, fmt.Sprintf("%d GB free", free>>30), ""}
}

// checkKeeper starts a process as a run would, and ends it.
func checkKeeper(ctx context.Context) Check {
	var warned string
	keeper := proc.NewKeeper(proc.NewMark("doctor", "/"), nil)
	defer keeper.Close()
	exe, err := os.Executable()
	if err != nil {
		return Check{"processes", Worry, err.Error(), ""}
	}
	exit, err := keeper.Run(ctx, proc.Spec{
		Argv: []string{exe, "version"}, Env: proc.Environ(), Timeout: probeTime,
		Warn: func(w loop.Warning) { warned = w.Text },
	})
	switch {
	case err != nil:
		return Check{"processes", Problem, err.Error(), ""}
	case warned != "":
		return Check{"processes", Worry, warned, "processes that leave their group will outlive the agent here"}
	case !exit.Zero():
		return Check{"processes", Worry, "a test process did not end well", ""}
	}
	return Check{"processes", Fine, "what an agent starts is ended with it; " + held(proc.ByKernel()), ""}
}

// held says by what it is found.
func held(err error) string {
	if err == nil {
		return "the kernel holds it together (a cgroup for each process)"
	}
	return "it is followed by descent and by its mark, for the kernel does not hold it together: " + err.Error()
}

// checkAwake sees whether a run can keep the machine awake. That it cannot is no
// trouble where nothing sends the machine to sleep.
func checkAwake(ctx context.Context) Check {
	vigil := awake.Hold("refrain doctor")
	defer vigil.Release()
	select {
	case <-vigil.Tried():
	case <-ctx.Done():
	}
	if held, why := vigil.Held(); !held {
		return Check{"keep awake", Fine, "not possible here (" + why + "): a machine that goes to sleep holds its runs up", ""}
	}
	return Check{"keep awake", Fine, "the machine stays awake while a run is alive", ""}
}

// checkAgents tells of each agent that is installed, and whether one is.
func checkAgents(ctx context.Context, needs request.Assignment, confined bool) []Check {
	chosen := needs.Config().Agent
	var checks []Check
	found := 0
	if only := lineup.Installed(needs.Config().Agents); chosen == "auto" && len(only) == 1 {
		chosen = only[0]
	}
	for _, a := range Agents(ctx, needs) {
		name := "agent " + a.Name
		switch {
		case a.Name == "command" || a.Name == "rehearsal":
			continue
		case a.Found:
			found++
			checks = append(checks, withAccount(ctx, needs, a, chosen, inspectAgent(name, a, needs.Config(), confined)))
		case a.Name == chosen || !a.BuiltIn:
			checks = append(checks, Check{name, Problem, a.Note, "install it, or choose another with agent = \"NAME\""})
		}
	}
	if found == 0 && needs.Config().Agent == "auto" {
		checks = append(checks, Check{"agents", Worry, "none is installed", "install one, or run a command: refrain run -p PROMPT -- COMMAND"})
	}
	return checks
}

// withAccount adds that nobody is signed in, which matters for the agent that a run
// would take. It is found out as the version is: with nothing of what the settings
// say, and so not where they say more than the environment does.
func withAccount(ctx context.Context, needs request.Assignment, a AgentInfo, chosen string, c Check) Check {
	table := needs.Config().Agents[a.Name]
	account := preflight.Account{Name: a.Name, Dir: preflight.BareFolder(), Env: proc.Environ()}
	if c.Level != Fine || !a.BuiltIn || !table.Known() || len(table.Env) > 0 || !account.SignedOut(ctx) {
		return c
	}
	c.Level, c.Found, c.Remedy = Worry, c.Found+": nobody is signed in", account.SignIn()
	if a.Name == chosen {
		c.Level = Problem
	}
	return c
}

func inspectAgent(name string, a AgentInfo, c config.Config, confined bool) Check {
	said := strings.TrimSpace(a.Version + " at " + a.Path)
	if a.BuiltIn && a.Version == "" && a.Note == "" {
		return Check{name, Worry, a.Path + " does not tell its version", "run it once by hand"}
	}
	if fix := lineup.RefusedRoot(a.Name, c, confined); fix != "" {
		return Check{name, Problem, said + ": it refuses to skip permissions when run by root", fix}
	}
	if key := lineup.BilledBy(a.Name); key != "" {
		said += ", bills " + key
	}
	return Check{name, Fine, said + measured(a), ""}
}

// measured is how the installed version stands to those that we know the agent by. One
// that is another is no worry by itself: most work as the one before did.
func measured(a AgentInfo) string {
	newest := agent.TraitsOf(a.Name).Newest()
	switch {
	case a.Version == "":
		return ""
	case newest == "":
		return ", was not measured"
	case a.Newer:
		return ", newer than " + newest + ", which was measured"
	case a.Older:
		return ", older than " + a.Measured[0] + ", which was measured"
	}
	return ", measured with " + strings.Join(a.Measured, " and ")
}

// TestNotices has a message sent to every channel that is set, and tells what came
// of it.
func TestNotices(ctx context.Context, sender *notify.Sender) []Check {
	var list []Check
	for _, r := range sender.Test(ctx) {
		c := Check{"notify." + r.Channel, Fine, "sent", ""}
		if r.Err != nil {
			c = Check{"notify." + r.Channel, Problem, r.Err.Error(), "correct its settings: refrain config show"}
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		list = append(list, Check{"notify", Worry, "no channel is set", "set one: \"refrain config show\" lists the keys below notify"})
	}
	return list
}

// checkRecords tells where the records of runs are, and of which projects there
// are some that nobody will look for.
func checkRecords(tree string) Check {
	const name = "records"
	store, err := journal.Open(tree)
	if err != nil {
		return Check{name, Problem, err.Error(), "set HOME or XDG_STATE_HOME to a folder that can be written to"}
	}
	if _, err := os.Stat(store.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Check{name, Problem, "no place for them: " + err.Error(), "set XDG_STATE_HOME to a folder outside of the project that you can write to"}
	}
	if folder := os.Getenv("XDG_STATE_HOME"); folder != "" && !filepath.IsAbs(folder) {
		return Check{name, Worry, fmt.Sprintf("XDG_STATE_HOME is %s, which is not a full path, so it is ignored: they are in %s", text.Line(folder), store.Dir), "set it to a full path, or unset it"}
	}
	if store.InProject() {
		return Check{name, Worry, "in the project itself, where an earlier version has put them: " + store.Dir, "the next run moves them out of the project"}
	}
	if _, inTree := files.Under(store.Tree, store.Dir); inTree {
		return Check{name, Worry, "in the work tree, where the agent can reach them: " + store.Dir, history.RecordsOutside}
	}
	gone, err := history.GoneProjects(store)
	if err != nil || len(gone) == 0 {
		return Check{name, Fine, "in " + store.Dir, ""}
	}
	return Check{name, Fine, fmt.Sprintf("in %s; also those of %s that %s gone", store.Dir, text.Plural(len(gone), "project"), are(len(gone))), "\"refrain ls --all\" lists them, \"refrain prune --gone\" deletes them"}
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// checkSeals sees whether the records here can be checked.
func checkSeals(tree string) Check {
	const name = "seals"
	store, err := journal.Open(tree)
	if err != nil || store.InProject() {
		return Check{name, Fine, "no run is sealed yet", ""} // the check of the records says why
	}
	has, err := store.Keys().Has()
	var damaged *project.KeyError
	if errors.As(err, &damaged) {
		return Check{name, Problem, damaged.Error(), damaged.Hint()}
	}
	runs, _, listErr := store.List()
	if err = errors.Join(err, listErr); err != nil {
		return Check{name, Problem, err.Error(), "look at who owns the file and who may read it"}
	}
	lost := 0
	for _, e := range runs {
		if e.Unchecked != "" {
			lost++
		}
	}
	switch {
	case lost > 0 && !has:
		return Check{name, Worry, fmt.Sprintf("%s is gone: %s here cannot be checked", store.Keys().File(), text.Plural(lost, "run")), "put it back from a copy; else the next run makes another"}
	case lost > 0:
		return Check{name, Worry, fmt.Sprintf("%s here cannot be checked: the key that sealed them is gone", text.Plural(lost, "run")), "put it back to " + store.Keys().File() + " if you have a copy, or delete them with \"refrain prune\""}
	case !has:
		return Check{name, Fine, "no run is sealed yet", ""}
	}
	return Check{name, Fine, "the records are sealed", ""}
}
