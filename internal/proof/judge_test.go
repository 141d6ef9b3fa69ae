package proof

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/tests"
)

// bench is a project with a repository, and a judge of it.
type bench struct {
	t     *testing.T
	dir   string // of the repository
	judge *Judge
	state loop.State
}

// played is a gate that a test plays: it looks at its place.
type played struct {
	name string
	look func(p gate.Place) gate.Result
	ran  int
}

func (g *played) Name() string { return g.name }

func (g *played) Check(ctx context.Context, p gate.Place) gate.Result {
	g.ran++
	r := g.look(p)
	r.Name, r.Where = g.name, p.Where
	if ctx.Err() != nil {
		r.OK, r.Interrupted = false, true
	}
	return r
}

// answer is a gate's result, with tests as ran reads them; none is no tests.
func answer(ok bool, text string) gate.Result {
	exit := 1
	if ok {
		exit = 0
	}
	r := gate.Result{Gate: loop.Gate{OK: ok, Exit: &exit, Why: map[bool]string{false: "exit 1"}[ok]}}
	if text == "" {
		return r
	}
	t := ran(text)
	report := &tests.Report{Total: t.Passed + t.Failed + t.Skipped, Passed: t.Passed, Failed: t.Failed, Skipped: t.Skipped}
	for name, status := range t.Names {
		report.Named = append(report.Named, tests.Test{Name: name, Status: status})
		if status == tests.Failed {
			report.Failing = append(report.Failing, tests.Test{Name: name, Status: status})
		}
	}
	r.Report, r.Tests = report, report.Tests()
	r.Gate.Tests = t.Passed + t.Failed
	return r
}

// holding is a gate that is green where a file holds a text, with the tests that
// a file tests.txt names.
func holding(name, file, text string) *played {
	return &played{name: name, look: func(p gate.Place) gate.Result {
		got, _ := os.ReadFile(filepath.Join(p.Dir, file))
		return answer(strings.Contains(string(got), text), "")
	}}
}

func newBench(t *testing.T, settings Settings, gates ...Gate) *bench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "tree")}
	b.write("calc", "bad\n")
	b.write("calc.go", "package calc\n")
	b.sh("git init -q -b main && git config user.email a@b && git config user.name a && git add -A && git commit -qm x")
	tree, err := git.Open(t.Context(), b.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := checkpoint.OpenStore(t.Context(), tree, filepath.Join(t.TempDir(), "objects"), "")
	if err != nil {
		t.Fatal(err)
	}
	settings.Tree, settings.Dir = b.dir, filepath.Join(t.TempDir(), "proof")
	if settings.Mode == "" {
		settings.Mode, settings.Baseline = "auto", true
	}
	if settings.Tests == "" {
		settings.Tests = TestsKept
	}
	b.judge = &Judge{
		Gates: gates, Proof: settings, Store: store, Dir: b.dir, Env: os.Environ(), Exec: proc.Run,
		Tell: func(p loop.Payload) { b.state = b.state.Sum(loop.Event{Payload: p}) },
		File: func(string, loop.Place, string) (io.WriteCloser, string) { return unread{}, "" },
	}
	return b
}

type unread struct{}

func (unread) Write(p []byte) (int, error) { return len(p), nil }
func (unread) Close() error                { return nil }

func (b *bench) write(name, text string) { b.t.Helper(); write(b.t, filepath.Join(b.dir, name), text) }

