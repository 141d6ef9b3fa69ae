package agent

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// commandTest is how one call of a CLI should start it, apart from what is
// taken out of the environment, which is the same for all.
type commandTest struct {
	name    string
	options Options
	call    Call
	want    Command
}

func checkCommands(t *testing.T, agent string, unset []string, tests []commandTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Name = agent
			tt.want.Unset = unset
			a, err := New(tt.options)
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.Command(tt.call)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Command(%+v) (-want +got):\n%s", tt.call, diff)
			}
		})
	}
}

// decodeLines reads what an agent printed: the events, and the one result.
func decodeLines(format string, exit loop.Exit, lines ...string) ([]loop.Payload, *loop.AgentResult) {
	d := formats[format](Options{Now: func() time.Time { return recordedAt }})
	var all []loop.Payload
	for _, line := range lines {
		all = append(all, d.Decode([]byte(line))...)
	}
	all = append(all, d.Close(exit)...)
	last := len(all) - 1
	return all[:last:last], all[last].(*loop.AgentResult)
}

// kindOf is what a result says went wrong; nothing when it is ok.
func kindOf(r *loop.AgentResult) loop.ErrorKind {
	if r.OK || r.Error == nil {
		return ""
	}
	return r.Error.Kind
}

// A command of the user's own runs as written, in the agent's environment, and
// is read as the agent is.
func TestACommandReplacesTheProgram(t *testing.T) {
	a, err := New(Options{
		Name: "pi", Command: []string{"my-pi", "-x"}, ModelFlag: "--model", ResumeFlag: "--session",
		Env: map[string]string{"PI_TELEMETRY": "1"}, Permissions: "edits",
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Command(Call{HasPrompt: true, Prompt: "do it", Model: "m", Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	want := Command{
		Argv:  []string{"my-pi", "-x", "--model", "m", "--session", "s"},
		Env:   []string{"PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=1"},
		Unset: []string{"PI_CODING_AGENT"},
		Stdin: "do it", First: "TERM",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Command (-want +got):\n%s", diff)
	}
	result := decodeAll(a.Decoder(), []byte(`{"type":"agent_end"}`), exitOf(0, false))
	if diff := cmp.Diff([]loop.Payload{failure("no final event: exit 0")}, result); diff != "" {
		t.Errorf("what is read (-want +got):\n%s", diff)
	}
}
