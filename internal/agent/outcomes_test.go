package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

var update = flag.Bool("update", false, "write testdata/outcomes.txt anew")

// recordedAt is when the streams were recorded.
var recordedAt = time.Date(2026, 11, 15, 1, 20, 0, 0, time.UTC)

// recording is what a real agent printed, and how it ended.
type recording struct {
	name   string // agent/scenario
	agent  string
	argv   []string
	model  string // that it was asked for
	stdout []byte
	stderr []byte
	diary  []byte // of its own files, what is read while it works
	exit   loop.Exit
}

// recordings reads every recorded stream.
func recordings(t testing.TB) []recording {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "streams", "*", "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded streams: %v", err)
	}
	var all []recording
	for _, path := range paths {
		base := strings.TrimSuffix(path, ".jsonl")
		agent := filepath.Base(filepath.Dir(path))
		stdout, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var end struct {
			RC    int  `json:"rc"`
			Ended bool `json:"timed_out_by_harness"`
		}
		readJSON(t, base+".exit", &end)
		var call struct {
			Argv []string `json:"argv"`
		}
		readJSON(t, base+".argv", &call)
		all = append(all, recording{
			name:   agent + "/" + filepath.Base(base),
			agent:  agent,
			argv:   call.Argv,
			model:  after(call.Argv, "-m"),
			stdout: stdout,
			stderr: readIf(t, base+".stderr"),
			diary:  readIf(t, base+".log"),
			exit:   exitOf(end.RC, end.Ended),
		})
	}
	return all
}

// readIf reads a file that need not be there.
func readIf(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return text
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// after is the argument that follows flag.
func after(argv []string, flag string) string {
	if i := slices.Index(argv, flag); i >= 0 && i+1 < len(argv) {
		return argv[i+1]
	}
	return ""
}

// exitOf reads a status in which -N means signal N.
func exitOf(rc int, ended bool) loop.Exit {
	signals := map[int]string{2: "INT", 9: "KILL", 15: "TERM"}
	exit := loop.Exit{Cause: loop.Exited}
	switch {
	case rc < 0:
		exit.Signal, exit.Cause = signals[-rc], loop.Signaled
	default:
		exit.Code = &rc
	}
	if ended {
		exit.Cause = loop.AtDeadline
	}
	return exit
}

// usedBefore is what the session of a continued stream had used up in the
// stream that it continues, which is AGENT/work-mode.
var usedBefore = map[string]loop.Usage{
	"codex/resumed": {Input: 1150, Output: 70},
	"qwen/resumed":  {Input: 1150, Output: 70},
}

// decode reads a whole recording. Nobody knows any more which line of stderr came
// before which of stdout; most is said there before the end.
func (r recording) decode() []loop.Payload {
	d := formats[r.agent](Options{
		Model: r.model,
		Now:   func() time.Time { return recordedAt },
		Used:  func(string) loop.Usage { return usedBefore[r.name] },
	})
	// The session is named before its files are read.
	first, rest, _ := bytes.Cut(r.stdout, []byte("\n"))
	var all []loop.Payload
	if len(r.diary) > 0 {
		all, r.stdout = d.Decode(first), rest
	}
	for line := range bytes.Lines(r.stderr) {
		all = append(all, Complain(d, bytes.TrimSuffix(line, []byte("\n")))...)
	}
	for line := range bytes.Lines(r.diary) {
		all = append(all, Overhear(d, bytes.TrimSuffix(line, []byte("\n")))...)
	}
	return append(all, decodeAll(d, r.stdout, r.exit)...)
}

func decodeAll(d Decoder, stdout []byte, exit loop.Exit) []loop.Payload {
	var all []loop.Payload
	for line := range bytes.Lines(stdout) {
		all = append(all, d.Decode(bytes.TrimSuffix(line, []byte("\n")))...)
	}
	return append(all, d.Close(exit)...)
}

// TestOutcomes holds every recorded stream against testdata/outcomes.txt. The
// table is written by -update, and each row is to be read by a person: it says
// what we make of what a real agent did.
func TestOutcomes(t *testing.T) {
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(columns, "\t"))
	for _, r := range recordings(t) {
		if formats[r.agent] == nil {
			t.Errorf("%s: there is no decoder for %s", r.name, r.agent)
			continue
		}
		fmt.Fprintln(w, strings.Join(row(r), "\t"))
	}
	w.Flush()
	got := trimLines(table.String())

	path := filepath.Join("testdata", "outcomes.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("outcomes (-want +got); if the new ones are true, run go test -update:\n%s", diff)
	}
}

