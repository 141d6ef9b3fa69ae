package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"
)

const key = "sk-live-4f9A82cc1d0E77"

func hiding(values ...string) *Redactor {
	names := []string{"A_KEY", "B_TOKEN", "C_SECRET", "D_KEY"}
	var list []Secret
	for i, v := range values {
		list = append(list, Secret{names[i%len(names)], v})
	}
	return New(list)
}

func TestWhatIsHidden(t *testing.T) {
	quoted := `pass"word\with<all>&more 1`
	asJSON, err := json.Marshal(quoted)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name     string
		values   []string
		in, want string
	}{
		{"a value", []string{key}, "the key is " + key + ".", "the key is ***A_KEY***."},
		{"each time", []string{key}, key + key, "***A_KEY******A_KEY***"},
		{"nothing else", []string{key}, "sk-live-4f9A82cc1d0E7", "sk-live-4f9A82cc1d0E7"},
		{"of two that begin alike the longer", []string{key, key + "-2"}, key + "-2", "***B_TOKEN***"},
		{"the shorter where the longer is not", []string{key, key + "-2"}, key + "-3", "***A_KEY***-3"},
		{"of two that overlap no piece is left", []string{"abcdefgh12", "gh12ijklmn"}, "<abcdefgh12ijklmn>", "<***A_KEY***>"},
		{"one inside another", []string{"2345678x", "12345678x9"}, "12345678x9", "***B_TOKEN***"},
		{"as JSON writes it", []string{quoted}, `{"text":` + string(asJSON) + `}`, `{"text":"***A_KEY***"}`},
		{"as a URL writes it", []string{quoted}, "?k=" + url.QueryEscape(quoted) + "&x", "?k=***A_KEY***&x"},
		{"a key of several lines, line by line", []string{"-----BEGIN KEY-----\nMIIEvQIBADANBgkq0001\nhkiG9w0BAQEFAASC0002\n-----END KEY-----"}, "1: MIIEvQIBADANBgkq0001\n2: hkiG9w0BAQEFAASC0002", "1: ***A_KEY***\n2: ***A_KEY***"},
		{"too short", []string{"1x34567"}, "1x34567", "1x34567"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := hiding(tt.values...).Text(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBase64BehindAnything(t *testing.T) {
	r := hiding(key)
	for _, before := range []string{"", "u", "me", "bot", "user:"} {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
			text := e.EncodeToString([]byte(before + key + "!"))
			if got := r.Text("Basic " + text); !strings.Contains(got, "***A_KEY***") {
				t.Errorf("%s%s as base64 is left: %s", before, key, got)
			}
		}
	}
}

func TestALineOfJSONStaysOne(t *testing.T) {
	account := `{"type":"service","private_key":"x"}`
	r := hiding(account)
	line := `{"tool":{"input":` + account + `},"cost":1.50,"said":"` + strings.ReplaceAll(account, `"`, `\"`) + `"}`
	got := r.Line([]byte(line))
	if !json.Valid(got) || strings.Contains(string(got), `private_key\"`) {
		t.Errorf("got %s", got)
	}
	if plain := []byte(`{"a":1}`); &r.Line(plain)[0] != &plain[0] {
		t.Error("a line without secrets was copied")
	}
}

func TestNoSecretsAreNoRedactor(t *testing.T) {
	if New(nil) != nil || New([]Secret{{"X", "short"}}) != nil {
		t.Error("there is a redactor, and nothing to hide")
	}
	var r *Redactor
	var b bytes.Buffer
	w := r.Writer(&b)
	if _, err := io.WriteString(w, "as it was"); err != nil || b.String() != "as it was" || w.Close() != nil {
		t.Errorf("got %q, %v", b.String(), err)
	}
	if r.Text("x") != "x" || string(r.Line([]byte("y"))) != "y" || In(r, "z") != "z" {
		t.Error("no redactor changed something")
	}
}

func TestWhatIsKept(t *testing.T) {
	if r := New([]Secret{{"A_KEY", "DONE-1234567"}}, "<promise>DONE-1234567</promise>"); r != nil {
		t.Error("the promise would not be heard")
	}
	if r := New([]Secret{{"A_KEY", "xDONE-1234567x"}}, "DONE-1234567"); r != nil {
		t.Error("a part of the text would not be kept")
	}
}

func TestANameThatTellsASecret(t *testing.T) {
	r := New([]Secret{{"HUNTER2000_KEY", "HUNTER2000"}})
	if got := r.Text("x HUNTER2000 y"); got != "x *** y" {
		t.Errorf("got %q", got)
	}
}

type inner struct {
	Text  string
	ID    string `redact:"-"`
	Names []string
}

type word string

type outer struct {
	Said  string
	Kind  word
	Inner *inner
	List  []inner
	Any   any
	Map   map[string]string
	When  time.Time
	Raw   []byte
}

func TestDeepInside(t *testing.T) {
	r := hiding(key)
	at := time.Now()
	v := &outer{
		Said: "x " + key, Kind: word(key), Inner: &inner{Text: key, ID: key, Names: []string{"a", key}}, List: []inner{{Text: "ok"}, {Text: key}},
		Any: map[string]any{"k": []any{key}}, Map: map[string]string{key: key}, When: at,
	}
	before := *v
	got := In(r, v)
	if got == v || v.Said != before.Said || v.Inner.Names[1] != key {
		t.Fatal("the value itself was changed")
	}
	const hidden = "***A_KEY***"
	if got.Said != "x "+hidden || got.Inner.Text != hidden || got.Inner.Names[1] != hidden || got.List[1].Text != hidden || got.List[0].Text != "ok" ||
		got.Any.(map[string]any)["k"].([]any)[0] != hidden || got.Map[hidden] != hidden || !got.When.Equal(at) {
		t.Errorf("got %+v, %+v", got, got.Inner)
	}
	if got.Kind != word(key) || got.Inner.ID != key {
		t.Error("what something is known by was hidden")
	}
	if same := In(r, &before.List[0]); same != &before.List[0] {
		t.Error("a value without secrets was copied")
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("abcdefgh12", "gh12ijklmn", "abcdefgh12ijklmn", uint64(1))
	f.Add("aaaaaaaa", "aaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", uint64(2))
	f.Add("one\ntwo3", "tw\"o three", "x one\ntwo3 tw\"o three tw\\\"o three", uint64(3))
	f.Fuzz(func(t *testing.T, one, two, text string, seed uint64) {
		if strings.Contains(one+two, "*") {
			t.Skip("a value with a * in it may come up where a mask ends")
		}
		r := New([]Secret{{"A_KEY", one}, {"B_KEY", two}})
		dice := rand.New(rand.NewPCG(seed, seed))
		// Texts that have the values in them, in every way.
		pieces := []string{text, one, two, one, two}
		if one != "" && two != "" {
			pieces = append(pieces, one[:dice.IntN(len(one))], two[dice.IntN(len(two)):])
		}
		whole := ""
		for range dice.IntN(12) {
			whole += pieces[dice.IntN(len(pieces))]
		}
		got := r.Text(whole)
		for _, value := range []string{one, two} {
			if len(value) >= minValue && strings.Contains(got, value) {
				t.Fatalf("%q is left in %q, made from %q", value, got, whole)
			}
		}
		if r != nil && got != slowly(r.find, whole) {
			t.Fatalf("got %q, want %q, from %q", got, slowly(r.find, whole), whole)
		}
		if line := r.Line([]byte(whole)); !json.Valid([]byte(whole)) && string(line) != got {
			t.Fatalf("as a line %q, as text %q", line, got)
		}
		for _, cut := range []func() int{func() int { return 1 }, func() int { return 1 + dice.IntN(9) }} {
			var b bytes.Buffer
			w := r.Writer(&b)
			for rest := whole; rest != ""; {
				n := min(cut(), len(rest))
				if _, err := io.WriteString(w, rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := w.Close(); err != nil || b.String() != got {
				t.Fatalf("in pieces %q, in one %q, of %q", b.String(), got, whole)
			}
		}
	})
}

// slowly hides what a look at every byte finds: the same as the fast way.
func slowly(f *finder, text string) string {
	out, end := "", 0
	for i := range len(text) {
		longest := pattern{}
		for _, p := range f.patterns {
			if strings.HasPrefix(text[i:], p.text) && len(p.text) > len(longest.text) {
				longest = p
			}
		}
		if longest.text != "" {
			if i >= end {
				out += longest.mask
			}
			end = max(end, i+len(longest.text))
		}
		if i >= end {
			out += text[i : i+1]
		}
	}
	return out
}

func TestAFailingWriterIsTold(t *testing.T) {
	w := hiding(key).Writer(failing{})
	if _, err := io.WriteString(w, "abc"); err == nil {
		t.Error("no error")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Who reads a text takes colours and marks out of it, so what is under them counts.
func TestWhatIsUnderColours(t *testing.T) {
	r := New([]Secret{{"THE_TOKEN", "ghp_Zx81kQw93Lm"}})
	for text, want := range map[string]string{
		"found \x1b[01;31m\x1b[Kghp_\x1b[m\x1b[KZx81kQw93Lm": "found ***THE_TOKEN***",
		"ghp_\u202eZx81kQw93Lm":                              "***THE_TOKEN***",
		"ghp_\u200bZx81kQw93Lm":                              "***THE_TOKEN***",
		"\x1b[31mred\x1b[m":                                  "\x1b[31mred\x1b[m", // as it was
		"\x1b[31mghp_Zx81kQw93Lm\x1b[m":                      "\x1b[31m***THE_TOKEN***\x1b[m",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
		if got := string(r.Line([]byte(text))); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
	}
}
