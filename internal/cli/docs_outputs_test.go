package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a page shows below a command is what the program prints there, in a
// project that has the file which the page shows, or what the command speaks of.
func TestOutputsOfTheDocs(t *testing.T) {
	for _, tt := range []struct {
		page, command string
		file, from    string // a file of the project, and how its block in the page begins
		story         string // of which the project has the files
		before        string // for the shell
	}{
		{page: "night.md", command: "refrain rehearse docs/examples/burning-loop.toml"},
		{page: "night.md", command: "refrain rehearse docs/examples/healthy-research.toml"},
		{page: "proof.md", command: "refrain check --gate", before: "echo .env >.gitignore && echo A=1 >.env && git add . && git commit -qm start"},
		{page: "procedures.md", command: "refrain verify", story: "verify"},
		{page: "procedures.md", command: "refrain build", before: `c=${XDG_CONFIG_HOME:-$HOME/.config}/refrain && mkdir -p "$c" && printf 'agent = "mine"\nagents.mine.command = ["true"]\n' >"$c/config.toml"`},
		{page: "prompts.md", command: "refrain config show --changed", file: "PROMPT.md", from: "```markdown\n---\n"},
		{page: "configuration.md", command: "REFRAIN_LOOP_MAX_ITERATIONS=9 refrain config explain", file: "refrain.toml", from: "```toml\nagent = \"claude\""},
	} {
		t.Run(tt.page+" "+tt.command, func(t *testing.T) {
			t.Parallel()
			page, err := os.ReadFile("../../docs/" + tt.page)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t)
			w.env = slices.DeleteFunc(w.env, func(v string) bool {
				return strings.HasPrefix(v, "REFRAIN_TRUST_") || strings.HasPrefix(v, "REFRAIN_SANDBOX_")
			}) // as at a reader's
			w.must("sh", "-c", `mkdir docs && cp -r "$1" docs/examples && git init -q -b main`, "-", examples(t))
			if tt.file != "" {
				if err := os.WriteFile(filepath.Join(w.tree, tt.file), []byte(blockThatBegins(t, string(page), tt.from)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tt.story != "" {
				w.unpack("testdata/script/" + tt.story + ".txtar")
			}
			if tt.before != "" {
				w.must("sh", "-c", tt.before)
			}
			_, rest, ok := strings.Cut(string(page), "\n$ "+tt.command)
			if !ok {
				t.Fatalf("the page has no %q any more", tt.command)
			}
			rest, _, _ = strings.Cut(rest, "\n```")
			rest, _, _ = strings.Cut(rest, "\n$ ")
			args, want, _ := strings.Cut(rest, "\n")
			out, _ := w.command("sh", "-c", tt.command+args).CombinedOutput() // it may end as a run can end
			got := changing.ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(string(out), w.tree, "/home/ada/notes")), "0")
			want = changing.ReplaceAllString(strings.TrimSpace(want), "0")
			like := strings.ReplaceAll("\n"+regexp.QuoteMeta(want)+"\n", "\n…", `(?s:\n.*)?`)
			if !regexp.MustCompile(`^` + like + `$`).MatchString("\n" + got + "\n") {
				t.Errorf("%s%s prints\n%s\nand the page has\n%s", tt.command, args, got, want)
			}
		})
	}
}

// changing is what another minute, or another machine, makes different.
var changing = regexp.MustCompile(`(?m)^\d\d:\d\d|\d+\.\d+s`)

// blockThatBegins is what stands in the first block of a page that begins so.
func blockThatBegins(t *testing.T, page, begin string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, begin)
	fence, first, _ := strings.Cut(begin, "\n")
	text, _, closed := strings.Cut(rest, "\n```")
	if !ok || !closed {
		t.Fatalf("the page has no block that begins with %q after %s", first, fence)
	}
	return first + text + "\n"
}
