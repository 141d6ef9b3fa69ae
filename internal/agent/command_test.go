package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandRunsAsWritten(t *testing.T) {
	call := Call{HasPrompt: true, Prompt: "do it", PromptFile: "/run/prompt.md", Model: "big"}
	tests := []struct {
		name    string
		options Options
		call    Call
		want    Command
	}{
		{
			"the prompt goes to stdin unless told otherwise",
			Options{Command: []string{"my-agent", "--json"}},
			call,
			Command{Argv: []string{"my-agent", "--json"}, Stdin: "do it"},
		},
		{
			"as the last argument",
			Options{Command: []string{"a"}, Prompt: "arg"},
			call,
			Command{Argv: []string{"a", "do it"}},
		},
		{
			"in the environment",
			Options{Command: []string{"a"}, Prompt: "env"},
			call,
			Command{Argv: []string{"a"}, Env: []string{"PROMPT=do it"}},
		},
		{
			"as the path of a file",
			Options{Command: []string{"a"}, Prompt: "file"},
			call,
			Command{Argv: []string{"a", "/run/prompt.md"}},
		},
		{
			"the model stands between the arguments and the prompt",
			Options{Command: []string{"a", "-x"}, Prompt: "arg", ModelFlag: "--model"},
			call,
			Command{Argv: []string{"a", "-x", "--model", "big", "do it"}},
		},
		{
			"a flag without a model is left out",
			Options{Command: []string{"a"}, ModelFlag: "--model"},
			Call{HasPrompt: true, Prompt: "do it"},
			Command{Argv: []string{"a"}, Stdin: "do it"},
		},
		{
			"a command without a prompt gets none",
			Options{Command: []string{"a"}, Prompt: "arg"},
			Call{},
			Command{Argv: []string{"a"}},
		},
		{
			"variables come in a fixed order, the first signal as asked",
			Options{Command: []string{"a"}, Env: map[string]string{"B": "2", "A": "1", "C": "3"}, First: "INT"},
			Call{},
			Command{Argv: []string{"a"}, Env: []string{"A=1", "B=2", "C=3"}, First: "INT"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Name = "command"
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

func TestCommandDoesNotGrowFromCallToCall(t *testing.T) {
	argv := make([]string, 1, 10) // room to append in place
	argv[0] = "a"
	a, err := New(Options{Name: "command", Command: argv, Prompt: "arg"})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := a.Command(Call{HasPrompt: true, Prompt: "one"})
	if _, err := a.Command(Call{HasPrompt: true, Prompt: "two"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "one"}, first.Argv); diff != "" {
		t.Errorf("the first command after the second call (-want +got):\n%s", diff)
	}
}

func TestCommandRefusesAPromptThatDoesNotFit(t *testing.T) {
	long := strings.Repeat("x", maxArg+1)
	tests := []struct {
		name, delivery string
		call           Call
		want           string // in the error; empty: no error
	}{
		{"a long argument", "arg", Call{Prompt: long}, "pass it on stdin or as a file"},
		{"a long variable", "env", Call{Prompt: long}, "pass it on stdin or as a file"},
		{"an argument with a NUL", "arg", Call{Prompt: "a\x00b"}, "NUL"},
		{"a variable with a NUL", "env", Call{Prompt: "a\x00b"}, "NUL"},
		{"a file that was not written", "file", Call{Prompt: "a"}, "no file"},
		{"the longest argument fits", "arg", Call{Prompt: long[1:]}, ""},
		{"stdin takes any length", "stdin", Call{Prompt: long}, ""},
		{"a file takes any length", "file", Call{Prompt: long, PromptFile: "p"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := New(Options{Name: "command", Command: []string{"a"}, Prompt: tt.delivery})
			if err != nil {
				t.Fatal(err)
			}
			tt.call.HasPrompt = true
			_, err = a.Command(tt.call)
			if tt.want == "" && err != nil {
				t.Errorf("Command = %v, want no error", err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Command = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestACommandSaysWhereItsPromptBelongs(t *testing.T) {
	call := Call{HasPrompt: true, Prompt: "say {prompt_file}; $(rm -rf x) 'quoted'", PromptFile: "/runs/prompt.md", Model: "{prompt}"}
	tests := []struct {
		name          string
		command, want []string
		refused       string
	}{
		{"an argument of its own", []string{"agent", "--ask", "{prompt}", "-x"}, []string{"agent", "--ask", call.Prompt, "-x"}, ""},
		{"a part of one", []string{"agent", "--ask={prompt}!"}, []string{"agent", "--ask=" + call.Prompt + "!"}, ""},
		{"the file", []string{"agent", "@{prompt_file}"}, []string{"agent", "@/runs/prompt.md"}, ""},
		{"both", []string{"agent", "{prompt}", "{prompt_file}"}, []string{"agent", call.Prompt, "/runs/prompt.md"}, ""},
		{"no program is made of it", []string{"{prompt}"}, []string{"{prompt}"}, ""},
		{"an argument of a shell's script", []string{"sh", "-c", `agent "$1"`, "sh", "{prompt}"}, []string{"sh", "-c", `agent "$1"`, "sh", call.Prompt}, ""},
		{"a shell would read it", []string{"/bin/sh", "-c", "agent {prompt}"}, nil, "a shell would read {prompt}"},
		{"behind another program, too", []string{"env", "A=b", "bash", "-lc", "agent '{prompt}'"}, nil, "a shell would read {prompt}"},
		{"a file is no danger", []string{"sh", "-c", "agent <{prompt_file}"}, []string{"sh", "-c", "agent </runs/prompt.md"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := New(Options{Name: "command", Command: tt.command})
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("New = %v, want an error with %q", err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.Command(call)
			stdin := tt.command[0] == "{prompt}"
			if err != nil || !slices.Equal(got.Argv, tt.want) || (got.Stdin != "") != stdin {
				t.Errorf("Command = %q with %q on stdin, %v; want %q", got.Argv, got.Stdin, err, tt.want)
			}
			call := call
			call.Prompt = strings.Repeat("x", maxArg+1)
			if _, err := a.Command(call); (err != nil) != slices.Contains(Places(tt.command), promptPlace) {
				t.Errorf("with a prompt that is too long for an argument: %v", err)
			}
		})
	}
}
