// Package redact keeps secrets out of what a run tells. It is given values that
// nobody should read, and puts the name of each in its place.
//
// A value is found as it is, and as JSON, URLs and base64 write it. What is left
// of a text is left as it was. Which values are secrets is told in secrets.go:
// redaction must not tear ordinary text apart, so what anybody may write, such as
// a word, a number or a path, is none.
//
// A nil Redactor hides nothing and costs nothing.
package redact

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode"

	"github.com/refrain-loop/refrain/internal/text"
)

// Redactor puts names in the place of secrets.
type Redactor struct{ find *finder }

// New makes a redactor; nil when there is nothing to hide. What is to be kept is
// never torn apart: no value counts that is in such a text, or has it in it.
func New(secrets []Secret, keep ...string) *Redactor {
	var list []pattern
	for _, s := range secrets {
		if len(s.Value) < minValue || collides(s.Value, keep) {
			continue
		}
		for _, form := range forms(s.Value) {
			list = append(list, pattern{text: form, mask: mask(s.Name)})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &Redactor{newFinder(list)}
}

func collides(value string, keep []string) bool {
	for _, text := range keep {
		if text != "" && (strings.Contains(text, value) || strings.Contains(value, text)) {
			return true
		}
	}
	return false
}

// bareMask is for a value whose name must not be told either.
const bareMask = "***"

// mask stands for a value. It is the same in JSON, in HTML and in a shell's
// quotes.
func mask(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("_.-", r) || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, name)
	return bareMask + name + bareMask
}

// Text is a text without secrets.
func (r *Redactor) Text(s string) string {
	if r == nil {
		return s
	}
	s = r.uncovered(s)
	found := spans(r.find, s, 0)
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(s[at:f.start])
		b.WriteString(f.mask)
		at = f.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// uncovered is a text without colours and marks, if there is a secret under them:
// whoever reads a text takes them out, and then it would stand there. Any other
// text is as it was.
func (r *Redactor) uncovered(s string) string {
	if !strings.ContainsFunc(s, func(c rune) bool {
		return c == 0x1b || c > 0x7f && (unicode.Is(unicode.Cf, c) || unicode.IsControl(c)) || c < ' ' && c != '\n' && c != '\t' && c != '\r'
	}) {
		return s
	}
	clean := text.Clean(text.StripEscapes(s))
	clean = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, clean)
	if len(spans(r.find, clean, 0)) > len(spans(r.find, s, 0)) {
		return clean
	}
	return s
}

// Line is a line without secrets: the same line when there are none in it. What
// was JSON is JSON after it, so that a reader of an agent's events misses none.
func (r *Redactor) Line(line []byte) []byte {
	if r == nil {
		return line
	}
	if clean := r.uncovered(string(line)); len(clean) != len(line) {
		line = []byte(clean)
	}
	found := spans(r.find, line, 0)
	if len(found) == 0 {
		return line
	}
	clean := replace(line, found)
	if !isJSON(line) || json.Valid(clean) {
		return clean
	}
	// A secret that has quotes in it took some of the line's own along.
	var v any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return clean
	}
	if again, err := json.Marshal(In(r, v)); err == nil {
		return again
	}
	return clean
}

func isJSON(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && (line[0] == '{' || line[0] == '[') && json.Valid(line)
}

func replace(data []byte, found []span) []byte {
	out := make([]byte, 0, len(data))
	at := 0
	for _, f := range found {
		out = append(append(out, data[at:f.start]...), f.mask...)
		at = f.end
	}
	return append(out, data[at:]...)
}

// Writer gives what is written to it to another writer, without secrets, however
// it is cut into pieces. It holds back what may be the beginning of one: who is
// done with it closes it. Without secrets it passes everything on as it comes.
func (r *Redactor) Writer(to io.Writer) io.WriteCloser {
	if r == nil {
		return straight{to}
	}
	return &stream{find: r.find, to: to}
}

type straight struct{ io.Writer }

func (straight) Close() error { return nil }

type stream struct {
	find    *finder
	to      io.Writer
	held    []byte // what may be the beginning of a secret
	covered int    // how much of it belongs to one whose name was written already
}

func (s *stream) Write(p []byte) (int, error) {
	data := p
	if len(s.held) > 0 {
		data = append(s.held, p...)
	}
	if err := s.pass(data, s.find.open(data)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what was held back. It does not close the other writer.
func (s *stream) Close() error { return s.pass(s.held, len(s.held)) }

// pass writes data up to a place before which nothing can begin that is not seen
// yet, and holds back the rest.
func (s *stream) pass(data []byte, until int) error {
	found := spans(s.find, data, s.covered)
	out, at, covered := data[:0:0], 0, 0
	for _, f := range found {
		if f.start >= until && f.mask != "" {
			break
		}
		out = append(append(out, data[at:min(f.start, until)]...), f.mask...)
		if at = f.end; at > until {
			covered = at - until
			break
		}
	}
	switch {
	case at == 0: // nothing is hidden, and nothing need be copied
		out = data[:until]
	case at < until:
		out = append(out, data[at:until]...)
	}
	s.held, s.covered = append([]byte(nil), data[until:]...), covered
	if len(out) == 0 {
		return nil
	}
	_, err := s.to.Write(out)
	return err
}
