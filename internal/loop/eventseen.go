package loop

// What the runner saw for itself: checkpoints, test results and gates.

// RunBaseline is what the gates said before the first iteration, and where they
// judge a claim from now on.
type RunBaseline struct {
	Gates []BaselineGate `json:"gates"`
	Proof Place          `json:"proof"`
	// Why says what is missing where a clean checkout was wanted and can't be.
	Why string `json:"why,omitempty"`
	// SetUp says that a clean checkout was made and could be set up.
	SetUp bool `json:"set_up,omitempty"`
	// Checkpoint is the tree that the gates saw.
	Checkpoint string `json:"checkpoint,omitempty" redact:"-"`
}

// BaselineGate is one gate before the first iteration, in the work tree and, if
// it was tried there, in a clean checkout.
type BaselineGate struct {
	Gate  Gate   `json:"gate"`
	Clean *Gate  `json:"clean,omitempty"`
	Tests *Tests `json:"tests,omitempty"`
	// Judged is where this gate judges claims.
	Judged Place `json:"judged,omitempty"`
	// Outside says that it failed in the sandbox and passed outside of it.
	Outside bool `json:"outside,omitempty"`
}

// Place is where a gate runs.
type Place string

// The places of a gate.
const (
	InWorkspace Place = "workspace"
	InClean     Place = "clean"
)

// GateStarted says that one of the runner's own checks began.
type GateStarted struct {
	Name  string `json:"name"`
	Where Place  `json:"where"`
	With  string `json:"with,omitempty"` // on another tree than the one that is judged: a word for which
}

// GateFinished says how it ended.
type GateFinished struct {
	Gate  Gate   `json:"gate"`
	Tests *Tests `json:"tests,omitempty"`
	With  string `json:"with,omitempty"` // as it began
	// TestsFile is where each of the tests is, in the folder of the attempt.
	TestsFile string `json:"tests_file,omitempty"`
}

// TestsSeen is a test run in the output of one of the agent's own tools.
type TestsSeen struct {
	Tests Tests `json:"tests"`
}

// CheckpointMade says that the whole work tree was kept, as it was before the
// agent (base) or after it.
type CheckpointMade struct {
	Checkpoint string `json:"checkpoint" redact:"-"`
	Tree       string `json:"tree" redact:"-"`
	Base       bool   `json:"base,omitempty"`
	Glance     bool   `json:"glance,omitempty"` // not everything was looked at, as with git.watch
}

// CheckpointRestored says that the work tree was put back.
type CheckpointRestored struct {
	Checkpoint string `json:"checkpoint" redact:"-"`
	Iteration  *int   `json:"iteration,omitempty"` // whose checkpoint it is, if it is one's; 0 is before the first
	Kept       string `json:"kept" redact:"-"`     // the checkpoint of what was there
	Why        string `json:"why"`
	// Net is what differs, in the tree that is put back, from when the run began;
	// only where a person put it back.
	Net *Changes `json:"net,omitempty"`
	// Of a run that somebody looked through: the checkpoint of what is left of its
	// work, without what a person has written since, and the files that went, as a
	// whole or in part.
	Work    string   `json:"work,omitempty" redact:"-"`
	Dropped []string `json:"dropped,omitempty"`
	Cut     []string `json:"cut,omitempty"`
	Later            // what runs later in the tree that is put back
}

// PlanRead says how far the plan has come as the next agent finds it, when that is
// not how the last one left it.
type PlanRead struct{ Tally }

// CommitMade says that the runner committed an iteration's work.
type CommitMade struct {
	Commit  string `json:"commit" redact:"-"`
	Subject string `json:"subject"`
}

// HookFinished says what one of the user's own commands at a fixed point came to, or
// a function of a program's own.
type HookFinished struct {
	Point    string `json:"point"`
	By       string `json:"by,omitempty"` // ByProgram; empty: a command
	Exit     *int   `json:"exit,omitempty"`
	Action   string `json:"action"` // continue, skip or abort
	Duration Millis `json:"duration_ms"`
	Why      string `json:"why,omitempty"`
	// Interrupted says that it was ended with its runner, and has its turn again.
	Interrupted bool `json:"interrupted,omitempty"`
	// Metadata is what it has to say of the iteration, by names of its own.
	Metadata map[string]string `json:"metadata,omitempty"`
}

// ByProgram is who asked where a hook is a function of the program that runs the
// loop.
const ByProgram = "program"

func (*HookFinished) Type() Type       { return "hook.finished" }
func (*RunBaseline) Type() Type        { return "run.baseline" }
func (*GateStarted) Type() Type        { return "gate.started" }
func (*GateFinished) Type() Type       { return "gate.finished" }
func (*TestsSeen) Type() Type          { return "tests.seen" }
func (*CheckpointMade) Type() Type     { return "checkpoint.made" }
func (*CheckpointRestored) Type() Type { return "checkpoint.restored" }
func (*PlanRead) Type() Type           { return "plan.read" }
func (*CommitMade) Type() Type         { return "commit.made" }
