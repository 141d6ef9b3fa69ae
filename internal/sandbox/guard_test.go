//go:build unix

package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

// guarded is a home whose agent is claude, with a guard that has noted it.
type guarded struct {
	t           *testing.T
	claude, dir string
	place       Place
	*Guard
}

func newGuarded(t *testing.T, names ...string) *guarded {
	t.Helper()
	p := house(t, fence.Landlock, names...)
	p.Reviews = nil
	g := &guarded{t: t, claude: filepath.Join(p.Home, ".claude"), dir: filepath.Join(p.State, "guard"), place: p}
	g.Guard = NewGuard(p, g.dir)
	return g
}

func (g *guarded) note() *guarded {
	g.t.Helper()
	if w := g.Note(context.Background()); len(w) != 0 {
		g.t.Fatalf("Note: %v", w)
	}
	return g
}

func (g *guarded) do(errs ...error) {
	g.t.Helper()
	for _, err := range errs {
		if err != nil {
			g.t.Fatal(err)
		}
	}
}

func (g *guarded) at(name string) string { return filepath.Join(g.claude, name) }

// holds tells that a file of claude's holds a text; "-" is none.
func (g *guarded) holds(name, want string) {
	g.t.Helper()
	got := "-"
	if info, err := os.Lstat(g.at(name)); err == nil {
		switch {
		case info.IsDir():
			got = "folder"
		case info.Mode()&os.ModeSymlink != 0:
			got, _ = os.Readlink(g.at(name))
			got = "-> " + got
		default:
			b, err := os.ReadFile(g.at(name))
			g.do(err)
			got = string(b)
		}
	}
	if got != want {
		g.t.Errorf("%s holds %.40q, want %.40q", name, got, want)
	}
}

// told tells that these, and no others, were put back or taken away.
func (g *guarded) told(warnings []loop.Warning, want ...string) {
	g.t.Helper()
	var got []string
	for _, w := range warnings {
		what := strings.TrimPrefix(w.Text, g.claude+"/")
		what, act, _ := strings.Cut(what, " was changed while an agent worked that acts on it in later sessions; it was ")
		got = append(got, what+": "+act)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		g.t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWhatAnAgentActsOnLaterIsPutBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		act  func(g *guarded)
		want []string
	}{
		{"nothing was done", func(*guarded) {}, nil},
		{"what it keeps besides is its own", func(g *guarded) {
			write(t, g.claude, "projects/x", "new")
			write(t, g.claude, ".credentials.json", "refreshed")
		}, nil},
		{"a file was changed", func(g *guarded) { write(t, g.claude, "settings.json", "evil") }, []string{"settings.json: put back"}},
		{"with as many bytes", func(g *guarded) { write(t, g.claude, "settings.json", "y") }, []string{"settings.json: put back"}},
		{"a file was removed", func(g *guarded) { g.do(os.Remove(g.at("settings.json"))) }, []string{"settings.json: put back"}},
		{"a file was made", func(g *guarded) { write(t, g.claude, "settings.local.json", "evil") }, []string{"settings.local.json: taken away"}},
		{"its rights were changed", func(g *guarded) { g.do(os.Chmod(g.at("hooks/stop.sh"), 0o755)) }, []string{"hooks/stop.sh: put back"}},
		{"a folder was made", func(g *guarded) { write(t, g.claude, "agents/deep/x.md", "evil") }, []string{"agents: taken away"}},
		{"a file was added in one", func(g *guarded) { write(t, g.claude, "hooks/new.sh", "evil") }, []string{"hooks/new.sh: taken away"}},
		{"a folder was removed", func(g *guarded) { g.do(os.RemoveAll(g.at("hooks"))) }, []string{"hooks: put back", "hooks/stop.sh: put back"}},
		{"a folder became a file", func(g *guarded) { g.do(os.RemoveAll(g.at("hooks"))); write(t, g.claude, "hooks", "evil") }, []string{"hooks: put back", "hooks/stop.sh: put back"}},
		{"a file became a folder", func(g *guarded) {
			g.do(os.Remove(g.at("settings.json")))
			write(t, g.claude, "settings.json/x", "evil")
		}, []string{"settings.json: put back"}},
		{"nobody may look into a folder", func(g *guarded) { write(t, g.claude, "hooks/new.sh", "evil"); g.do(os.Chmod(g.at("hooks"), 0)) }, []string{"hooks: put back", "hooks/new.sh: taken away"}},
		{"a file is huge now", func(g *guarded) { g.do(os.Truncate(g.at("settings.json"), 1<<40)) }, []string{"settings.json: put back"}},
		{"a link leads elsewhere", func(g *guarded) { g.do(os.Remove(g.at("CLAUDE.md")), os.Symlink("/etc/passwd", g.at("CLAUDE.md"))) }, []string{"CLAUDE.md: put back"}},
		{"a link became a file", func(g *guarded) { g.do(os.Remove(g.at("CLAUDE.md"))); write(t, g.claude, "CLAUDE.md", "evil") }, []string{"CLAUDE.md: put back"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGuarded(t, ".claude/hooks/stop.sh")
			g.do(os.Symlink("../dotfiles/CLAUDE.md", g.at("CLAUDE.md")), os.Chmod(g.at("hooks"), 0o750))
			g.note()
			tt.act(g)
			g.told(g.PutBack(t.Context()), tt.want...)
			for name, want := range map[string]string{"settings.json": "x", "settings.local.json": "-", "hooks/stop.sh": "x", "hooks/new.sh": "-", "agents": "-", "CLAUDE.md": "-> ../dotfiles/CLAUDE.md"} {
				g.holds(name, want)
			}
			for name, want := range map[string]os.FileMode{"hooks": 0o750, "hooks/stop.sh": 0o600} {
				if info, err := os.Stat(g.at(name)); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: %v, %v", name, info.Mode(), err)
				}
			}
			g.told(g.PutBack(t.Context()))
		})
	}
}

