package refrain

// Options say what to run. Only a way to get an agent and a prompt is needed:
// what is left out is as refrain.toml, the environment and the defaults say.
type Options struct {
	Dir string // a folder in the work tree; empty: the current one

	// What the agent is told: a procedure (plan, build, one of your own), a
	// prompt, or a file with one, which is read again at every iteration. With
	// none of them it is the file PROMPT.md.
	Procedure  string
	Prompt     string
	PromptFile string            // a relative one is in Dir
	Context    []string          // more for the prompt
	Vars       map[string]string // for its template: {{.Vars.NAME}}

	// Who does the work: an agent by its name, a command that gets the prompt, if
	// there is one, on stdin; or an agent of your own. With none of them it is the
	// only agent that is installed.
	Agent       string
	Model       string
	Command     []string
	CustomAgent Agent

	// When it is done, and when it ends without being done.
	Until         string     // the promise by which the agent claims to be done
	Gates         []string   // commands that must pass before a claim is believed
	CustomGates   []Gate     // and checks of your own, after those of the settings
	Rules         []Rule     // rules of your own
	Completion    Completion // a check of your own for claims of done; nil: only the settings tell
	MaxIterations int        // 0: as the settings say; Unlimited: no limit

	// Set is any keys of refrain.toml with their values, such as
	// KeyLoopMaxTime.Is(8 * time.Hour). Settings are the same by their names, such as
	// "loop.max_time": "8h", for those that come from elsewhere: a value is TOML, or
	// else plain text, and an empty one takes back what other layers say. Of a key
	// that is in both, what Set says wins.
	Set      []Setting
	Settings map[string]string

	// Trust says that you agree to what the work tree brings along that runs: the
	// gates, hooks and agents of its refrain.toml, commands in its prompts, and the
	// agents' own project files. Without it only what a person has agreed to with
	// "refrain trust" may run, and anything else is a *UsageError. Untrusted has
	// nothing of it read.
	Trust     bool
	Untrusted bool

	Hooks     Hooks      // functions that the run calls at fixed points
	Observers []Observer // hear of every event
	Control   *Control   // steers the run; nil: only ctx and the command do
	Version   string     // of your program, for the run's files
}

// ResumeOptions say what to go on with.
type ResumeOptions struct {
	Dir string // a folder in the work tree; empty: the current one
	Run string // a run's name; empty: the latest here that can go on

	MaxIterations int               // the new total; 0: as before; Unlimited: no limit
	Set           []Setting         // laid over those it was started with
	Settings      map[string]string // likewise; Set wins

	// AcceptConfig says that you know of what has changed since the run was
	// started and decides when it is done: a promise, a gate, a part that your
	// program brought along. Without it that is a *UsageError, for an agent must
	// not loosen its own end.
	AcceptConfig bool
	Trust        bool // as in Options
	Now          bool // do not wait for a usage limit that the run was waiting for

	// What the program that started the run brought along has to be here again.
	CustomAgent Agent
	CustomGates []Gate
	Rules       []Rule
	Hooks       Hooks
	Completion  Completion

	Observers []Observer
	Control   *Control
	Version   string
}
