package setting

import (
	"maps"
	"testing"
)

func TestMaskedArguments(t *testing.T) {
	tests := []struct {
		name     string
		in, want Command
	}{
		{"the value after a flag", Command{Argv: []string{"x", "--api-key", "s", "-v"}}, Command{Argv: []string{"x", "--api-key", "***", "-v"}}},
		{"the value in a flag", Command{Argv: []string{"x", "--auth-token=s"}}, Command{Argv: []string{"x", "--auth-token=***"}}},
		{"a variable", Command{Argv: []string{"env", "GITHUB_TOKEN=s", "x"}}, Command{Argv: []string{"env", "GITHUB_TOKEN=***", "x"}}},
		{"a header", Command{Argv: []string{"x", "-H", "Authorization: Bearer s"}}, Command{Argv: []string{"x", "-H", "Authorization: ***"}}},
		{"a number of tokens is no secret", Command{Argv: []string{"x", "--max-tokens", "5"}}, Command{Argv: []string{"x", "--max-tokens", "5"}}},
		{"in a line", Command{Line: "x --password s --verbose"}, Command{Line: "x --password *** --verbose"}},
		{"quoted in a line", Command{Line: `x --password 'a b' API_KEY="c d" e`}, Command{Line: `x --password *** API_KEY=*** e`}},
		{"a header in a line", Command{Line: `x -H "Authorization: Bearer s" y`}, Command{Line: `x -H "Authorization: ***" y`}},
		{"a word in a line is no secret", Command{Line: "x find the key here"}, Command{Line: "x find the key here"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.in.Masked().Lost(); got != (Render(tt.in) != Render(tt.want)) || tt.in.Lost() {
				t.Errorf("masked %s has lost something: %t", Render(tt.in), got)
			}
			if got := Render(tt.in.Masked()); got != Render(tt.want) {
				t.Errorf("masked %s = %s, want %s", Render(tt.in), got, Render(tt.want))
			}
		})
	}
}

func TestAMaskIsSeenWhereverItStands(t *testing.T) {
	for _, tt := range []struct {
		in   Command
		lost bool
	}{
		{Command{Argv: []string{"sh", "-c", "my --api-key ***; x"}}, true},
		{Command{Argv: []string{"sh", "-c", "TOKEN='***' x"}}, true},
		{Command{Argv: []string{"x", "-k", "***"}}, true},
		{Command{Argv: []string{"x", "--header", "X-Auth:***"}}, true},
		{Command{Argv: []string{"curl", "https://u:***@h"}}, true},
		{Command{Line: "x ***"}, true},
		{Command{Line: "x -k '***' y"}, true},
		{Command{Argv: []string{"x", "-p", "*** Take care ***"}}, false},
		{Command{Argv: []string{"x", "-p", "Write **bold** words"}}, false},
	} {
		if got := tt.in.Lost(); got != tt.lost {
			t.Errorf("Lost of %s = %t, want %t", Render(tt.in), got, tt.lost)
		}
	}
}

func TestSecretsOfACommand(t *testing.T) {
	for _, tt := range []struct {
		in   Command
		want map[string]string
	}{
		{Command{Argv: []string{"x", "--api-key", "s1", "-v"}}, map[string]string{"api-key": "s1"}},
		{Command{Argv: []string{"env", "A_TOKEN=s1", "x", "--password=s2"}}, map[string]string{"A_TOKEN": "s1", "password": "s2"}},
		{Command{Line: `A_KEY='s 1' x --token s2 && y`}, map[string]string{"A_KEY": "s 1", "token": "s2"}},
		{Command{Line: "go test ./..."}, map[string]string{}},
	} {
		if got := tt.in.Secrets(); !maps.Equal(got, tt.want) {
			t.Errorf("secrets of %s are %q, want %q", Render(tt.in), got, tt.want)
		}
	}
}

// What a shell would run is seen, so that no gate is changed behind a mask.
func TestMaskedLinesOfAShell(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a variable", "API_KEY=s go test", "API_KEY=*** go test"},
		{"a quoted variable", `API_KEY='a;b' TOKEN="c d" x`, `API_KEY=*** TOKEN=*** x`},
		{"a flag", "x --token s && y", "x --token *** && y"},
		{"another variable", "API_KEY=$KEY x", "API_KEY=$KEY x"},
		{"another command", "TOKEN=s;true x", "TOKEN=***;true x"},
		{"a command in quotes", `TOKEN="$(true)" x`, `TOKEN="$(true)" x`},
		{"a command behind a secret", "TOKEN=s`true` x", "TOKEN=***`true` x"},
		{"nothing secret", "go test ./...", "go test ./..."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Command{Line: tt.in}).masked(secretInShell).Line; got != tt.want {
				t.Errorf("masked %s = %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}
