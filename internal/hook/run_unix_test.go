//go:build unix

package hook

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// call runs hooks in a folder of their own.
func call(t *testing.T) Call {
	t.Helper()
	return Call{Input: []byte(`{"type":"x"}`), Env: os.Environ(), Dir: t.TempDir(), Timeout: time.Minute, Exec: proc.Run}
}

// program is a set with one hook, a program with the given text.
func program(t *testing.T, p Point, text string) Set {
	t.Helper()
	tree := t.TempDir()
	put(t, tree, string(p), text, 0o755)
	set, warnings := Find(tree, nil, true)
	if !set.Has(p) || warnings != nil {
		t.Fatalf("found %v, warnings %v", set, warnings)
	}
	return set
}

func TestRunWithoutAHook(t *testing.T) {
	if r := (Set{}).Run(t.Context(), Started, Call{}); r.Ran || r.Action != Continue || r.Warning != nil {
		t.Errorf("result = %+v", r)
	}
}

func TestExitStatuses(t *testing.T) {
	const warn = "warning"
	for p, wants := range map[Point]map[int]Action{
		Started:       {0: Continue, 1: warn, 2: Abort, 7: warn},
		NextIteration: {0: Continue, 1: Skip, 2: Abort, 7: warn},
		PostIteration: {0: Continue, 1: warn, 2: Abort, 7: warn},
		Failed:        {0: Continue, 1: warn, 2: warn, 7: warn},
		Finished:      {0: Continue, 1: warn, 2: warn, 7: warn},
	} {
		for status, want := range wants {
			t.Run(fmt.Sprintf("%s %d", p, status), func(t *testing.T) {
				r := program(t, p, fmt.Sprintf("#!/bin/sh\necho so it is\nexit %d\n", status)).Run(t.Context(), p, call(t))
				if !r.Ran || r.Exit == nil || *r.Exit != status || r.Interrupted || r.Duration <= 0 {
					t.Errorf("result = %+v", r)
				}
				why, action := "so it is", want
				switch want {
				case Continue:
					why = ""
				case warn:
					action = Continue
					why = fmt.Sprintf("exited with status %d, which means nothing here and counts as 0: so it is", status)
					w := loop.Warning{Text: fmt.Sprintf("the %s hook (.refrain/hooks/%s) %s", p, p, why), Hint: p.usage()}
					if r.Warning == nil || *r.Warning != w {
						t.Errorf("warning %+v, want %+v", r.Warning, w)
					}
				}
				if (r.Warning != nil) != (want == warn) {
					t.Errorf("warning = %+v", r.Warning)
				}
				if r.Action != action || r.Why != why {
					t.Errorf("action %q because %q, want %q because %q", r.Action, r.Why, action, why)
				}
			})
		}
	}
}

func TestTroubleIsAWarning(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
		why  string
		hint string
	}{
		{"killed", "#!/bin/sh\nkill -9 $$\n", "was killed by KILL", ""},
		{"no interpreter", "#! /no/such/python -u\n", "cannot be started: there is no /no/such/python, which its first line asks for", "install that, or change the first line"},
		{"written on Windows", "#!/bin/sh\r\nexit 2\r\n", "cannot be started: its lines end as on Windows", "save it with the line ends of Unix"},
		{"no first line", "exit 2\n", "cannot be started: exec format error", "begin it with a line that names its interpreter, such as #!/bin/sh"},
		{
			"an interpreter that is a folder", "#!/\n", "cannot be started: permission denied",
			"chmod +x FILE; if it is executable, look at its interpreter, and whether its file system may hold programs",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := program(t, Started, tt.text)
			r := set.Run(t.Context(), Started, call(t))
			w := loop.Warning{
				Text: "the started hook (.refrain/hooks/started) " + tt.why,
				Hint: strings.ReplaceAll(tt.hint, "FILE", set.hooks[Started].argv[0]),
			}
			if r.Action != Continue || !r.Ran || r.Exit != nil || r.Why != tt.why || r.Warning == nil || *r.Warning != w {
				t.Errorf("result = %+v, warning %+v; want %+v", r, r.Warning, w)
			}
		})
	}
}

func TestAHookThatIsGoneIsAWarning(t *testing.T) {
	set := program(t, NextIteration, "#!/bin/sh\n")
	if err := os.Remove(set.hooks[NextIteration].argv[0]); err != nil {
		t.Fatal(err)
	}
	r := set.Run(t.Context(), NextIteration, call(t))
	if r.Action != Continue || r.Warning == nil || r.Why != "cannot be started: no such file or directory" {
		t.Errorf("result = %+v", r)
	}
}

func TestAFolderThatIsGoneIsAWarning(t *testing.T) {
	c := call(t)
	c.Dir = filepath.Join(c.Dir, "gone")
	r := program(t, NextIteration, "#!/bin/sh\n").Run(t.Context(), NextIteration, c)
	if r.Action != Continue || r.Warning == nil || !strings.HasPrefix(r.Why, "could not be run: ") {
		t.Errorf("result = %+v", r)
	}
}

func TestAHookThatHangsIsEnded(t *testing.T) {
	for _, p := range Points() {
		t.Run(string(p), func(t *testing.T) {
			c := call(t)
			c.Timeout = 50 * time.Millisecond
			// What it says when it is told to end is not what it wants.
			r := program(t, p, "#!/bin/sh\ntrap 'exit 2' TERM\nsleep 60 & wait\n").Run(t.Context(), p, c)
			const why = "took longer than 50ms and was ended"
			if r.Action != Continue || !r.Ran || r.Exit != nil || r.Interrupted || r.Why != why {
				t.Errorf("result = %+v", r)
			}
			if r.Warning == nil || !strings.HasSuffix(r.Warning.Text, why) || !strings.Contains(r.Warning.Hint, "hooks.timeout") {
				t.Errorf("warning = %+v", r.Warning)
			}
		})
	}
}

func TestAnInterruptedHookWantsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := call(t)
	c.Exec = func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
		s.Started = func(int, time.Time) { cancel() }
		return proc.Run(ctx, s)
	}
	set := program(t, NextIteration, "#!/bin/sh\ntrap 'exit 2' TERM\nsleep 60 & wait\n")
	for _, when := range []string{"while it runs", "before it starts"} {
		r := set.Run(ctx, NextIteration, c)
		if !r.Interrupted || r.Action != Continue || r.Exit != nil || r.Warning != nil || r.Why != "interrupted" {
			t.Errorf("%s: result = %+v", when, r)
		}
	}
}

func TestAHookIsTold(t *testing.T) {
	const text = `#!/bin/sh
read -r line && echo "$line"
pwd
echo "$REFRAIN_ITERATION ${REFRAIN_FINISH_STATE-unset}" >&2
`
	c := call(t)
	c.Env = Environ(c.Env, Facts{Iteration: new(3)})
	var log bytes.Buffer
	c.Log = &log
	if r := program(t, PostIteration, text).Run(t.Context(), PostIteration, c); r.Warning != nil {
		t.Fatalf("warning = %+v", r.Warning)
	}
	dir, err := filepath.EvalSymlinks(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{string(c.Input) + "\n", dir + "\n", "3 unset\n"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log %q, want in it %q", log.String(), want)
		}
	}
}

func TestInputIsOneLine(t *testing.T) {
	for input, want := range map[string]string{"": "", "{}": "{}\n", "{}\n": "{}\n"} {
		c := call(t)
		c.Input = []byte(input)
		var log bytes.Buffer
		c.Log = &log
		program(t, Started, "#!/bin/sh\ncat\n").Run(t.Context(), Started, c)
		if log.String() != want {
			t.Errorf("of %q the hook read %q, want %q", input, log.String(), want)
		}
	}
}

func TestAHookNeedNotReadItsInput(t *testing.T) {
	for name, text := range map[string]string{
		"at all":    "#!/bin/sh\nexit 1\n",
		"to an end": "#!/bin/sh\nhead -c 10 >/dev/null\nexit 1\n",
		"open":      "#!/bin/sh\nexec <&-\nexit 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := call(t)
			c.Input = bytes.Repeat([]byte("x"), 4<<20) // more than a pipe holds
			if r := program(t, NextIteration, text).Run(t.Context(), NextIteration, c); r.Action != Skip || r.Warning != nil {
				t.Errorf("result = %+v", r)
			}
		})
	}
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}

func TestHugeOutputIsLoggedAndCut(t *testing.T) {
	const text = "#!/bin/sh\nhead -c 8000000 /dev/zero | tr '\\0' x\nhead -c 8000000 /dev/zero | tr '\\0' y >&2\nexit 7\n"
	c := call(t)
	var log counter
	c.Log = &log
	r := program(t, Failed, text).Run(t.Context(), Failed, c)
	if log != 16_000_000 {
		t.Errorf("logged %d bytes, want all 16000000", log)
	}
	if r.Warning == nil || !strings.HasSuffix(r.Warning.Text, ": "+strings.Repeat("y", maxSaid-len("…"))+"…") {
		t.Errorf("warning = %+v", r.Warning)
	}
}

func TestACommandWinsOverAFile(t *testing.T) {
	tree := t.TempDir()
	put(t, tree, "started", "#!/bin/sh\nexit 2\n", 0o755)
	set, _ := Find(tree, map[Point]Command{Started: {Line: "echo from $0 >&2; exit 9"}}, true)
	r := set.Run(t.Context(), Started, call(t))
	if want := "the started hook (hooks.run.started) exited with status 9, which means nothing here and counts as 0: from sh"; r.Warning == nil || r.Warning.Text != want {
		t.Errorf("result = %+v, warning %+v, want %q", r, r.Warning, want)
	}
}

// What came with the project, or lies where an agent works, is not to reach more
// than a gate does; a hook of the user's own is.
func TestWhoAHookRunsAs(t *testing.T) {
	tree := t.TempDir()
	put(t, tree, "failed", "#!/bin/sh\n", 0o755)
	set, _ := Find(tree, map[Point]Command{Started: {Line: "true"}, Finished: {Line: "true", Own: true}}, true)
	for point, want := range map[Point]proc.Role{Started: proc.Judge, Finished: proc.Own, Failed: proc.Judge} {
		c := call(t)
		c.Exec = func(_ context.Context, s proc.Spec) (loop.Exit, error) {
			if s.Role != want {
				t.Errorf("the %s hook runs as %v, want %v", point, s.Role, want)
			}
			return loop.Exit{}, nil
		}
		set.Run(t.Context(), point, c)
	}
	for _, own := range []bool{true, false} {
		c := call(t)
		c.Exec = func(_ context.Context, s proc.Spec) (loop.Exit, error) {
			if (s.Role == proc.Own) != own {
				t.Errorf("a stop script runs as %v; the user's own: %v", s.Role, own)
			}
			return loop.Exit{}, nil
		}
		Script(t.Context(), "true", own, c)
	}
}
