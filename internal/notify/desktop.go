package notify

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/proc"
)

// desktopTime is how long the program that shows a notice may take.
const desktopTime = 10 * time.Second

// desktop shows a notice on the screen, through the program that the system has
// for it.
type desktop struct {
	screen
	env  []string
	exec Exec
}

// screen is how a system shows a notice. Texts go in as arguments or variables,
// never into a script, where they could be more than text.
type screen struct {
	program string
	install string
	args    func(Message) []string
	needs   []string // variables, one of which is set where there is a desktop; none is always
}

// screens are the systems that differ; all others are like Linux.
var screens = map[string]screen{
	"darwin":  {"osascript", "it is part of macOS: look at the PATH", appleArgs, nil},
	"windows": {"powershell", "it is part of Windows: look at the PATH", windowsArgs, nil},
}

var freedesktop = screen{
	"notify-send", "install it (Debian, Ubuntu: libnotify-bin; others: libnotify)", freedesktopArgs,
	[]string{"DISPLAY", "WAYLAND_DISPLAY"},
}

func screenOf(system string) screen {
	if s, ok := screens[system]; ok {
		return s
	}
	return freedesktop
}

func newDesktop(s Settings) (Notifier, error) {
	if !s.Desktop {
		return nil, nil
	}
	return desktop{screenOf(runtime.GOOS), s.Env, s.Exec}, nil
}

// DesktopWorks tells whether notices can be shown here: the program for it is
// installed, and there is a desktop to show them on.
func DesktopWorks(env []string) bool { return screenOf(runtime.GOOS).works(env) }

func (s screen) works(env []string) bool {
	if _, err := exec.LookPath(s.program); err != nil {
		return false
	}
	return len(s.needs) == 0 || slices.ContainsFunc(s.needs, func(name string) bool { return variable(env, name) != "" })
}

// Notify shows the notice.
func (d desktop) Notify(ctx context.Context, m Message) error {
	err := d.exec.run(ctx, d.program, proc.Spec{
		Argv: append([]string{d.program}, d.args(m)...), Timeout: desktopTime,
		Env: append(d.env[:len(d.env):len(d.env)], titleVariable+"="+cleanLine(m.Title), textVariable+"="+cleanText(m.Text)),
	})
	var gone missing
	if errors.As(err, &gone) {
		return fmt.Errorf("%w: %s, or set notify.desktop = false", gone, d.install)
	}
	return err
}

// markup keeps the body from being taken for the little HTML that a notice may
// have.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func freedesktopArgs(m Message) []string {
	urgency := "normal"
	switch {
	case m.Silent:
		urgency = "low"
	case m.Urgent:
		urgency = "critical" // stays until it is seen
	}
	return []string{"--app-name=refrain", "--urgency=" + urgency, "--", cleanLine(m.Title), markup.Replace(cleanText(m.Text))}
}

func appleArgs(m Message) []string {
	show := "display notification (item 2 of argv) with title (item 1 of argv)"
	if m.Urgent {
		show += ` sound name "Glass"`
	}
	return []string{"-e", "on run argv", "-e", show, "-e", "end run", cleanLine(m.Title), cleanText(m.Text)}
}

const (
	titleVariable = prefix + "TITLE"
	textVariable  = prefix + "TEXT"

	// Windows shows notices of programs that it knows only, so this is
	// PowerShell's own name.
	powershellName = `{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe`
)

func windowsArgs(m Message) []string {
	lines := []string{
		`$ErrorActionPreference = 'Stop'`,
		`$m = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]`,
		`$x = $m::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)`,
		`$t = $x.GetElementsByTagName('text')`,
		`[void]$t.Item(0).AppendChild($x.CreateTextNode($env:` + titleVariable + `))`,
		`[void]$t.Item(1).AppendChild($x.CreateTextNode($env:` + textVariable + `))`,
	}
	if m.Silent {
		lines = append(lines,
			`$a = $x.CreateElement('audio')`,
			`$a.SetAttribute('silent', 'true')`,
			`[void]$x.DocumentElement.AppendChild($a)`)
	}
	lines = append(lines, `$m::CreateToastNotifier('`+powershellName+`').Show([Windows.UI.Notifications.ToastNotification]::new($x))`)
	return []string{"-NoProfile", "-NonInteractive", "-Command", strings.Join(lines, "; ")}
}
