package realtest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// manual is where the table of what was seen stands, between the marks.
const (
	manual   = "../../docs/agents.md"
	markFrom = "<!-- what was seen: written by TABLE=write MATRIX=1 make test-agents -->\n"
	markTo   = "<!-- end of what was seen -->\n"
)

// exception is a cell that is not "ok", and why it cannot be.
type exception struct{ agent, row, came, why string }

// exceptions is every cell that is not "ok", in the order of the reasons below the table.
var exceptions = []exception{
	{"codex", "permissions", "runs commands", "`edits` runs commands too; a sandbox holds them"},
	{"opencode", "budget", "at the end", "it tells the tokens of a step when the step's tools have ended"},
	{"gemini", "budget", "at the end", "it tells its tokens at its end"},
	{"qwen", "refusal", "success", "it tells nowhere that a filter stopped the reply"},
	{"copilot", "refusal", "success", "it tells nowhere that a filter stopped the reply"},
	{"copilot", "budget", "refused", "it tells no tokens"},
	{"cline", "limit of two hours", "no time", "it does not wait, and tells no time"},
	{"cline", "refusal", "success", "it tells nowhere that a filter stopped the reply"},
	{"cline", "sessions", "refused", "it prints no JSON in a session that it continues"},
	{"cline", "permissions", "refused", "it cannot be kept from running commands"},
	{"droid", "limit of two hours", "no time", "it does not wait for as long as the provider says, and tells no time"},
	{"droid", "sessions", "refused", "a session that it continues comes from its maker's server"},
	{"droid", "budget", "at the end", "it tells its tokens at its end"},
	{"grok", "limit of two hours", "no time", "it tells nowhere until when it waits"},
	{"kimi", "budget", "refused", "it tells no tokens"},
	{"kimi", "permissions", "refused", "it cannot be kept from running commands"},
}

// wanted is what a cell should be.
func wanted(agent, row string) string {
	for _, e := range exceptions {
		if e.agent == agent && e.row == row {
			return e.came
		}
	}
	return fine
}

// TestMatrix plays every scenario with every CLI. It takes minutes for each, and so is
// run by name: MATRIX=1 make test-agents.
func TestMatrix(t *testing.T) {
	if os.Getenv("REFRAIN_REAL_MATRIX") == "" {
		t.Skip("REFRAIN_REAL_MATRIX is not set: run \"MATRIX=1 make test-agents\"")
	}
	seen := map[string]map[string]string{}
	eachOf(t, slices.Concat(recipes, others), all, func(t *testing.T, r recipe) {
		installed(t, r.name)
		column := playAll(t, r)
		column["version"] = version(t, r.name)
		seen[r.name] = column
	})
	if os.Getenv("TABLE") == "write" {
		all := readTable(t) // of the others we know what was seen before
		maps.Copy(all, seen)
		writeTable(t, all)
	}
}

// playAll gives what came of each row.
func playAll(t *testing.T, r recipe) map[string]string {
	var mu sync.Mutex
	column := map[string]string{}
	t.Run("scenarios", func(t *testing.T) { // which waits for the parallel ones
		for _, s := range scenarios {
			t.Run(s.rows[0], func(t *testing.T) {
				t.Parallel() // they do little but wait
				cells := make([]string, len(s.rows))
				defer func() {
					mu.Lock()
					defer mu.Unlock()
					for i, row := range s.rows {
						column[row] = cmp.Or(cells[i], "broke off")
						if want := wanted(r.name, row); column[row] != want {
							t.Errorf("CHANGED: %s %s, %s: %s, and the table says %s", r.name, version(t, r.name), row, column[row], want)
						}
					}
				}()
				copy(cells, s.play(newWorld(t, r)))
			})
		}
	})
	return column
}

// readTable gives the cells by agent and row, with the row "version".
func readTable(t *testing.T) map[string]map[string]string {
	t.Helper()
	_, table, _ := cutTable(t)
	table, _, _ = strings.Cut(table, "\n\n") // the reasons follow
	seen := map[string]map[string]string{}
	var names []string
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " `")
		}
		if names == nil {
			names = cells[1:]
			continue
		}
		for i, name := range names {
			if seen[name] == nil {
				seen[name] = map[string]string{}
			}
			if i+1 < len(cells) {
				seen[name][cells[0]] = cells[i+1]
			}
		}
	}
	return seen
}

// cutTable is the manual around the table, and the table.
func cutTable(t *testing.T) (before, table, after string) {
	t.Helper()
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), markFrom)
	table, after, ended := strings.Cut(rest, markTo)
	if !begun || !ended {
		t.Fatalf("%s lacks the marks of the table", manual)
	}
	return before, table, after
}

func writeTable(t *testing.T, seen map[string]map[string]string) {
	t.Helper()
	before, _, after := cutTable(t)
	if err := os.WriteFile(manual, []byte(before+markFrom+render(seen)+markTo+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// render is the table as it stands in the manual, with the reasons below it.
func render(seen map[string]map[string]string) string {
	var b strings.Builder
	line := func(first string, cell func(name string) string) {
		b.WriteString("| " + first + " |")
		for _, name := range tested() {
			b.WriteString(" " + cell(name) + " |")
		}
		b.WriteString("\n")
	}
	line("", func(name string) string { return "`" + name + "`" })
	b.WriteString("|---|" + strings.Repeat("---|", len(tested())) + "\n")
	for _, row := range append([]string{"version"}, rowsOf()...) {
		line(row, func(name string) string { return cmp.Or(seen[name][row], "-") })
	}
	b.WriteString("\n| agent | scenario | why it is not ok |\n|---|---|---|\n")
	for _, e := range exceptions {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.agent, e.row, e.why)
	}
	return b.String()
}

// tested is the agents of agents.txt.
func tested() []string {
	var list []string
	for line := range strings.Lines(pinned) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] != "#" {
			list = append(list, f[0])
		}
	}
	return list
}

// The manual has a cell for every agent and scenario, of the version that the tests are
// made for, and a reason for each that is not "ok".
func TestTheTableInTheManualIsWhole(t *testing.T) {
	seen := readTable(t)
	for _, name := range tested() {
		if got, want := seen[name]["version"], madeFor(t, name); got != want {
			t.Errorf("the table has %s %q, want %s", name, got, want)
		}
		for _, row := range rowsOf() {
			if got, want := seen[name][row], wanted(name, row); got != want {
				t.Errorf("the table says %q for %s, %s; the exceptions say %q", got, name, row, want)
			}
		}
	}
	if _, table, _ := cutTable(t); table != render(seen) {
		t.Errorf("the table is not as it would be written:\n%s\nwant:\n%s", table, render(seen))
	}
}
