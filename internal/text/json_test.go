package text

import (
	"encoding/json"
	"testing"
)

func TestPlainJSON(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"JSON stays", `{"a": [1, "x // y", "/* , ] */"]}`, `{"a": [1, "x // y", "/* , ] */"]}`},
		{"a comment to the end of the line", "{} // x\n", "{}     \n"},
		{"a comment of several lines", "[1,/* \n */2]", "[1,   \n   2]"},
		{"a comment does not end with the sign it begins with", "/*/ */1", "      1"},
		{"a comma after the last", `{"a": [1,2, ],}`, `{"a": [1,2  ] }`},
		{"a comma before a comment and the end", "[1, // x\n]", "[1      \n]"},
		{"a quote in a string", `["\",]", 1]`, `["\",]", 1]`},
		{"a string that does not end", `["a`, `["a`},
		{"a comment that does not end", "1/*", "1  "},
		{"a slash alone", "1/", "1/"},
	} {
		if got := string(PlainJSON([]byte(tt.in))); got != tt.want {
			t.Errorf("%s: PlainJSON(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func FuzzPlainJSON(f *testing.F) {
	for _, text := range []string{`{"a": "\\"}`, "[1,]", "/**/", "//", `"\`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := PlainJSON(text)
		if len(got) != len(text) {
			t.Fatalf("%d bytes became %d", len(text), len(got))
		}
		if json.Valid(text) && string(got) != string(text) {
			t.Fatalf("JSON was changed: %q became %q", text, got)
		}
	})
}
