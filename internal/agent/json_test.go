package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/text"
)

func TestValuesThatAreNotThereAreNothing(t *testing.T) {
	var p parser
	v, ok := p.parse([]byte(`{"text":"a","n":1.9,"yes":true,"null":null,"list":[1,"b"],"deep":{"er":{"est":"c"}}}`))
	if !ok {
		t.Fatal("not read")
	}
	for what, got := range map[string]any{
		"a text":                     v.str("text") == "a",
		"a text deep inside":         v.str("deep", "er", "est") == "c",
		"a missing text is empty":    v.str("no", "such") == "",
		"a number is no text":        v.str("n") == "",
		"a number, cut":              v.int("n") == 1,
		"a missing number is 0":      v.int("no") == 0,
		"a text is no number":        v.float("text") == 0,
		"a truth":                    v.bool("yes"),
		"a missing truth is none":    !v.bool("no"),
		"null is not there":          !v.has("null"),
		"a value is there":           v.has("list"),
		"a word":                     v.is("a", "text"),
		"another word":               !v.is("b", "text"),
		"a missing word is no word":  !v.is("", "no"),
		"a list":                     len(v.list("list")) == 2,
		"a text has no elements":     v.list("text") == nil,
		"JSON as it stands":          v.raw("deep") == `{"er":{"est":"c"}}`,
		"of nothing there is none":   v.raw("no") == "",
		"shown as text":              v.shown("text") == "a",
		"shown as JSON":              v.shown("list") == `[1,"b"]`,
		"an element that is a value": v.list("list")[1].str() == "b",
	} {
		if got != true {
			t.Errorf("%s: it is not so", what)
		}
	}
}

func TestWhatIsRead(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 400) + "1" + strings.Repeat("}", 400)
	tests := []struct {
		name, line string
		ok         bool
	}{
		{"an object", `{"type":"a"}`, true},
		{"an array", `[{"type":"a"}]`, true},
		{"blanks around it", "  {\"type\":\"a\"} \r", true},
		{"nested deeper than the fast parser follows", `{"type":"a","x":` + deep + `}`, true},
		{"a torn object", `{"type":"a","x":"`, false},
		{"two objects", `{"type":"a"}{"type":"b"}`, false},
		{"a text", `"a"`, false},
		{"a number", `1`, false},
		{"prose", `Warning: something`, false},
		{"nothing", ``, false},
		{"more values than fit in memory", "[" + strings.Repeat("1,", maxValues+1) + "1]", false},
		{"a long text with many commas is fine", `{"type":"a","x":"` + strings.Repeat("1,", maxValues-10) + `"}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p parser
			if _, ok := p.parse([]byte(tt.line)); ok != tt.ok {
				t.Errorf("parse(%.40q) = %v, want %v", tt.line, ok, tt.ok)
			}
		})
	}
}

func TestNumbersThatNoJournalCanHold(t *testing.T) {
	var p parser
	v, ok := p.parse([]byte(`{"nan":NaN,"inf":1e999,"big":1e300}`))
	if !ok {
		t.Fatal("not read")
	}
	for _, key := range []string{"nan", "inf", "big"} {
		if v.float(key) != 0 || v.int(key) != 0 {
			t.Errorf("%s = %v, %v, want 0", key, v.float(key), v.int(key))
		}
	}
}

func TestPeekIsTheTypeOrNothing(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"message_update","x":1}`: "message_update",
		`{"type":"a`:                      "",
		`{"id":1,"type":"a"}`:             "",
		`text`:                            "",
	} {
		if got := string(peek([]byte(line))); got != want {
			t.Errorf("peek(%s) = %q, want %q", line, got, want)
		}
	}
}

func TestOneLineIsShort(t *testing.T) {
	got := oneLine(" a\n\tb  " + strings.Repeat("ü", 1000))
	if !strings.HasPrefix(got, "a b ü") || !strings.HasSuffix(got, "…") || len(got) > maxShown+len("…") || !utf8.ValidString(got) {
		t.Errorf("oneLine = %q (%d bytes)", got, len(got))
	}
}