// What a link leads to is never written: the agent chose where.
func TestALinkIsNotWrittenThrough(t *testing.T) {
	g := newGuarded(t, ".claude/hooks/stop.sh", "victim/stop.sh")
	g.note()
	victim := filepath.Join(g.place.Home, "victim")
	g.do(os.RemoveAll(g.at("hooks")), os.Symlink(victim, g.at("hooks")), os.WriteFile(filepath.Join(victim, "stop.sh"), []byte("mine"), 0o600))
	g.told(g.PutBack(t.Context()), "hooks: put back", "hooks/stop.sh: put back")
	g.holds("hooks", "folder")
	if b, err := os.ReadFile(filepath.Join(victim, "stop.sh")); err != nil || string(b) != "mine" {
		t.Errorf("behind the link: %q, %v", b, err)
	}
}

func TestWhatIsTakenAwayIsKeptAside(t *testing.T) {
	g := newGuarded(t).note()
	write(t, g.claude, "settings.json", "perhaps the user's")
	warnings := g.PutBack(t.Context())
	if len(warnings) != 1 {
		t.Fatalf("%v", warnings)
	}
	kept := strings.TrimPrefix(warnings[0].Hint, ifYou)
	if b, err := os.ReadFile(kept); err != nil || string(b) != "perhaps the user's" || filepath.Dir(kept) != filepath.Join(g.dir, aside) {
		t.Errorf("%s holds %q, %v", kept, b, err)
	}
}

// What the user changes between two agents stays.
func TestANewNoteForgetsTheOldOne(t *testing.T) {
	g := newGuarded(t).note()
	g.told(g.PutBack(t.Context()))
	write(t, g.claude, "settings.json", "the user's")
	g.note()
	g.told(g.PutBack(t.Context()))
	g.holds("settings.json", "the user's")
}

func TestARunnerThatGoesOnPutsBack(t *testing.T) {
	g := newGuarded(t).note()
	write(t, g.claude, "settings.json", "evil") // and then the runner is killed
	later := &guarded{t: t, claude: g.claude, Guard: NewGuard(g.place, g.dir)}
	later.told(later.PutBack(t.Context()), "settings.json: put back")
	later.holds("settings.json", "x")

	// Whatever happens when no agent is at work is the user's.
	write(t, g.claude, "settings.json", "the user's")
	last := &guarded{t: t, claude: g.claude, Guard: NewGuard(g.place, g.dir)}
	last.told(last.PutBack(t.Context()))
	last.holds("settings.json", "the user's")
	last.note()
	write(t, g.claude, "settings.json", "evil")
	last.told(last.PutBack(t.Context()), "settings.json: put back")
	last.holds("settings.json", "the user's")
}

