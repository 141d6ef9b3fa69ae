package notify

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

func TestDesktopOfEachSystem(t *testing.T) {
	evil := Message{Kind: Done, Title: "-h \"; do shell script \"x\"", Text: "<b>&'); rm -rf /\n$(x)"}
	for system, want := range map[string][]string{
		"linux":   {"notify-send", "--app-name=refrain", "--urgency=normal", "--", evil.Title, "&lt;b&gt;&amp;'); rm -rf /\n$(x)"},
		"freebsd": {"notify-send", "--app-name=refrain", "--urgency=normal", "--", evil.Title, "&lt;b&gt;&amp;'); rm -rf /\n$(x)"},
		"darwin": {
			"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run",
			evil.Title, evil.Text,
		},
	} {
		s := screenOf(system)
		if got := append([]string{s.program}, s.args(evil)...); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", system, got, want)
		}
	}
	s := screenOf("windows")
	if script := s.args(evil)[3]; s.program != "powershell" || strings.Contains(script, "rm") || strings.Contains(script, "silent") {
		t.Errorf("windows: %s %s", s.program, script)
	}
}

func TestDesktopUrgency(t *testing.T) {
	for want, m := range map[string]Message{"normal": {}, "critical": {Urgent: true}, "low": {Silent: true}} {
		if got := freedesktopArgs(m)[1]; got != "--urgency="+want {
			t.Errorf("%+v: %s, want %s", m, got, want)
		}
	}
	if script := windowsArgs(Message{Silent: true})[3]; !strings.Contains(script, "silent") {
		t.Errorf("windows: %s", script)
	}
	if args := appleArgs(Message{Urgent: true}); !strings.Contains(args[3], "sound") {
		t.Errorf("darwin: %q", args)
	}
}

func TestDesktopRunsTheProgram(t *testing.T) {
	zero := 0
	var got proc.Spec
	d := desktop{freedesktop, []string{"DISPLAY=:0"}, func(_ context.Context, s proc.Spec) (loop.Exit, error) {
		got = s
		return loop.Exit{Code: &zero, Cause: loop.Exited}, nil
	}}
	if err := d.Notify(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	if want := []string{"DISPLAY=:0", "REFRAIN_NOTIFY_TITLE=" + message.Title, "REFRAIN_NOTIFY_TEXT=" + message.Text}; !slices.Equal(got.Env, want) {
		t.Errorf("environment %q, want %q", got.Env, want)
	}
	if got.Argv[0] != "notify-send" || got.Timeout != desktopTime {
		t.Errorf("spec = %+v", got)
	}
}

func TestAMissingProgramSaysWhatToInstall(t *testing.T) {
	d := desktop{freedesktop, nil, func(_ context.Context, s proc.Spec) (loop.Exit, error) {
		return loop.Exit{}, &proc.StartError{Program: s.Argv[0], Err: exec.ErrNotFound}
	}}
	err := d.Notify(t.Context(), message)
	const want = "there is no program notify-send: install it (Debian, Ubuntu: libnotify-bin; others: libnotify), or set notify.desktop = false"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestADesktopNeedsMoreThanItsProgram(t *testing.T) {
	const here, gone = "go", "no-such-program-anywhere" // the first is there wherever this test runs
	for _, tt := range []struct {
		name    string
		program string
		needs   []string
		env     []string
		want    bool
	}{
		{"no program", gone, nil, nil, false},
		{"no program, but a desktop", gone, freedesktop.needs, []string{"DISPLAY=:0"}, false},
		{"a program that needs no more", here, nil, nil, true},
		{"no desktop", here, freedesktop.needs, []string{"DISPLAY="}, false},
		{"a desktop", here, freedesktop.needs, []string{"DISPLAY=:0"}, true},
		{"a newer desktop", here, freedesktop.needs, []string{"WAYLAND_DISPLAY=wayland-0"}, true},
	} {
		if got := (screen{program: tt.program, needs: tt.needs}).works(tt.env); got != tt.want {
			t.Errorf("%s: works = %v, want %v", tt.name, got, tt.want)
		}
	}
}