var columns = []string{
	"stream", "exit", "result", "tools", "shell", "failed", "denied", "exits", "texts", "in", "out", "read", "write",
	"cost", "context", "turns", "session", "model", "billed", "retries", "limit", "stray", "first text", "last text", "error",
}

// row is one line of the table.
func row(r recording) []string {
	var s struct {
		tools, shell, denied, retries, stray int
		failed                               map[string]bool
		exits, texts, models                 []string
		usage                                loop.Usage
		session                              loop.AgentSession
		limit, result, err                   string
	}
	s.failed = map[string]bool{}
	for _, p := range r.decode() {
		switch p := p.(type) {
		case *loop.AgentSession:
			s.session.Session += p.Session
			s.session.BilledTo += p.BilledTo
			if p.Model != "" {
				s.models = append(s.models, p.Model)
			}
		case *loop.AgentText:
			if strings.TrimSpace(p.Text) != "" { // in plain text a line may be empty
				s.texts = append(s.texts, p.Text)
			}
		case *loop.AgentTool:
			s.tools++
			s.shell += count(p.Shell)
		case *loop.AgentToolResult:
			if p.Failed {
				s.failed[p.ID] = true // a denial may be told twice
			}
			s.denied += count(p.Denied)
			s.stray += count(p.Name == "output" && p.ID == "")
			if p.Exit != nil && len(s.exits) < 5 {
				s.exits = append(s.exits, fmt.Sprint(*p.Exit))
			}
		case *loop.AgentUsage:
			s.usage = p.Usage
		case *loop.AgentRetry:
			s.retries++
		case *loop.AgentLimit:
			s.limit = p.Limit.Kind
			if !p.Limit.Until.IsZero() {
				s.limit += "@" + p.Limit.Until.Format("15:04:05")
			}
		case *loop.AgentResult:
			s.result = "ok"
			if p.Error != nil {
				s.result, s.err = string(p.Error.Kind), oneLine(p.Error.Message)
			}
			if p.Pending {
				s.result += ",pending"
			}
		}
	}
	cost := fmt.Sprintf("%.6g", s.usage.CostUSD)
	if s.usage.CostEstimated {
		cost = "≈" + cost
	}
	first, last := "-", "-"
	if n := len(s.texts); n > 0 {
		first, last = preview(s.texts[0], 40), preview(s.texts[n-1], 40)
	}
	return []string{
		r.name, describe(r.exit), s.result, fmt.Sprint(s.tools), fmt.Sprint(s.shell), fmt.Sprint(len(s.failed)), fmt.Sprint(s.denied),
		orDash(strings.Join(s.exits, ",")), fmt.Sprint(len(s.texts)),
		fmt.Sprint(s.usage.Input), fmt.Sprint(s.usage.Output), fmt.Sprint(s.usage.CacheRead), fmt.Sprint(s.usage.CacheWrite),
		cost, fmt.Sprint(s.usage.ContextPercent), fmt.Sprint(s.usage.Turns),
		orDash(preview(s.session.Session, 8)), orDash(strings.Join(s.models, ">")), orDash(s.session.BilledTo), fmt.Sprint(s.retries), orDash(s.limit), fmt.Sprint(s.stray),
		first, last, preview(s.err, 80),
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func preview(text string, most int) string {
	letters := []rune(oneLine(text))
	return string(letters[:min(most, len(letters))])
}

func trimLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// However a stream is cut, there is one result, and a stream that was cut
// before its end is never a success.
func TestCutStreams(t *testing.T) {
	for _, r := range recordings(t) {
		if len(r.stdout) > 64<<10 {
			continue
		}
		lines := slices.Collect(bytes.Lines(r.stdout))
		for n := range lines {
			last := lines[n]
			cut := slices.Concat(slices.Concat(lines[:n]...), last[:len(last)/2])
			exit := loop.Exit{Signal: "KILL", Cause: loop.Signaled}
			all := decodeAll(formats[r.agent](Options{}), cut, exit)
			var results []*loop.AgentResult
			for _, p := range all {
				if result, ok := p.(*loop.AgentResult); ok {
					results = append(results, result)
				}
			}
			if len(results) != 1 || results[0].OK || results[0].Error == nil {
				t.Errorf("%s, cut in line %d: results %+v, want one failure", r.name, n+1, results)
			}
		}
	}
}

// finals mark the events without which nothing counts as done. pi and opencode
// have none: what they say last is taken. crush has no events at all.
var finals = map[string]string{
	"claude":  `"type":"result"`,
	"cline":   `"type":"run_result"`,
	"codex":   `"type":"turn.completed"`,
	"copilot": `"type":"result"`,
	"droid":   `"type":"completion"`,
	"gemini":  `"type":"result"`,
	"grok":    `"type":"result"`,
	"kimi":    `"type":"session.resume_hint"`,
	"qwen":    `"type":"result"`,
}

func TestNoFinalEventIsAFailureWhateverTheStatus(t *testing.T) {
	zero := 0
	for _, r := range recordings(t) {
		final := finals[r.agent]
		if strings.HasSuffix(r.name, "-native") { // grok has two ways to say things
			final = `"type":"end"`
		}
		if final == "" || bytes.HasPrefix(r.stdout, []byte("[")) { // one array, with all events
			continue
		}
		var before [][]byte
		for line := range bytes.Lines(r.stdout) {
			if bytes.Contains(line, []byte(final)) {
				break
			}
			before = append(before, line)
		}
		all := decodeAll(formats[r.agent](Options{}), slices.Concat(before...), loop.Exit{Code: &zero, Cause: loop.Exited})
		if result := all[len(all)-1].(*loop.AgentResult); result.OK || result.Error == nil {
			t.Errorf("%s without its final event: %+v, want a failure", r.name, result)
		}
	}
}

// No text of a failed stream may be one that the agent's runtime wrote.
func TestErrorsAreNotTheAgentsWords(t *testing.T) {
	for _, r := range recordings(t) {
		for _, p := range r.decode() {
			text, ok := p.(*loop.AgentText)
			if ok && (strings.Contains(text.Text, "API Error") || strings.Contains(text.Text, "Invalid API key") || strings.Contains(text.Text, "limit · resets") ||
				strings.Contains(text.Text, "Quota exhausted")) {
				t.Errorf("%s: heard from the agent: %q", r.name, text.Text)
			}
		}
	}
}

// A session that is continued keeps its name, and the attempt is charged only
// with what it used itself.
func TestResumedSessions(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range recordings(t) {
		if filepath.Base(r.name) != "resumed" {
			continue
		}
		seen[r.agent] = true
		var session string
		var usage loop.Usage
		for _, p := range r.decode() {
			switch p := p.(type) {
			case *loop.AgentSession:
				if p.Session != "" {
					session = p.Session
				}
			case *loop.AgentUsage:
				usage = p.Usage
			}
		}
		if session == "" || !strings.Contains(strings.Join(r.argv, "\n"), session) {
			t.Errorf("%s: the session to continue is %q, and was called with %q", r.name, session, r.argv)
		}
		if told := TraitsOf(r.agent).Tokens; told && usage.Output != 34 || !told && usage.Tokens() != 0 {
			t.Errorf("%s: %+v, want the 34 tokens of output that the attempt had", r.name, usage)
		}
	}
	for _, name := range Names() {
		if TraitsOf(name).Sessions && name != "rehearsal" && !seen[name] {
			t.Errorf("there is no recording of %s in a continued session", name)
		}
	}
}