func (b *bench) sh(line string) {
	b.t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

func (b *bench) checkpoint() checkpoint.Checkpoint {
	b.t.Helper()
	c, err := b.judge.Store.Checkpoint(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// begin takes the baseline.
func (b *bench) begin() *bench {
	b.t.Helper()
	first := b.checkpoint()
	b.judge.First = &first
	made, _ := b.judge.Baseline(b.t.Context(), first)
	b.state = b.state.Sum(loop.Event{Payload: made})
	return b
}

func (b *bench) claim() Ruling {
	b.t.Helper()
	return b.judge.Claim(b.t.Context(), b.state, b.checkpoint(), nil)
}

// wants checks a ruling: a level, or words of a refusal.
func (b *bench) wants(r Ruling, want string) {
	b.t.Helper()
	if r.Proof != nil && string(r.Proof.Level) == want {
		return
	}
	if r.Proof == nil && want != "" && strings.Contains(r.Why+r.Person, want) {
		return
	}
	b.t.Errorf("ruling: why %q, person %q, proof %+v; want %s", r.Why, r.Person, r.Proof, want)
}

// empty checks that no checkout and no index is left.
func (b *bench) empty() {
	b.t.Helper()
	entries, err := os.ReadDir(b.judge.Proof.Dir)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{checkpoint.OwnerFile, checkpoint.TempFile, seedFolder}, e.Name()) {
			b.t.Errorf("%s is left", e.Name())
		}
	}
}

func TestAFixedGateProves(t *testing.T) {
	g := holding("t", "calc", "good")
	b := newBench(t, Settings{}, Gate{Gate: g, Line: "x"}).begin()
	b.write("calc", "good\n")
	b.wants(b.claim(), "proven")
	if g.ran != 4 {
		t.Errorf("the gate ran %d times, want twice at the baseline, for the claim, and once more for it turned", g.ran)
	}
	b.empty()
}

func TestAGateThatIsNoWorseProvesNothing(t *testing.T) {
	g := &played{name: "t", look: func(gate.Place) gate.Result { return answer(false, "A B-") }}
	b := newBench(t, Settings{}, Gate{Gate: g, Line: "x", NoWorse: true}).begin()
	b.write("calc.go", "package calc // changed\n")
	b.wants(b.claim(), "kept")
	unnamed := &played{name: "t", look: func(gate.Place) gate.Result { return answer(false, "+2 B-") }}
	b = newBench(t, Settings{}, Gate{Gate: unnamed, Line: "x", NoWorse: true}).begin()
	b.write("calc.go", "package calc // changed\n")
	b.wants(b.claim(), "kept")
}

func TestAGateThatDidNotEndBeforeProvesNothing(t *testing.T) {
	early := true
	g := &played{name: "t", look: func(gate.Place) gate.Result {
		r := answer(!early, "")
		if early {
			r.Exit, r.Why = nil, "timed out after 10m"
		}
		return r
	}}
	b := newBench(t, Settings{Mode: "clean", Baseline: true}, Gate{Gate: g, Line: "x"}).begin()
	early = false
	b.write("calc.go", "package calc // changed\n")
	b.wants(b.claim(), "kept") // it passes on the first checkpoint, too
}

func TestTheScriptOfAGateIsPutBackWhereGatesRun(t *testing.T) {
	script := func(p gate.Place) gate.Result {
		return gate.Command(gate.Settings{Name: "t", Run: "sh check.sh"}).Check(context.Background(), p)
	}
	for _, below := range []string{"", "app"} {
		g := Gate{Gate: &played{name: "t", look: script}, Line: "sh check.sh"}
		b := newBench(t, Settings{Below: below}, g)
		b.judge.Dir = filepath.Join(b.dir, below)
		if below == "" {
			b.write("check.sh", "grep -q good calc\n")
		} else {
			b.write("app/check.sh", "grep -q good ../calc\n")
		}
		b.sh("git add -A; git commit -qm y")
		b.begin()
		b.write(filepath.Join(below, "check.sh"), "exit 0\n")
		b.wants(b.claim(), "t fails in its old version")
	}
}

func TestWhatLiesAboveTheWorkTreeIsComparedToo(t *testing.T) {
	g := Gate{Gate: &played{name: "t", look: func(p gate.Place) gate.Result {
		return gate.Command(gate.Settings{Name: "t", Run: "cd .. && sh check.sh"}).Check(context.Background(), p)
	}}, Line: "cd .. && sh check.sh"}
	b := newBench(t, Settings{}, g)
	b.write("check.sh", "grep -q good lib\n")
	b.write("lib", "bad\n")
	b.write("sub/x", "x\n")
	b.sh("git add -A; git commit -qm y")
	tree, err := git.Open(t.Context(), filepath.Join(b.dir, "sub"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if b.judge.Store, err = checkpoint.OpenStore(t.Context(), tree, filepath.Join(t.TempDir(), "objects"), ""); err != nil {
		t.Fatal(err)
	}
	b.judge.Proof.Tree, b.judge.Dir = filepath.Join(b.dir, "sub"), filepath.Join(b.dir, "sub")
	b.judge.Proof.Plans = func() []string { return []string{"PLAN.md"} }
	b.begin()
	b.write("check.sh", "exit 0\n")
	b.write("sub/PLAN.md", "- [x] one\n")
	b.wants(b.claim(), "t fails in its old version")
	b.write("check.sh", "grep -q good lib\n")
	b.wants(b.claim(), "gate t failed")
	b.write("lib", "good\n")
	b.wants(b.claim(), "proven")
}

func TestNewFilesThatDecideAreToldInTheWorkTree(t *testing.T) {
	g := holding("t", "calc", "good")
	b := newBench(t, Settings{Mode: "workspace", Baseline: true}, Gate{Gate: g, Line: "x"}).begin()
	b.write("calc", "good\n")
	b.write("conftest.py", "cheat\n")
	b.wants(b.claim(), "conftest.py was changed")
	b.sh("rm conftest.py")
	b.write("test_new.py", "a new test\n")
	b.wants(b.claim(), "proven")
}

func TestAWorkTreeGateThatTurnedRunsAgain(t *testing.T) {
	n := 0
	g := &played{name: "t", look: func(gate.Place) gate.Result { n++; return answer(n == 2, "") }}
	b := newBench(t, Settings{Mode: "workspace", Baseline: true}, Gate{Gate: g, Line: "x", Retries: 1}).begin()
	b.write("calc", "new\n")
	at := b.checkpoint()
	found := b.judge.Attempt(t.Context(), b.state, at)
	r := b.judge.Claim(t.Context(), b.state, at, found.Results)
	b.wants(r, "flaky")
	if n != 4 {
		t.Errorf("the gate ran %d times, want the baseline, the attempt, and twice more", n)
	}
}

func TestANewTestThatHadNoTurnProvesNothing(t *testing.T) {
	where := func(p gate.Place) gate.Result {
		text, _ := os.ReadFile(filepath.Join(p.Dir, "calc_test.go"))
		work, _ := os.ReadFile(filepath.Join(p.Dir, "calc"))
		switch has := strings.Contains(string(text), "New"); {
		case !has:
			return answer(true, "A")
		case !strings.Contains(string(work), "good"):
			return answer(false, "A-") // an old one fails now and then, and ends the run
		}
		return answer(true, "A New")
	}
	b := newBench(t, Settings{}, Gate{Gate: &played{name: "t", look: where}, Line: "x"}).begin()
	b.write("calc", "good\n")
	b.write("calc_test.go", "New")
	b.wants(b.claim(), "kept")
}

// A full disk is nothing that a checkout lacks. A test cannot fill one; an error
// with the words for it will do.
func TestAFullDiskIsToldAsSuch(t *testing.T) {
	b := newBench(t, Settings{Mode: "clean"}, Gate{Gate: &played{name: "t", look: func(gate.Place) gate.Result { return answer(true, "") }}, Line: "x"}).begin()
	full := filepath.Join(t.TempDir(), "no space left on device")
	write(t, full, "a file where a folder should be")
	b.judge.Proof.Dir = filepath.Join(full, "proof")
	b.write("calc", "good\n")
	b.wants(b.claim(), "the disk is full; free some space, then resume")
}

func TestDependenciesOfTheAgentAreNotCopied(t *testing.T) {
	g := &played{name: "t", look: func(p gate.Place) gate.Result {
		_, err := os.Stat(filepath.Join(p.Dir, "node_modules", "x"))
		return answer(err == nil, "")
	}}
	b := newBench(t, Settings{Mode: "clean"}, Gate{Gate: g, Line: "x"}) // no baseline
	b.write(".gitignore", "node_modules\n")
	b.begin()
	b.write("node_modules/x", "by the agent\n")
	b.write("calc", "good\n")
	b.wants(b.claim(), "passes in the work tree and fails in a clean checkout")
	b.empty()

	b = newBench(t, Settings{}, Gate{Gate: g, Line: "x"})
	b.write(".gitignore", "node_modules\n")
	b.write("package.json", `{"scripts": {"prepare": "make"}}`)
	b.write("node_modules/x", "by the user\n")
	b.begin()
	b.write("calc", "good\n")
	b.wants(b.claim(), "kept")
	b.write("node_modules/x", "by the agent\n")
	b.wants(b.claim(), "kept")
	b.write("package.json", `{"scripts": {"prepare": "make"}, "dependencies": {"y": "1"}}`)
	b.wants(b.claim(), "nothing says how to install")
	b.write("package.json", `{"scripts": {"prepare": "make"}}`)
	write(t, filepath.Join(b.judge.Proof.seed(), "node_modules", "x"), "planted")
	b.wants(b.claim(), "gone or was changed")
	b.judge.Accepted = true
	made, _ := b.judge.Baseline(t.Context(), b.checkpoint())
	b.state = b.state.Sum(loop.Event{Payload: made})
	b.wants(b.claim(), "kept")
}

func TestACheckoutThatDisagreedOnceIsFlakyAndLeavesNothing(t *testing.T) {
	n := 0
	g := &played{name: "t", look: func(p gate.Place) gate.Result {
		if p.Where == loop.InClean {
			n++
		}
		return answer(p.Where == loop.InWorkspace || n != 2, "")
	}}
	b := newBench(t, Settings{}, Gate{Gate: g, Line: "x", Retries: 2}).begin()
	b.write("calc", "good\n")
	r := b.claim()
	b.wants(r, "kept")
	if !slices.Contains(r.Proof.Flaky, "t") || n != 5 {
		t.Errorf("flaky %q, and %d runs in clean checkouts; want it told, and two more runs", r.Proof.Flaky, n)
	}
	b.empty()
}

func TestAnInterruptIsNoRefusal(t *testing.T) {
	for stage := range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		g := &played{name: "t"}
		g.look = func(p gate.Place) gate.Result {
			got, _ := os.ReadFile(filepath.Join(p.Dir, "calc"))
			if n++; n == 3+stage {
				defer cancel()
			}
			return answer(strings.Contains(string(got), "good"), "")
		}
		b := newBench(t, Settings{}, Gate{Gate: g, Line: "x"}).begin()
		b.write("calc", "good\n")
		b.write("calc_test.go", "changed")
		r := b.judge.Claim(ctx, b.state, b.checkpoint(), nil)
		if n >= 3+stage && (!r.Interrupted || r.Why != "" || r.Proof != nil || r.Person != "") {
			t.Errorf("interrupted in run %d of the gate: %+v", 3+stage, r)
		}
		cancel()
		b.empty()
	}
}

func TestAGateThatChangesWhatItJudgesProvesNothing(t *testing.T) {
	g := &played{name: "t", look: func(p gate.Place) gate.Result {
		got, _ := os.ReadFile(filepath.Join(p.Dir, "calc"))
		if p.Where == loop.InClean {
			_ = os.WriteFile(filepath.Join(p.Dir, "calc.go"), []byte("formatted"), 0o644)
		}
		return answer(strings.Contains(string(got), "good"), "")
	}}
	b := newBench(t, Settings{}, Gate{Gate: g, Line: "x"}).begin()
	b.write("calc", "good\n")
	r := b.claim()
	b.wants(r, "kept")
	if r.Proof != nil && !strings.Contains(r.Proof.Why, "calc.go") {
		t.Errorf("why = %q", r.Proof.Why)
	}
}

// A test, or what it reads, that was only moved is back where it was.
func TestWhatTestsReadIsBackInItsPlace(t *testing.T) {
	g := &played{name: "t", look: func(p gate.Place) gate.Result {
		cases, _ := filepath.Glob(filepath.Join(p.Dir, "testdata", "*.txt"))
		expected, _ := os.ReadFile(filepath.Join(p.Dir, "expected.json"))
		work, _ := os.ReadFile(filepath.Join(p.Dir, "calc"))
		if len(cases) == 0 || strings.Contains(string(expected), strings.TrimSpace(string(work))) {
			return answer(true, "A")
		}
		return answer(false, "A-")
	}}
	b := newBench(t, Settings{}, Gate{Gate: g, Line: "x"})
	b.write("testdata/add.txt", "a case\n")
	b.write("expected.json", "good")
	b.write("calc_test.go", "reads expected.json")
	b.sh("git add -A; git commit -qm y")
	b.begin()
	b.sh("mkdir testdata/later; git mv testdata/add.txt testdata/later/; echo '// x' >>calc.go")
	b.wants(b.claim(), "A passes now, but its old version fails")
	b.sh("git mv testdata/later/add.txt testdata/; echo bad >expected.json")
	b.wants(b.claim(), "A passes now, but its old version fails")
	b.sh("git checkout expected.json; echo good >calc")
	b.wants(b.claim(), "proven")
}

func TestANewTestThatFailsNowAndThenProvesNothing(t *testing.T) {
	n := 0
	g := &played{name: "t", look: func(p gate.Place) gate.Result {
		if text, _ := os.ReadFile(filepath.Join(p.Dir, "calc_test.go")); !strings.Contains(string(text), "New") {
			return answer(true, "A")
		}
		if n++; n == 2 { // on the first checkpoint, this once
			return answer(false, "A New-")
		}
		return answer(true, "A New")
	}}
	b := newBench(t, Settings{}, Gate{Gate: g, Line: "x"}).begin()
	b.write("calc.go", "package calc // changed\n")
	b.write("calc_test.go", "New")
	b.wants(b.claim(), "kept")
}

// A reason for a file, or for a test in a file that cannot be loaded as it was,
// lets the rest be judged with the file as it is; only what holds is said to.
func TestAReasonForAFile(t *testing.T) {
	g := &played{name: "t", look: func(p gate.Place) gate.Result {
		text, _ := os.ReadFile(filepath.Join(p.Dir, "calc_test.go"))
		work, _ := os.ReadFile(filepath.Join(p.Dir, "calc.go"))
		switch old := strings.Contains(string(text), "TestMul"); {
		case old && !strings.Contains(string(work), "Mul"):
			return answer(false, "pkg-") // it does not compile
		case old:
			return answer(true, "pkg.TestAdd pkg.TestMul")
		}
		return answer(true, "pkg.TestAdd")
	}}
	b := newBench(t, Settings{}, Gate{Gate: g, Line: "x"})
	b.write("calc.go", "Add Mul\n")
	b.write("calc_test.go", "TestAdd TestMul\n")
	b.begin()
	b.write("calc.go", "Add\n")
	b.write("calc_test.go", "TestAdd\n")
	b.wants(b.claim(), "tests must pass as they were before the run")
	b.state = b.state.Sum(loop.Event{Payload: &loop.TestExplained{Name: "TestMul", Why: "Mul is gone"}})
	r := b.claim()
	b.wants(r, "tests_changed")
	if r.Proof == nil || r.Proof.Tests.Held != 0 || !slices.ContainsFunc(r.Proof.Tests.Changed, func(c loop.TestChange) bool { return c.Name == "pkg.TestMul" && c.Why == "Mul is gone" }) {
		t.Errorf("proof = %+v", r.Proof)
	}
}

func TestARoomThatCouldNotBeSetUpStaysSo(t *testing.T) {
	b := newBench(t, Settings{}, Gate{Gate: holding("t", "calc", "good"), Line: "x"}).begin()
	b.judge.Proof.Copy = []string{".env"}
	b.judge.known.Seed = &Seed{Paths: []string{".env"}, Print: "of other files"}
	rooms := newRooms(b.judge)
	defer rooms.close()
	for range 2 {
		if _, err := rooms.enter(t.Context(), b.checkpoint().Tree, io.Discard); err == nil {
			t.Error("a gate may run where nothing was set up")
		}
	}
}
