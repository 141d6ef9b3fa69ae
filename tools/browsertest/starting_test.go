package browsertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What the start dialog refuses, it refuses in the words of the command line that it
// shows; and that line, in a shell, starts the very same.
func TestWebStartIsTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("noted.sh", "#!/bin/sh\nn=$(ls ../ctl | wc -l)\n{ cat; printf '%s|' \"$@\"; } > ../ctl/told-$n\n")
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "noted")
	s.command("refrain", "run", "-o", "quiet", "-n", "1", "-p", "warm up", "--", "true")
	s.must(os.Mkdir(filepath.Join(s.root, "ctl"), 0o700))
	s.serve()
	p := s.open(browser(t))
	p.press("Start a run")
	p.fill("What to do", "Note what you hear")
	p.fill("Agent", "command")
	p.fill("Command", "sh noted.sh")

	for _, wrong := range []struct{ field, value, fix string }{
		{"Time", "eight parsecs", ""},
		{"Time", "-3h", ""},
		{"Iterations", "-4", ""},
		{"Cost in USD", "-1", ""},
		{"Cost in USD", "2.50", ""},
		{"Done when it prints", "<promise>", ""},
	} {
		p.fill(wrong.field, wrong.value)
		p.until(wrong.field+" "+wrong.value+" is refused", `document.querySelector("dialog .refusal p")`)
		line, why, hint := p.text("dialog pre"), p.text("dialog .refusal p"), p.text("dialog .refusal .hint")
		out, ok := s.shell(line)
		if ok || !strings.Contains(out, "refrain: "+why+"\n") || hint != "" && !strings.Contains(out, "hint: "+hint+"\n") {
			t.Errorf("the page says %q and %q; %s says, %v:\n%s", why, hint, line, ok, out)
		}
		p.fill(wrong.field, wrong.fix)
		p.until(wrong.field+" is right again", `!document.querySelector("dialog .refusal")`)
	}

	prompt := "Say \"it's $HOME\", `date` and \\n;\nthen * > all && ~ # done"
	p.fill("What to do", prompt)
	p.fill("Command", `sh noted.sh 'one two' "it's" $HOME`)
	p.fill("Done when it prints", "ALL 'DONE'")
	p.fill("Gates", "test -n \"$(cat a.txt)\"\ntrue '#'")
	p.fill("Iterations", "2")
	p.fill("Time", "1h")
	p.press("More")
	p.fill("Commit after each iteration", "true")
	p.until("the command line", `document.querySelector("dialog pre").innerText.includes("--commit") && !document.querySelector("dialog .refusal")`)
	line := p.text("dialog pre")
	p.press("Start")
	p.until("the page of the run", `location.pathname.startsWith("/runs/")`)
	p.is("exhausted")
	if out, _ := s.shell(line); !strings.Contains(out, "run-3") {
		t.Errorf("%s\nsays\n%s", line, out)
	}
	byPage, byHand := s.asked("run-2"), s.asked("run-3")
	if !reflect.DeepEqual(byPage, byHand) {
		t.Errorf("the page has started\n%v\nand %s\n%v", byPage, line, byHand)
	}
	if !strings.Contains(s.ctl("told-0"), prompt) || !strings.HasSuffix(s.ctl("told-0"), "one two|it's|$HOME|") {
		t.Errorf("the agent was told %q", s.ctl("told-0"))
	}
	for i, name := range []string{"told-0", "told-1"} {
		if other := []string{"told-2", "told-3"}[i]; s.ctl(name) != s.ctl(other) {
			t.Errorf("the agent of the page was told %q, and that of the shell %q", s.ctl(name), s.ctl(other))
		}
	}
	p.quiet("422")
	p.calm()
}

// asked is what a run was asked for: its flags and settings, without how it was started.
func (s *site) asked(run string) map[string]any {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.tree, ".git", "refrain", "runs", run, "run.json"))
	if err != nil || len(found) != 1 {
		s.t.Fatalf("no record of %s: %v %v", run, found, err)
	}
	b, err := os.ReadFile(found[0])
	s.must(err)
	var all struct {
		Flags  map[string]any `json:"flags"`
		Config map[string]any `json:"config"`
	}
	s.must(json.Unmarshal(b, &all))
	if len(all.Flags) == 0 || len(all.Config) == 0 {
		s.t.Fatalf("the record of %s says %s", run, b)
	}
	delete(all.Flags, "detach")
	return map[string]any{"flags": all.Flags, "config": all.Config}
}
