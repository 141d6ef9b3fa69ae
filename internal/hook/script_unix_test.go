//go:build unix

package hook

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestScript(t *testing.T) {
	const none = -1
	for _, tt := range []struct {
		name string
		text string
		mode os.FileMode
		exit int
		why  string // empty: no warning
		hint string
	}{
		{"it says stop", "#!/bin/sh\nexit 0\n", 0o755, 0, "", ""},
		{"it says go on", "#!/bin/sh\necho not yet\nexit 1\n", 0o755, 1, "", ""},
		{"any status but 0 is go on", "#!/bin/sh\nexit 7\n", 0o755, 7, "", ""},
		{"it reads the outcome", "#!/bin/sh\nread -r line && [ \"$line\" = '{\"type\":\"x\"}' ]\n", 0o755, 0, "", ""},
		{"it is killed", "#!/bin/sh\nkill -9 $$\n", 0o755, none, "was killed by KILL", "mend it, or take it out of stop.scripts"},
		{"it is not executable", "#!/bin/sh\n", 0o644, none, "cannot be started: permission denied", "chmod +x FILE"},
		{"it has no interpreter", "#!/no/such/python\n", 0o755, none, "cannot be started: there is no /no/such/python", "install that"},
		{"it lacks a program", "#!/bin/sh\nno-such-program\n", 0o755, 127, "exited with status 127, so it could not run what it needs: ", "mend it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "enough")
			if err := os.WriteFile(path, []byte(tt.text), tt.mode); err != nil {
				t.Fatal(err)
			}
			exit, w := Script(t.Context(), path, false, call(t))
			got := none
			if exit != nil {
				got = *exit
			}
			if got != tt.exit || (w != nil) != (tt.why != "") {
				t.Fatalf("exit %d, warning %+v; want exit %d, warning %q", got, w, tt.exit, tt.why)
			}
			if w == nil {
				return
			}
			if !strings.HasPrefix(w.Text, "the stop script "+path+" "+tt.why) || !strings.HasPrefix(w.Hint, strings.ReplaceAll(tt.hint, "FILE", path)) {
				t.Errorf("warning %+v, want %q and %q", w, tt.why, tt.hint)
			}
		})
	}
}

func TestAScriptThatHangsHasNoOpinion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "enough")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nsleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := call(t)
	c.Timeout = 50 * time.Millisecond
	exit, w := Script(t.Context(), path, false, c)
	if exit != nil || w == nil || w.Text != "the stop script "+path+" took longer than 50ms and was ended" || w.Hint == "" {
		t.Errorf("exit %v, warning %+v", exit, w)
	}
}

func TestAnInterruptedScriptHasNoOpinion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if exit, w := Script(ctx, "true", false, call(t)); exit != nil || w != nil {
		t.Errorf("exit %v, warning %+v", exit, w)
	}
}