func TestAFloodIsTakenAwayAsAWhole(t *testing.T) {
	g := newGuarded(t, ".claude/commands/mine.md").note()
	g.most = 50
	for i := range g.most + 1 {
		g.do(os.WriteFile(g.at(fmt.Sprintf("commands/%d.md", i)), nil, 0o600))
	}
	g.told(g.PutBack(t.Context()), "commands: put back", "commands/mine.md: put back")
	g.holds("commands/mine.md", "x")
	g.holds("commands/0.md", "-")
}

func TestManyAreToldAtOnce(t *testing.T) {
	g := newGuarded(t).note()
	make(t, g.at("commands"))
	g = &guarded{t: t, claude: g.claude, Guard: NewGuard(g.place, g.dir)}
	g.note()
	for i := range maxTold + 1 {
		write(t, g.claude, fmt.Sprintf("commands/%d.md", i), "")
	}
	warnings := g.PutBack(t.Context())
	if len(warnings) != 1 || !strings.Contains(warnings[0].Text, "6 files in "+g.at("commands")) {
		t.Errorf("%v", warnings)
	}
}

// What is too large to be kept is told when it changes, and nothing is taken from
// the user.
func TestWhatIsTooLargeIsTold(t *testing.T) {
	g := newGuarded(t)
	g.do(os.WriteFile(g.at("settings.json"), nil, 0o600), os.Truncate(g.at("settings.json"), maxNotedFile+1))
	g.note()
	g.told(g.PutBack(t.Context()))
	g.do(os.Truncate(g.at("settings.json"), maxNotedFile+2))
	warnings := g.PutBack(t.Context())
	if len(warnings) != 1 || !strings.Contains(warnings[0].Text, "settings.json was changed, and is too large to be kept") {
		t.Errorf("%v", warnings)
	}
	if info, err := os.Stat(g.at("settings.json")); err != nil || info.Size() != maxNotedFile+2 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestTooManyFilesAreToldAndLeftAlone(t *testing.T) {
	g := newGuarded(t)
	g.most = 50
	make(t, g.at("plugins"))
	for i := range g.most {
		g.do(os.WriteFile(g.at(fmt.Sprintf("plugins/%d", i)), nil, 0o600))
	}
	warnings := g.Note(t.Context())
	if len(warnings) != 1 || !strings.Contains(warnings[0].Text, g.at("plugins")+" is not put back: there are more than 50 files") {
		t.Fatalf("%v", warnings)
	}
	write(t, g.claude, "plugins/0", "updated")
	write(t, g.claude, "settings.json", "evil")
	g.told(g.PutBack(t.Context()), "settings.json: put back")
	g.holds("plugins/0", "updated")
}

func TestNothingToGuard(t *testing.T) {
	p := house(t, fence.Landlock)
	p.Agents, p.Reviews = []string{"command"}, nil
	g := NewGuard(p, filepath.Join(p.State, "guard"))
	if w := append(g.Note(t.Context()), g.PutBack(t.Context())...); len(w) != 0 || isThere(filepath.Join(p.State, "guard")) {
		t.Errorf("%v", w)
	}
}

// A pipe has no end: who reads it waits for ever.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	g := newGuarded(t, ".claude/hooks/stop.sh").note()
	g.do(os.Remove(g.at("settings.json")), syscall.Mkfifo(g.at("settings.json"), 0o600), syscall.Mkfifo(g.at("hooks/new.sh"), 0o600))
	g.told(g.PutBack(t.Context()), "hooks/new.sh: taken away", "settings.json: put back")
	g.holds("settings.json", "x")
	g.holds("hooks/new.sh", "-")
}

func TestAPipeOfTheUsersIsLeftAlone(t *testing.T) {
	g := newGuarded(t)
	g.do(syscall.Mkfifo(g.at("CLAUDE.md"), 0o600))
	g.note()
	g.told(g.PutBack(t.Context()))
	g.do(os.Remove(g.at("CLAUDE.md")))
	if w := g.PutBack(t.Context()); len(w) != 1 || !strings.Contains(w[0].Text, "was changed, and was no file") {
		t.Errorf("%v", w)
	}
}
