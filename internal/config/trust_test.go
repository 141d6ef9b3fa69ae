package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Every setting that a project cannot make without a person's yes. A new key is
// among them unless it is said to be harmless: think about it before you add it
// here or there.
const asked = `
commands.build commands.lint commands.test
fleet.address fleet.namespace fleet.remote fleet.tls fleet.tls_ca fleet.tls_cert fleet.tls_key fleet.tls_server_name
fleet.worker.grace fleet.worker.name fleet.worker.only fleet.worker.queue fleet.worker.root fleet.worker.slots fleet.worker.trust
git.branch git.checkpoint git.commit git.watch
hooks.run.failed hooks.run.finished hooks.run.next_iteration hooks.run.post_iteration hooks.run.started
limits.fallback log.file metrics.file metrics.listen
notify.command notify.discord.url notify.email.from notify.email.password notify.email.server notify.email.to notify.email.user
notify.log notify.ntfy.token notify.ntfy.url notify.slack.url notify.webhook.headers notify.webhook.secret
notify.webhook.template notify.webhook.url
permissions.mode proc.keep profile proof.copy proof.setup retention.redact sandbox.allow sandbox.env sandbox.hosts sandbox.image sandbox.mode sandbox.network sandbox.options stop.scripts trace.endpoint trace.headers trust.folders
`