func TestLinesThatCarryNothingCostNothing(t *testing.T) {
	line := []byte(`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":"` + strings.Repeat("x", 1000) + `"}}}`)
	d := newClaudeDecoder(Options{})
	if n := testing.AllocsPerRun(100, func() { d.Decode(line) }); n > 0 {
		t.Errorf("a partial message costs %v allocations", n)
	}
	other := []byte(`{"type":"system","subtype":"thinking_tokens","estimated_tokens":8}`)
	d.Decode(other) // the parser takes its memory once
	if n := testing.AllocsPerRun(100, func() { d.Decode(other) }); n > 0 {
		t.Errorf("an unknown event costs %v allocations", n)
	}
}

// FuzzJSON holds the fast parser against the careful one: what that takes, we
// take, and both see the same.
func FuzzJSON(f *testing.F) {
	f.Add(`{"type":"a","n":1.5e3,"list":[1,"b\u00e9\n",null,true],"deep":{"er":"\ud83d\ude42"}}`)
	f.Add(`[{"a":"\\\"/"},[],{}]`)
	f.Add(strings.Repeat("[", 400) + strings.Repeat("]", 400))
	for _, r := range recordings(f) {
		if len(r.stdout) < 2<<10 {
			for line := range strings.Lines(string(r.stdout)) {
				f.Add(line)
			}
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		var want any
		if json.Unmarshal([]byte(line), &want) != nil || !utf8.ValidString(line) {
			return
		}
		switch want.(type) {
		case map[string]any, []any:
		default:
			return
		}
		var p parser
		v, ok := p.parse([]byte(line))
		if !ok {
			t.Fatalf("refused: %q", line)
		}
		if diff := differ(v, want, maxDepth); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	})
}

// differ tells where v is not what the careful parser made of the same line.
// Keys that come twice and lone surrogates are read differently, and no agent
// writes them.
func differ(v value, want any, depth int) string {
	if depth == 0 {
		return ""
	}
	switch want := want.(type) {
	case string:
		if got := v.str(); got != text.Valid(want) && !strings.Contains(want, "\uFFFD") {
			return fmt.Sprintf("text %q, want %q", got, want)
		}
	case float64:
		if got := v.float(); got != want && want < 1<<53 && want > -1<<53 && !near(got, want) {
			return fmt.Sprintf("number %v, want %v", got, want)
		}
	case bool:
		if v.bool() != want {
			return fmt.Sprintf("truth %v, want %v", v.bool(), want)
		}
	case []any:
		list := v.list()
		if len(list) != len(want) {
			return fmt.Sprintf("%d elements, want %d", len(list), len(want))
		}
		for i := range want {
			if diff := differ(list[i], want[i], depth-1); diff != "" {
				return diff
			}
		}
	case map[string]any:
		seen := map[string]int{}
		v.each(func(key string, _ value) { seen[key]++ })
		for key, inner := range want {
			if seen[key] != 1 {
				continue
			}
			if diff := differ(v.get(key), inner, depth-1); diff != "" {
				return key + ": " + diff
			}
		}
	}
	return ""
}

// near allows for the last digit, which the fast parser may round otherwise.
func near(a, b float64) bool {
	d := a - b
	return d < 1e-9*(1+b) && d > -1e-9*(1+b) || d*d <= 1e-18*b*b
}

func BenchmarkDecodeClaude(b *testing.B)  { benchmarkDecode(b, "claude") }
func BenchmarkDecodeCodex(b *testing.B)   { benchmarkDecode(b, "codex") }
func BenchmarkDecodeCopilot(b *testing.B) { benchmarkDecode(b, "copilot") }
func BenchmarkDecodePi(b *testing.B)      { benchmarkDecode(b, "pi") }

// benchmarkDecode reads every recorded stream of an agent, as one.
func benchmarkDecode(b *testing.B, agent string) {
	var lines [][]byte
	size := 0
	for _, r := range recordings(b) {
		if r.agent == agent {
			lines = slices.AppendSeq(lines, bytes.Lines(r.stdout))
			size += len(r.stdout)
		}
	}
	d := formats[agent](Options{})
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			d.Decode(line)
		}
	}
}
