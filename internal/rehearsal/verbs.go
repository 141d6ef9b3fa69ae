package rehearsal

// verb is one thing that a step can do.
type verb struct {
	make func(*values) act
	with []string // the fields that may stand beside it
}

// verbs is the whole language. docs/rehearsal.md describes it.
var verbs = map[string]verb{
	// what it says
	"text":        {make: text},
	"claim":       {make: claim},
	"echo_prompt": {make: echoPrompt},
	"tool_result": {make: toolResult},
	"usage":       {make: usage},
	"raw":         {make: raw},
	"stderr_text": {make: stderrText},
	"session":     {make: session},
	"note":        {make: note},

	// what it does
	"write":  {make: write, with: []string{"content", "append", "mode"}},
	"delete": {make: remove},
	"run":    {make: run, with: []string{"check"}},
	"commit": {make: commit},
	"sleep":  {make: sleep},

	// how it ends
	"limit": {make: limit, with: []string{"resets_in"}},
	"error": {make: fault, with: []string{"message"}},
	"exit":  {make: exit},
	"crash": {make: crash},

	// what makes a runner's life hard
	"hang":            {make: hang},
	"flood_mb":        {make: flood, with: []string{"stderr"}},
	"endless_line_mb": {make: endlessLine},
	"daemon":          {make: daemon},
	"ignore_term":     {make: ignoreTerm},

	// what only happens on a stage
	"crash_runner": {make: crashRunner},
	"full_disk":    {make: fullDisk},
}
