package loop

import "time"

// Event is one thing that happened. In JSON the fields of the payload stand
// beside those of the event; package journal writes and reads it so.
type Event struct {
	Seq     int64
	Time    time.Time // UTC, whole milliseconds
	Run     string
	Iter    int
	Attempt int
	Payload Payload
	Seal    string // by which the journal knows that a runner wrote it; empty where nothing is sealed
}

// Type is the event's name.
func (e Event) Type() Type { return e.Payload.Type() }

// Type names a kind of event.
type Type string

// Payload is what an event of one type carries.
type Payload interface{ Type() Type }

// payloads is every event that this version knows, by the name it has in the
// journal. A new event is one type and one line here.
var payloads = map[Type]func() Payload{
	"run.started":         func() Payload { return new(RunStarted) },
	"run.resumed":         func() Payload { return new(RunResumed) },
	"run.baseline":        func() Payload { return new(RunBaseline) },
	"run.waiting":         func() Payload { return new(RunWaiting) },
	"run.paused":          func() Payload { return new(RunPaused) },
	"run.unpaused":        func() Payload { return new(RunUnpaused) },
	"run.asked":           func() Payload { return new(RunAsked) },
	"run.answered":        func() Payload { return new(RunAnswered) },
	"run.reboot_started":  func() Payload { return new(RunRebootStarted) },
	"run.reboot_finished": func() Payload { return new(RunRebootFinished) },
	"run.rule":            func() Payload { return new(RunRule) },
	"run.parked":          func() Payload { return new(RunParked) },
	"run.finished":        func() Payload { return new(RunFinished) },
	"iteration.started":   func() Payload { return new(IterationStarted) },
	"iteration.phase":     func() Payload { return new(IterationPhase) },
	"iteration.finished":  func() Payload { return new(IterationFinished) },
	"agent.started":       func() Payload { return new(AgentStarted) },
	"agent.session":       func() Payload { return new(AgentSession) },
	"agent.text":          func() Payload { return new(AgentText) },
	"agent.tool":          func() Payload { return new(AgentTool) },
	"agent.tool_result":   func() Payload { return new(AgentToolResult) },
	"agent.usage":         func() Payload { return new(AgentUsage) },
	"agent.retry":         func() Payload { return new(AgentRetry) },
	"agent.limit":         func() Payload { return new(AgentLimit) },
	"agent.result":        func() Payload { return new(AgentResult) },
	"agent.exited":        func() Payload { return new(AgentExited) },
	"tests.seen":          func() Payload { return new(TestsSeen) },
	"gate.started":        func() Payload { return new(GateStarted) },
	"gate.finished":       func() Payload { return new(GateFinished) },
	"hook.finished":       func() Payload { return new(HookFinished) },
	"checkpoint.made":     func() Payload { return new(CheckpointMade) },
	"checkpoint.restored": func() Payload { return new(CheckpointRestored) },
	"commit.made":         func() Payload { return new(CommitMade) },
	"sandbox.refused":     func() Payload { return new(SandboxRefused) },
	"plan.read":           func() Payload { return new(PlanRead) },
	"test.explained":      func() Payload { return new(TestExplained) },
	"claim.heard":         func() Payload { return new(ClaimHeard) },
	"claim.refused":       func() Payload { return new(ClaimRefused) },
	"command.received":    func() Payload { return new(CommandReceived) },
	"note.added":          func() Payload { return new(NoteAdded) },
	"warning":             func() Payload { return new(Warning) },
}

// NewPayload gives an empty payload to fill for events of type t. A type from
// a later version gives Unknown, which readers keep and skip.
func NewPayload(t Type) Payload {
	if make, ok := payloads[t]; ok {
		return make()
	}
	return &Unknown{Name: t}
}

// Types lists every event type that this version writes.
func Types() []Type {
	list := make([]Type, 0, len(payloads))
	for t := range payloads {
		list = append(list, t)
	}
	return list
}

// Kept tells whether events of type t belong in the journal. The rest of what
// the agent says goes to the attempt's own file, so that the journal holds what
// decides and stays small.
func (t Type) Kept() bool {
	switch t {
	case "agent.session", "agent.text", "agent.tool", "agent.tool_result", "agent.usage", "agent.retry", "tests.seen":
		return false
	}
	return true
}

