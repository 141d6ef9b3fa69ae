package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/container"
	"github.com/refrain-loop/refrain/internal/proc"
)

// boxedPlace is a place with a file of everything.
func boxedPlace(t *testing.T) Place {
	t.Helper()
	top := t.TempDir()
	p := Place{
		Kind: container.Docker, Home: top + "/home", Tree: top + "/home/app", Git: Git{Common: top + "/home/app/.git", Own: top + "/home/app/.git"},
		Said: top + "/run/said", Proof: top + "/run/proof", State: top + "/state", Cache: top + "/home/.cache", Upper: top + "/caches", Temp: top + "/tmp",
		Agents: []string{"claude"}, Reviews: []string{"codex"}, Getenv: func(string) string { return "" },
	}
	for _, dir := range []string{"home/app/.git/hooks", "home/.ssh", "home/.aws", "home/.gnupg", "home/app/private", "run/iterations"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"home/app/.git/config", "home/.gitconfig", "home/app/.env", "home/.claude.json"} {
		if err := os.WriteFile(filepath.Join(top, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.Hide = []string{p.Tree + "/private", p.Tree + "/.env"}
	if err := p.MakeReady(); err != nil {
		t.Fatal(err)
	}
	return p
}

// shown is the mounts of a role, without the folder that they are in.
func shownOf(t *testing.T, p Place, role proc.Role) []string {
	t.Helper()
	top := filepath.Dir(p.Home)
	box, err := Box(p, role, Image{Name: "work:1", Prompts: top + "/run/iterations"})
	if err != nil {
		t.Fatal(err)
	}
	if box.Image != "work:1" || box.Dir != p.Tree || box.Home != p.Home || box.UID != os.Getuid() {
		t.Errorf("Box = %+v", box)
	}
	var list []string
	for _, m := range box.Mounts {
		line := strings.TrimPrefix(m.To, top)
		if m.From != m.To {
			line = strings.TrimPrefix(m.From, top) + " on " + line
		}
		if m.ReadOnly {
			line += " ro"
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// What is seen inside is the work tree, what a role needs, and nothing else of the
// home folder.
func TestBoxOfEachRole(t *testing.T) {
	tree := []string{"/home/app", "/home/app/.git", "/home/app/.git/config ro", "/home/app/.git/hooks ro", "/home/.gitconfig ro", "/tmp/empty on /home/app/private ro", "/dev/null on /home/app/.env ro"}
	for role, more := range map[proc.Role][]string{
		proc.Agent:     {"/caches/agent/home on /home", "/tmp/agent on /tmp", "/home/.claude", "/home/.claude.json", "/run/iterations ro"},
		proc.Judge:     {"/caches/judge/home on /home", "/tmp/judge on /tmp", "/run/proof", "/run/said"},
		proc.Committer: {"/caches/commit/home on /home", "/tmp/commit on /tmp", "/tmp/commit", "/run/proof", "/run/said"},
	} {
		want := append(slices.Clone(tree), more...)
		slices.Sort(want)
		if got := shownOf(t, boxedPlace(t), role); !slices.Equal(got, want) {
			t.Errorf("role %d:\n got %q\nwant %q", role, got, want)
		}
	}
	got := shownOf(t, boxedPlace(t), proc.Reviewer)
	for _, line := range []string{"/home/app ro", "/run/proof ro", "/run/said ro", "/home/.codex"} {
		if !slices.Contains(got, line) {
			t.Errorf("a reviewer sees %q, without %q", got, line)
		}
	}
	if slices.Contains(got, "/home/app") || slices.Contains(got, "/home/.claude") {
		t.Errorf("a reviewer sees %q", got)
	}
}

// The runner makes places for mounts in a folder that an agent has had: no link in
// it leads it elsewhere.
func TestPointsFollowNoLink(t *testing.T) {
	for name, spoil := range map[string]func(home, outside string) error{
		"a link in the place of a file":   func(home, outside string) error { return os.Symlink(outside+"/made", home+"/.gitconfig") },
		"a link in the place of a folder": func(home, outside string) error { return os.Symlink(outside, home+"/.claude") },
		"a link on the way":               func(home, outside string) error { return os.Symlink(outside, home+"/app") },
		"a file in the place of a folder": func(home, _ string) error { return os.WriteFile(home+"/app", nil, 0o600) },
	} {
		p, outside := boxedPlace(t), t.TempDir()
		home := filepath.Join(p.Upper, "agent", "home")
		if err := os.MkdirAll(home, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := spoil(home, outside); err != nil {
			t.Fatal(err)
		}
		if _, err := Box(p, proc.Agent, Image{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if made, err := os.ReadDir(outside); err != nil || len(made) > 0 {
			t.Errorf("%s: made outside: %v, %v", name, made, err)
		}
		for _, point := range []string{".gitconfig", "app"} {
			if info, err := os.Lstat(filepath.Join(home, point)); err != nil || info.Mode()&os.ModeSymlink != 0 || info.IsDir() != (point == "app") {
				t.Errorf("%s: %s is %v, %v", name, point, info, err)
			}
		}
	}
}

func TestInside(t *testing.T) {
	p := boxedPlace(t)
	host := []string{"PATH=/bin", "HOME=/elsewhere", "LANG=C", "GOPATH=/go", "GH_TOKEN=1", "ANTHROPIC_API_KEY=1", "ANTHROPIC_BASE_URL=u", "OPENAI_BASE_URL=u", "https_proxy=p", "EDITOR=vi", "TMPDIR=/t", "GIT_AUTHOR_NAME=A"}
	env := append(slices.Clone(host), "REFRAIN_RUN=r", "SET_FOR_IT=1", "EDITOR=true")
	got := Inside(p, proc.Agent, env, host, []string{"ANTHROPIC_API_KEY"})
	slices.Sort(got)
	want := []string{
		"ANTHROPIC_API_KEY=1", "ANTHROPIC_BASE_URL=u", "EDITOR=true", "GIT_AUTHOR_NAME=A", "GIT_TERMINAL_PROMPT=0", "HOME=" + p.Home, "LANG=C", "REFRAIN_RUN=r", "SET_FOR_IT=1", "TMPDIR=/tmp", "https_proxy=p",
	}
	if !slices.Equal(got, want) {
		t.Errorf("Inside:\n got %q\nwant %q", got, want)
	}
}
