package preflight

import (
	"slices"
	"testing"
)

func TestProgramsOfALine(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{"go test ./...", []string{"go"}},
		{"cd backend && go vet ./... && go test ./...", []string{"go"}},
		{"ruff check . ; mypy src || exit 1", []string{"ruff", "mypy"}},
		{"CI=1 npx vitest run | tee log 2>&1", []string{"npx", "tee"}},
		{"! grep -q 'a && b; c' work", []string{"grep"}},
		{"(cd web && npm test)", []string{"npm"}},
		{"test -f done && ./check.sh && .venv/bin/pytest", nil},
		{"$TOOL run; \"$PYTHON\" -m pytest", nil},
		{"if true; then pytest; fi", []string{"pytest"}},
		{"for f in *.sh; do shellcheck $f; done", nil},
		{"x=$(mktemp) && frob $x", nil},
		{"PATH=bin:$PATH frob", nil},
		{"check() { frob; }; check", nil},
		{"echo 'unfinished", nil},
		{"echo a # frob; frob", nil},
		{". .venv/bin/activate && pytest", nil},
		{"make lint; source env.sh; pytest", []string{"make"}},
		{"frob || true", nil},
		{"frob 2>/dev/null || go vet ./...", []string{"go"}},
		{"frob || exit 1", []string{"frob"}},
		{"frob | tee log || true", []string{"frob"}},
		{"", nil},
	}
	for _, tt := range tests {
		if got := Programs(tt.line); !slices.Equal(got, tt.want) {
			t.Errorf("Programs(%q) = %q, want %q", tt.line, got, tt.want)
		}
	}
}

func FuzzPrograms(f *testing.F) {
	f.Add("cd a && b 'c' | d; e")
	f.Fuzz(func(t *testing.T, line string) {
		for _, program := range Programs(line) {
			if !plain().MatchString(program) {
				t.Errorf("%q is the name of no program", program)
			}
		}
	})
}
