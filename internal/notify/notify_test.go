package notify

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTheNamesInJSON(t *testing.T) {
	const want = `{"kind":"aborted","title":"refrain: build-7 was aborted","text":"3 failures in a row\nGrüße \u003c!channel\u003e @everyone","urgent":true,` +
		`"run":"build-7","run_id":"loop_1","procedure":"build","state":"aborted","reason":"failures","why":"3 failures in a row","proven":false,` +
		`"iterations":6,"cost_usd":1.25,"cost_estimated":true,"elapsed_ms":90000,"dir":"/src/app","at":"2026-11-15T03:04:05Z"}`
	if got, err := json.Marshal(message); err != nil || string(got) != want {
		t.Errorf("message = %s, %v, want\n%s", got, err, want)
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "plain", "a\x1b[31mb\x1b]0;c\ad", "\xff\x9b1m", "a\r\nb\tc\u2028d\u202ee", strings.Repeat("ä", 2000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, line := cleanText(s), cleanLine(s)
		if !utf8.ValidString(text) || len(text) > maxText || len(line) > maxText {
			t.Errorf("cleanText(%q) = %q", s, text)
		}
		for _, r := range text {
			if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("cleanText(%q) = %q has %U", s, text, r)
			}
		}
		if strings.Contains(line, "\n") || cleanLine(line) != line {
			t.Errorf("cleanLine(%q) = %q", s, line)
		}
	})
}