func TestWhatAPersonIsAskedAbout(t *testing.T) {
	var got []string
	for _, row := range settings() {
		var value any = []string{"x"}
		switch {
		case row.Key == "permissions.mode":
			value = "full"
		case row.Key == "git.commit":
			value = true
		case row.Key == "profile":
			value = "fresher" // which has full permissions
		}
		if !harmless(row.Key, value) {
			got = append(got, row.Key)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(strings.Fields(asked), got); diff != "" {
		t.Errorf("asked about (-want +got):\n%s", diff)
	}
	for _, row := range agentSettings() {
		if harmless("agents.x."+row.Key, "x") {
			t.Errorf("agents.x.%s is not asked about", row.Key)
		}
	}
}

// A prompt is a file of the project's too, and one that agents write to: what is
// asked about of refrain.toml cannot be set there at all.
func TestAPromptSetsNothingThatIsAskedAbout(t *testing.T) {
	values := map[string]any{
		"git.branch": "b", "git.checkpoint": false, "git.commit": true, "git.watch": true, "retention.redact": false, "permissions.mode": "full",
		"limits.fallback": []any{"codex"}, "notify.email.to": []any{"a@example.com"}, "proc.keep": []any{"x"}, "proof.copy": []any{"x"},
		"sandbox.env": []any{"X"}, "sandbox.allow": []any{"docker"}, "sandbox.hosts": []any{"example.com"}, "sandbox.network": "open", "stop.scripts": []any{"x"}, "trust.folders": []any{"/"},
	}
	for _, key := range strings.Fields(asked) {
		value, ok := values[key]
		if !ok {
			value = "x"
		}
		_, err := Load(Sources{Front: func(*Resolved) ([]Front, *Problem) {
			return []Front{{File: "PROMPT.md", Settings: map[string]any{key: value}, Lines: map[string]int{key: 3}}}, nil
		}})
		if err == nil || !strings.Contains(err.Error(), "PROMPT.md:3: ") || !strings.Contains(err.Error(), "cannot be set in a prompt") && !strings.Contains(err.Error(), "is a table") {
			t.Errorf("%s in a prompt: %v, want that it cannot be set there", key, err)
		}
	}
}

func TestAProfileIsWhatItSets(t *testing.T) {
	for _, name := range Profiles() {
		if got, want := harmless("profile", name), name != "fresher"; got != want {
			t.Errorf("the profile %s is harmless: %v, want %v", name, got, want)
		}
	}
}

func TestAModelIsNoFlag(t *testing.T) {
	if _, err := Load(Sources{Environ: []string{"REFRAIN_MODEL=--openai-base-url=http://evil"}}); err == nil || !strings.Contains(err.Error(), "must not begin with -") {
		t.Errorf("Load = %v", err)
	}
}

func TestBrought(t *testing.T) {
	tree := t.TempDir()
	write(t, filepath.Join(tree, FileName), `
agent = "mine"
model = "m"
[agents.mine]
command = ["sh", "--token", "abcdefgh"]
[agents.mine.env]
BASE_URL = "http://other"
API_KEY = "abcdefgh"
[loop]
max_iterations = 5
[permissions]
mode = "work"
[proof]
setup = "none"
[notify]
command = ""
[stop]
scripts = []
[[gate]]
name = "test"
run = "make test"
pin = ["x"]
[[gate]]
name = "review"
agent = "claude"
prompt = "look"
[procedures.build]
[procedures.build.hooks.run]
started = "touch x"
[[procedures.build.gate]]
name = "more"
run = "make more"
`)
	r, err := Load(Sources{Tree: tree})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range r.Brought() {
		got = append(got, b.Name+" | "+b.What+" | "+b.Where)
	}
	want := []string{
		`agent mine | ["sh", "--token", "***"] | refrain.toml:5`,
		`agent mine env.BASE_URL | http://other | refrain.toml:7`,
		`agent mine env.API_KEY | *** | refrain.toml:8`,
		`gate test | make test | refrain.toml:19`,
		`gate review | { agent = "claude", prompt = "look" } | refrain.toml:23`,
		`hook started of build | touch x | refrain.toml:29`,
		`gate more of build | make more | refrain.toml:30`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Brought (-want +got):\n%s", diff)
	}
}

// What is not shown of a setting still makes it another.
func TestAnotherSettingIsAnother(t *testing.T) {
	exactOf := func(text string) string {
		tree := t.TempDir()
		write(t, filepath.Join(tree, FileName), text)
		r, err := Load(Sources{Tree: tree})
		if err != nil {
			t.Fatal(err)
		}
		return r.Brought()[0].Exact
	}
	for _, two := range [][2]string{
		{"[agents.a]\ncommand = [\"x\", \"--token\", \"1\"]", "[agents.a]\ncommand = [\"x\", \"--token\", \"2\"]"},
		{"[agents.a]\ncommand = [\"x y\"]", "[agents.a]\ncommand = [\"x\", \"y\"]"},
		{"gate = [{ name = \"t\", run = \"x\" }]", "gate = [{ name = \"t\", run = \"x\", pin = [\"y\"] }]"},
		{"[notify.webhook]\nsecret = \"12345678\"", "[notify.webhook]\nsecret = \"12345679\""},
	} {
		if exactOf(two[0]) == exactOf(two[1]) {
			t.Errorf("%q and %q are the same", two[0], two[1])
		}
	}
}

func TestAProjectTrustsNobody(t *testing.T) {
	tree := t.TempDir()
	write(t, filepath.Join(tree, FileName), "[trust]\nfolders = [\"/\"]\n")
	if _, err := Load(Sources{Tree: tree}); err == nil || !strings.Contains(err.Error(), "refrain.toml:2:1: trust.folders cannot be set by a project") {
		t.Errorf("Load = %v", err)
	}
	write(t, filepath.Join(tree, FileName), "[procedures.build.trust]\nfolders = [\"/\"]\n")
	if _, err := Load(Sources{Tree: tree, Procedure: "build"}); err == nil {
		t.Error("a procedure of the project may")
	}
	r, err := Load(Sources{Environ: []string{`REFRAIN_TRUST_FOLDERS=["~/work", "/src"]`}})
	if err != nil || !slices.Equal(r.Config.Permissions.Trusted, []string{"~/work", "/src"}) {
		t.Errorf("the environment = %v, %v", r, err)
	}
	if _, err := Load(Sources{Environ: []string{`REFRAIN_TRUST_FOLDERS=["work"]`}}); err == nil {
		t.Error("a folder that is another in each place is taken")
	}
	if _, err := Load(Sources{Front: func(*Resolved) ([]Front, *Problem) {
		return []Front{{File: "PROMPT.md", Settings: map[string]any{"trust.folders": []any{"/"}}, Lines: map[string]int{"trust.folders": 2}}}, nil
	}}); err == nil {
		t.Error("a prompt may")
	}
}

// Nobody is asked about what a project hides, so it can only hide more: what the user
// hides stays hidden. The user's own nearer word replaces both.
func TestAProjectOnlyHidesMore(t *testing.T) {
	user := filepath.Join(t.TempDir(), "config.toml")
	write(t, user, "[sandbox]\nhide = [\"~/clients\"]\n[procedures.build.sandbox]\nhide = [\"~/taxes\"]\n")
	for _, tt := range []struct {
		what, project, procedure string
		flags                    []string
		want                     []string
	}{
		{"nothing said", "", "", nil, []string{"~/clients"}},
		{"an empty list", "[sandbox]\nhide = []", "", nil, []string{"~/clients"}},
		{"another list", "[sandbox]\nhide = [\"~/x\", \"~/clients\"]", "", nil, []string{"~/clients", "~/x"}},
		{"taken back", "[sandbox]\nhide = \"\"", "", nil, []string{"~/clients"}},
		{"by a procedure", "[sandbox]\nhide = [\"~/y\"]\n[procedures.build.sandbox]\nhide = [\"~/x\"]", "build", nil, []string{"~/taxes", "~/x"}},
		{"the user's flag", "[sandbox]\nhide = [\"~/x\"]", "", []string{`sandbox.hide=["~/z"]`}, []string{"~/z"}},
	} {
		s := treeWith(t, tt.project)
		s.UserFile, s.Procedure, s.Procedures, s.Flags = user, tt.procedure, []string{"build"}, set(t, tt.flags...)
		r := load(t, s)
		if diff := cmp.Diff(tt.want, r.Config.Sandbox.Hide); diff != "" {
			t.Errorf("%s: hidden (-want +got):\n%s", tt.what, diff)
		}
		if got := r.Brought(); len(got) > 0 {
			t.Errorf("%s: asked about %v", tt.what, got)
		}
		told, err := r.Explain("sandbox.hide")
		if want := setting.Render(tt.want); err != nil || string(told.Value) != want {
			t.Errorf("%s: explained as %s, %v, want %s", tt.what, told.Value, err, want)
		}
	}
}

// Namespaces are the tightest of what needs no image, and looser than a container: most
// of the home folder can be read in them.
func TestAProjectThatLeavesTheUsersContainersIsAskedAbout(t *testing.T) {
	for _, tt := range []struct {
		user, project string
		want          []string
	}{
		{"", "sandbox.mode = \"namespaces\"", nil},
		{"sandbox.mode = \"landlock\"", "sandbox.mode = \"namespaces\"", nil},
		{"sandbox.mode = \"docker\"\nsandbox.image = \"i\"", "", nil},
		{"sandbox.mode = \"docker\"\nsandbox.image = \"i\"", "sandbox.mode = \"namespaces\"", []string{"sandbox.mode"}},
		{"sandbox.mode = \"podman\"\nsandbox.image = \"i\"", "[procedures.build]\nsandbox.mode = \"namespaces\"", []string{"sandbox.mode of build"}},
		{"sandbox.image = \"i\"\n[procedures.build]\nsandbox.mode = \"docker\"", "sandbox.mode = \"namespaces\"", []string{"sandbox.mode"}},
		{"sandbox.mode = \"docker\"\nsandbox.image = \"i\"\nsandbox.options = [\"--network=none\"]", "sandbox.options = []", []string{"sandbox.options"}},
	} {
		s := treeWith(t, tt.project)
		s.UserFile, s.Procedures = filepath.Join(t.TempDir(), "config.toml"), []string{"build"}
		write(t, s.UserFile, tt.user)
		var got []string
		for _, b := range load(t, s).Brought() {
			got = append(got, b.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q over %q: asked about %q, want %q", tt.project, tt.user, got, tt.want)
		}
	}
}
