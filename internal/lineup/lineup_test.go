package lineup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestChoosesTheAgent(t *testing.T) {
	bin := t.TempDir()
	for _, program := range []string{"here", "also-here"} {
		path := filepath.Join(bin, program)
		story.WriteFile(t, path, "#!/bin/sh\n")
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const (
		missing = "[agents.missing]\ncommand = \"not-there --fast\"\n"
		one     = "[agents.one]\ncommand = \"here --fast\"\n"
		two     = "[agents.two]\ncommand = [\"also-here\"]\n"
	)
	tests := []struct {
		what     string
		settings string
		req      request.Request
		want     string // the agent's name
		refusal  string // or a part of what is said
	}{
		{"the command that was given", one, request.Request{Command: []string{"/some/where/cat"}}, "cat", ""},
		{"the one that is named", "agent = \"two\"\n" + one + two, request.Request{}, "two", ""},
		{"a flag over the file", "agent = \"two\"\n" + one + two, request.Request{Flags: agentFlag("one")}, "one", ""},
		{"the only one that is installed", missing + one, request.Request{}, "one", ""},
		{"a named one need not be installed", missing, request.Request{Flags: agentFlag("missing")}, "missing", ""},
		{"none", "", request.Request{}, "", "no agent"},
		{"none that is installed", missing, request.Request{}, "", "no agent"},
		{"a rehearsal without a script", "", request.Request{Flags: agentFlag("rehearsal")}, "", "the rehearsal has no script"},
		{"a command that cannot be split", "[agents.odd]\ncommand = \"here 'there\"\n", request.Request{Flags: agentFlag("odd")}, "", "quote is not closed"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			tree := story.NewTree(t, tt.settings)
			t.Setenv("PATH", bin)
			tt.req.Prompt = "go"
			job, err := prepareOnly(t, tree, tt.req)
			if tt.refusal == "" {
				if err != nil || job.Name() != tt.want {
					t.Errorf("agent = %+v, %v; want %s", job, err, tt.want)
				}
				return
			}
			var refused *request.UsageError
			if !errors.As(err, &refused) || !strings.Contains(refused.What, tt.refusal) {
				t.Errorf("error = %v, want a usage error with %q", err, tt.refusal)
			} else if refused.Hint == "" {
				t.Errorf("%q comes without a hint", refused.What)
			}
		})
	}
}

// prepareOnly resolves the settings and makes the agent, without the parts that
// need git, which is not on every PATH here.
func prepareOnly(t *testing.T, tree string, req request.Request) (*Lineup, error) {
	t.Helper()
	settings, err := config.Load(request.Sources(tree, req))
	if err != nil {
		t.Fatal(err)
	}
	return New(request.Assignment{Tree: tree, Request: req, Settings: settings})
}

func agentFlag(name string) []config.Flag {
	return []config.Flag{{Name: "--agent", Key: "agent", Value: name}}
}

func TestSeveralAgentsAreAChoice(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"claude", "mine"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tree := story.NewTree(t, "[agents.mine]\ncommand = \"mine\"\n")
	t.Setenv("PATH", bin)
	_, err := prepareOnly(t, tree, request.Request{Prompt: "go"})
	var choice *ChoiceError
	if !errors.As(err, &choice) || !slices.Equal(choice.Agents, []string{"claude", "mine"}) {
		t.Errorf("error = %v, want a choice of claude and mine", err)
	}
}

func TestBudgetsThatCannotBeKept(t *testing.T) {
	cost, tokens := "budget.cost_usd = 1.0\n", "budget.tokens = 1000\n"
	tests := []struct {
		what, settings string
		model          string
		refusal        string
	}{
		{"claude tells its cost", cost + "agent = \"claude\"\n", "", ""},
		{"codex with a model of known price", cost + "agent = \"codex\"\n", "gpt-5-codex", ""},
		{"codex with an unknown model", cost + "agent = \"codex\"\n", "brand-new", "budget.tokens"},
		{"codex tells its tokens", tokens + "agent = \"codex\"\n", "", ""},
		{"copilot tells nothing", tokens + "agent = \"copilot\"\n", "", "budget.tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			req := request.Request{Prompt: "go"}
			if tt.model != "" {
				req.Flags = []config.Flag{{Name: "--model", Key: "model", Value: tt.model}}
			}
			_, err := prepareOnly(t, story.NewTree(t, tt.settings), req)
			var refused *request.UsageError
			switch {
			case tt.refusal == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.refusal != "" && (!errors.As(err, &refused) || !strings.Contains(refused.What+refused.Hint, tt.refusal)):
				t.Errorf("error = %v, want a usage error that names %s", err, tt.refusal)
			}
		})
	}
}

// The settings list the formats for their own messages and for the schema.
func TestEveryFormatCanBeSet(t *testing.T) {
	settings, err := config.Load(request.Sources(story.NewTree(t, ""), request.Request{}))
	if err != nil {
		t.Fatal(err)
	}
	e, err := settings.Explain("agents.mine.format")
	if err != nil {
		t.Fatal(err)
	}
	choices := slices.Sorted(slices.Values(e.Choices))
	if known := agent.Formats(); !slices.Equal(choices, known) {
		t.Errorf("the settings know the formats %q, the agents %q", choices, known)
	}
}

func TestRootIsRefusedWhereNothingConfines(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root is refused")
	}
	t.Setenv("IS_SANDBOX", "yes") // it wants 1
	l, err := prepareOnly(t, story.NewTree(t, "agent = \"claude\"\npermissions.mode = \"full\"\n"), request.Request{Prompt: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.CheckRoot(true); err != nil {
		t.Errorf("in a sandbox: %v", err)
	}
	var refused *request.UsageError
	if err := l.CheckRoot(false); !errors.As(err, &refused) || !strings.Contains(refused.What, "refuses to skip permissions") || refused.Hint == "" {
		t.Errorf("without one: %v, want a usage error with a hint", err)
	}
}

func TestWhatAnAgentWouldIgnoreOrRefuseIsTold(t *testing.T) {
	t.Setenv("IS_SANDBOX", "yes") // it wants 1
	tests := []struct{ what, settings, refusal string }{
		{"a turn limit for an agent without one", "agent = \"codex\"\n[agents.codex]\nmax_turns = 5\n", "how many turns"},
		{"a turn limit for claude", "agent = \"claude\"\n[agents.claude]\nmax_turns = 5\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			_, err := prepareOnly(t, story.NewTree(t, tt.settings), request.Request{Prompt: "go"})
			var refused *request.UsageError
			switch {
			case tt.refusal == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.refusal != "" && (!errors.As(err, &refused) || !strings.Contains(refused.What, tt.refusal) || refused.Hint == ""):
				t.Errorf("error = %v, want a usage error about %q with a hint", err, tt.refusal)
			}
		})
	}
}