// RunStarted is the first event of every run.
type RunStarted struct {
	Name      string      `json:"name"`
	Dir       string      `json:"dir,omitempty"`
	Procedure string      `json:"procedure"`
	Profile   string      `json:"profile,omitempty"` // whose ways it works in
	Version   string      `json:"version,omitempty"`
	PID       int         `json:"pid,omitempty"`
	Agent     string      `json:"agent"`
	Model     string      `json:"model,omitempty"`
	Limits    Limits      `json:"limits"`
	Promise   string      `json:"promise,omitempty"`
	Branch    string      `json:"branch,omitempty"`  // made for the run
	Prompt    string      `json:"prompt,omitempty"`  // a preview
	Command   string      `json:"command,omitempty"` // after "--", quoted as a shell would need it
	Counting  CountPolicy `json:"counting,omitzero"`
	Sandbox   *Sandbox    `json:"sandbox,omitempty"`
	// Settings is what somebody has set, by the keys: with flags, variables and files, by
	// procedure and profile, secrets masked. All else is as Version has it.
	Settings map[string]any `json:"settings,omitempty"`
}

// Limits are what will end the run at the latest; 0 is none.
type Limits struct {
	Iterations int     `json:"iterations,omitempty"`
	Time       Millis  `json:"time_ms,omitempty"`
	CostUSD    float64 `json:"cost_usd,omitempty"`
	Tokens     int     `json:"tokens,omitempty"`
	Failures   int     `json:"failures,omitempty"`
	NoProgress int     `json:"no_progress,omitempty"`

	RedGates     int `json:"red_gates,omitempty"`
	TestFailures int `json:"test_failures,omitempty"`
	Files        int `json:"files,omitempty"` // that may be changed

	Redline int `json:"redline,omitempty"` // percent of a kept session's context
}

// RunResumed says that another runner goes on with the run.
type RunResumed struct {
	From     Status      `json:"from"`
	Version  string      `json:"version,omitempty"`
	PID      int         `json:"pid,omitempty"`
	Agent    string      `json:"agent,omitempty"`
	Model    string      `json:"model,omitempty"`
	Promise  string      `json:"promise,omitempty"`
	Limits   Limits      `json:"limits"`
	Changed  []Change    `json:"changed,omitempty"`
	Counting CountPolicy `json:"counting,omitzero"`
	Sandbox  *Sandbox    `json:"sandbox,omitempty"`
	// Settings is what holds from now on, as in RunStarted.
	Settings map[string]any `json:"settings,omitempty"`
}

// Change is a setting that differs from when the run was last started.
type Change struct {
	Key string `json:"key"`
	Old string `json:"old"`
	New string `json:"new"`
}

// RunWaiting says that nothing runs until a time, and why.
type RunWaiting struct {
	Rule  string    `json:"rule"`
	Why   string    `json:"why"`
	Agent string    `json:"agent,omitempty"` // whose provider it waits for
	For   Millis    `json:"for_ms"`
	Until time.Time `json:"until"`

	Limit   string `json:"limit,omitempty"`    // the kind of the usage limit that it waits for
	NotedBy string `json:"noted_by,omitempty"` // the run that met it
}

// RunParked says that the runner has left the run between two steps, for another one
// to go on with. What it left is complete: nothing of it is to be settled.
type RunParked struct {
	Why string `json:"why"`
	// Rule is that of the wait in which it was left, and Until when that is over.
	Rule  string    `json:"rule,omitempty"`
	Until time.Time `json:"until,omitzero"`
}

// RunRule says that a rule has ended the run, or refused to start it.
type RunRule struct {
	Verdict Verdict `json:"verdict"`
}

// RunFinished is the last event of every run that did not crash and is not parked.
type RunFinished struct {
	State   Status `json:"state"`
	Reason  Reason `json:"reason"`
	Why     string `json:"why"`
	Proven  bool   `json:"proven"` // the level of the proof is proven
	Proof   *Proof `json:"proof,omitempty"`
	Signal  string `json:"signal,omitempty"`
	Elapsed Millis `json:"elapsed_ms"`
	Totals  Totals `json:"totals"`
	// Net is what the run came to: the work tree at its end against that before
	// its first iteration.
	Net *Changes `json:"net,omitempty"`
	Later
	// Unsaved says what could not be written to disk.
	Unsaved []string `json:"unsaved,omitempty"`
}

// IterationStarted opens an attempt.
type IterationStarted struct {
	Max   int    `json:"max,omitempty"`   // 0 is unlimited
	Agent string `json:"agent,omitempty"` // who stands in for the run's own agent; empty: nobody
}

