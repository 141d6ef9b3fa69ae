package scaffold

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestChecksThatAGuideNames(t *testing.T) {
	tests := []struct{ what, text, want string }{
		{"labels with blocks, as rooda has them", "# A\n## Build/Test/Lint Commands\n\n**Dependencies:**\n- yq `>= 4`\n\n**Test:**\n```bash\n# all\ngo test ./...    # slow\n./more.sh\n```\n\n**Lint:**\n```\ngo vet ./...\n```\n", "test=go test ./... test-2=./more.sh lint=go vet ./..."},
		{"labels in a list, as ours has them", "## Commands\n\n- build: `make`\n- lint: FILL IN, or take out this line\n- test: `make test`\n", "build=make test=make test"},
		{"a list of gates", "## Quality Gates\n1. `make check` must pass\n- [ ] `npm run lint`\n- read it through\n", "check=make check lint=npm run lint"},
		{"gates in a list, with a label, and in a block", "## Quality gates\n\n- `make test`\n- lint: `make lint`\n\n```sh\nmake build\n./ok.sh\n```\n", "test=make test lint=make lint build=make build check=./ok.sh"},
		{"a block after a label that has its command", "## Commands\n- test: `make test`\n\n```sh\ncd x\n```\n", "test=make test"},
		{"a heading for each", "## Testing\n### Test\n```sh\n$ pytest -q\n```\n### Build\n`no item`\n", "test=pytest -q"},
		{"samples to fill in", "## Commands\n- test: `pytest <path>`\n- build: `{{cmd}}`\n", ""},
		{"code elsewhere", "## Where things are\n- test: `tests/`\n\n```sh\nrm -rf x\n```\n", ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			var got []string
			for _, g := range readGuide(tt.text) {
				got = append(got, g.Name+"="+g.Line)
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("readGuide = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAGuideIsOfferedAndNotTaken(t *testing.T) {
	p := Detect(fstest.MapFS{"AGENTS.md": {Data: []byte("## Commands\n- test: `make check`\n")}})
	if p.Main.Test.Line != "" || strings.Contains(Files(p, Options{})[0].Text, "make check") {
		t.Errorf("test = %q, want it to be left to a person", p.Main.Test.Line)
	}
	var o Options
	if q := o.Questions(p, nil)[0]; q.Default != "make check" {
		t.Errorf("the question offers %q, want what AGENTS.md says", q.Default)
	}
	notes := p.Notes()
	if last := notes[len(notes)-1]; last.Text != "AGENTS.md names make check, which no gate runs" || !strings.Contains(last.Hint, `run = "make check"`) {
		t.Errorf("notes = %v, want how to make it a gate", notes)
	}
	if left := p.Guided([]Gate{{Name: "review"}}); len(left) != 1 {
		t.Errorf("left = %v, want the check: a reviewer runs no command", left)
	}
	if left := p.Guided([]Gate{{Command: Command{Line: "make check VERBOSE=1"}}}); len(left) > 0 {
		t.Errorf("left = %v, want nothing: a gate runs it", left)
	}
}

func FuzzGuide(f *testing.F) {
	f.Add("## Commands\n- test: `make`\n```\nx\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, g := range readGuide(text) {
			if g.Name == "" || g.Line == "" || strings.Contains(g.Line, "\n") {
				t.Errorf("gate %+v of %q", g, text)
			}
		}
	})
}