// IterationPhase says where the attempt stands. With executing it keeps what
// the work tree was before the agent, for a runner that has to judge the
// attempt after a crash.
type IterationPhase struct {
	Phase Phase  `json:"phase"`
	Base  string `json:"base,omitempty" redact:"-"`
}

// IterationFinished closes an attempt: what was seen, what was decided, and
// the state after it, so that a reader need not start at the beginning.
type IterationFinished struct {
	Outcome Outcome `json:"outcome"`
	Verdict Verdict `json:"verdict"`
	State   State   `json:"state"`
}

// AgentStarted names the agent's process.
type AgentStarted struct {
	Agent   string    `json:"agent"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// AgentSession is the agent's own conversation. Later ones add to earlier ones:
// what is empty was not told this time.
type AgentSession struct {
	Session       string `json:"session,omitempty" redact:"-"`
	Model         string `json:"model,omitempty"`
	BilledTo      string `json:"billed_to,omitempty"`
	ContextWindow int    `json:"context_window,omitempty"` // in tokens
}

// AgentText is text that the agent itself wrote. A text that is cut stands in
// full in the attempt's stdout file. One that is plain is what a program printed,
// line by line: its spaces, breaks and colours count, and nothing in it is Markdown.
type AgentText struct {
	Text  string `json:"text"`
	Cut   bool   `json:"cut,omitempty"`
	Plain bool   `json:"plain,omitempty"`
}

// AgentTool is a call of one of the agent's tools.
type AgentTool struct {
	ID    string `json:"id,omitempty" redact:"-"`
	Name  string `json:"name"`
	Input string `json:"input,omitempty"` // the one line worth showing
	Shell bool   `json:"shell,omitempty"` // it runs a command
}

// AgentToolResult is what a tool gave back.
type AgentToolResult struct {
	ID     string `json:"id,omitempty" redact:"-"`
	Name   string `json:"name,omitempty"`
	Output string `json:"output,omitempty"`
	Failed bool   `json:"failed,omitempty"`
	Denied bool   `json:"denied,omitempty"` // the agent was not allowed to use it
	Exit   *int   `json:"exit,omitempty"`
}

// AgentRetry says that the agent is trying a request again: it is not hung.
type AgentRetry struct {
	Try   int    `json:"try,omitempty"`
	Most  int    `json:"most,omitempty"`
	After Millis `json:"after_ms,omitempty"`
	// Within is when it will have tried at the latest, unless it was told to wait for
	// longer, where it does not say After what.
	Within Millis      `json:"within_ms,omitempty"`
	Error  *AgentError `json:"error,omitempty"`
}

// AgentUsage is what the attempt has used up so far.
type AgentUsage struct {
	Usage Usage `json:"usage"`
}

// AgentLimit is a limit that the provider set.
type AgentLimit struct {
	Limit Limit `json:"limit"`
}

// AgentResult is the agent's own last word on the attempt.
type AgentResult struct {
	OK    bool        `json:"ok"`
	Error *AgentError `json:"error,omitempty"`
	Text  string      `json:"text,omitempty"`
	// Pending says that background work of the agent's had not ended.
	Pending bool `json:"pending,omitempty"`
}

// AgentExited says how the agent's process ended.
type AgentExited struct {
	Exit     Exit   `json:"exit"`
	Duration Millis `json:"duration_ms"`
}

// ClaimHeard is a claim that counts, if the proof agrees.
type ClaimHeard struct {
	Kind ClaimKind `json:"kind"`
	Text string    `json:"text"`
}

// ClaimRefused is a claim, or what looks like one, that does not count.
type ClaimRefused struct {
	Kind ClaimKind `json:"kind"`
	Text string    `json:"text"`
	Why  string    `json:"why"`
	// Lacks names what the evidence lacks, when that and no red gate is why.
	Lacks string `json:"lacks,omitempty"`
	// NearMiss marks text that resembles a claim without being one.
	NearMiss bool `json:"near_miss,omitempty"`
}

// CommandReceived is a person's wish and what came of it.
type CommandReceived struct {
	Command string  `json:"command"`
	Signal  string  `json:"signal,omitempty"`
	Text    string  `json:"text,omitempty"` // of a note
	Key     string  `json:"key,omitempty"`  // of a setting
	Value   string  `json:"value,omitempty"`
	Effect  string  `json:"effect"`        // what it does, or why it was refused
	Now     bool    `json:"now,omitempty"` // of a stop: it does not wait for the end of the iteration
	Refused bool    `json:"refused,omitempty"`
	Limits  *Limits `json:"limits,omitempty"` // from now on, when it changed them
}

// RunPaused says that nothing begins until a person wants it to.
type RunPaused struct{}

// RunUnpaused says that the run goes on.
type RunUnpaused struct{}

// RunRebootStarted says that the agent's session is given up for a fresh one.
type RunRebootStarted struct {
	Why     string `json:"why"`
	Session string `json:"session,omitempty" redact:"-"`
}

// RunRebootFinished says that the next attempt begins afresh.
type RunRebootFinished struct {
	Reboots int `json:"reboots"` // of the run so far, this one included
}

// RunAsked is a question that a person is to answer before the run goes on.
type RunAsked struct {
	Question string    `json:"question"`
	Choices  []string  `json:"choices"`
	Default  string    `json:"default"`          // taken when no answer comes in time
	Until    time.Time `json:"until,omitzero"`   // left out when there is time for ever
	Prompt   string    `json:"prompt,omitempty"` // the file with the next prompt, to be changed if need be
}

// RunAnswered is the answer, and who gave it.
type RunAnswered struct {
	Answer string `json:"answer"`
	By     string `json:"by"`
}

// NoteAdded is what a person wants the next agent to know.
type NoteAdded struct {
	Text string `json:"text"`
}

// Warning is something a person should know.
type Warning struct {
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
	// Key names what is said once only, a restart of the runner included.
	Key string `json:"key,omitempty"`
}

// BudgetKey begins the keys of warnings that a budget is nearly used up.
const BudgetKey = "budget."

// The keys of warnings that what a run does cannot be seen, or kept.
const (
	UnseenKey  = "unseen"
	UnsavedKey = "unsaved"
	UnkeptKey  = "unkept" // nobody can be sure that all of its processes have ended
)

// The keys of warnings that somebody has changed the repository, or what git does
// in it: PutBackKey begins those that tell what of it was put back, UnusedGitKey
// those that tell what is not used while it is not what it was.
const (
	PutBackKey   = "put back "
	LostGitKey   = "lost git"
	UnusedGitKey = "unused git "
)

// Unknown stands for an event from a later version.
type Unknown struct {
	Name Type `json:"-"`
}

// The event names, where the compiler can see that each payload has one.

func (*RunStarted) Type() Type        { return "run.started" }
func (*RunResumed) Type() Type        { return "run.resumed" }
func (*RunWaiting) Type() Type        { return "run.waiting" }
func (*RunRule) Type() Type           { return "run.rule" }
func (*RunParked) Type() Type         { return "run.parked" }
func (*RunFinished) Type() Type       { return "run.finished" }
func (*IterationStarted) Type() Type  { return "iteration.started" }
func (*IterationPhase) Type() Type    { return "iteration.phase" }
func (*IterationFinished) Type() Type { return "iteration.finished" }
func (*AgentStarted) Type() Type      { return "agent.started" }
func (*AgentSession) Type() Type      { return "agent.session" }
func (*AgentText) Type() Type         { return "agent.text" }
func (*AgentTool) Type() Type         { return "agent.tool" }
func (*AgentToolResult) Type() Type   { return "agent.tool_result" }
func (*AgentUsage) Type() Type        { return "agent.usage" }
func (*AgentRetry) Type() Type        { return "agent.retry" }
func (*AgentLimit) Type() Type        { return "agent.limit" }
func (*AgentResult) Type() Type       { return "agent.result" }
func (*AgentExited) Type() Type       { return "agent.exited" }
func (*ClaimHeard) Type() Type        { return "claim.heard" }
func (*ClaimRefused) Type() Type      { return "claim.refused" }
func (*CommandReceived) Type() Type   { return "command.received" }
func (*RunPaused) Type() Type         { return "run.paused" }
func (*RunUnpaused) Type() Type       { return "run.unpaused" }
func (*NoteAdded) Type() Type         { return "note.added" }
func (*RunAsked) Type() Type          { return "run.asked" }
func (*RunRebootStarted) Type() Type  { return "run.reboot_started" }
func (*RunRebootFinished) Type() Type { return "run.reboot_finished" }
func (*RunAnswered) Type() Type       { return "run.answered" }
func (*Warning) Type() Type           { return "warning" }
func (u *Unknown) Type() Type         { return u.Name }
