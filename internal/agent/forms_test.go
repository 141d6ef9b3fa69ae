package agent

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// forms are other ways to put down the same stream. What is made of it stays the same.
var forms = map[string]func(r *recording){
	"keys in another order": func(r *recording) { r.stdout = eachObject(r.stdout, sorted) },
	"spaces between values": func(r *recording) { r.stdout = eachObject(r.stdout, spaced) },
	"lines as on Windows": func(r *recording) {
		r.stdout, r.stderr, r.diary = windows(r.stdout), windows(r.stderr), windows(r.diary)
	},
	"events of a later version between": func(r *recording) {
		if r.agent == "crush" {
			return // it prints text
		}
		var out []byte
		for line := range bytes.Lines(r.stdout) {
			if !bytes.HasSuffix(line, []byte("\n")) {
				out = append(out, line...) // it was cut
				break
			}
			out = append(append(out, line...), `{"type":"news.of.tomorrow","role":"nobody","data":{"a":[1,null]}}`+"\n"...)
		}
		r.stdout = out
	},
	"indented": func(r *recording) {
		first, rest, _ := bytes.Cut(r.stdout, []byte("\n")) // the session is named before its files are read
		if bytes.HasPrefix(first, []byte("[")) {
			r.stdout = indented(first)
			return
		}
		r.stdout = slices.Concat(first, []byte("\n"), eachObject(rest, indented))
	},
	"with a mark of its letters before": func(r *recording) {
		if bytes.HasPrefix(r.stdout, []byte("{")) {
			r.stdout = append([]byte("\ufeff"), r.stdout...)
		}
	},
	"with colours": func(r *recording) {
		r.stdout = eachObject(r.stdout, func(line []byte) []byte { return append([]byte("\x1b[0m"), line...) })
	},
	"without the last newline": func(r *recording) {
		r.stdout, r.stderr = bytes.TrimSuffix(r.stdout, []byte("\n")), bytes.TrimSuffix(r.stderr, []byte("\n"))
	},
}

func TestTheFormOfAStreamDoesNotMatter(t *testing.T) {
	for _, r := range recordings(t) {
		want := row(r)
		for name, form := range forms {
			other := r
			other.stdout = slices.Clone(r.stdout)
			form(&other)
			if diff := cmp.Diff(want, row(other)); diff != "" {
				t.Errorf("%s, %s:\n%s", r.name, name, diff)
			}
		}
	}
}

// eachObject writes each line that is one JSON value anew.
func eachObject(stdout []byte, write func(line []byte) []byte) []byte {
	var out []byte
	for line := range bytes.Lines(stdout) {
		if body := bytes.TrimSuffix(line, []byte("\n")); json.Valid(body) && bytes.HasPrefix(body, []byte("{")) {
			line = append(write(body), '\n')
		}
		out = append(out, line...)
	}
	return out
}

// sorted has the keys in the order of the alphabet, and other letters escaped.
func sorted(line []byte) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return line
	}
	out, _ := json.Marshal(v) // it has just been read
	return out
}

// spaced has a space behind each colon and comma.
func spaced(line []byte) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, line, "", ""); err != nil {
		return line
	}
	return []byte(strings.ReplaceAll(out.String(), "\n", " "))
}

func indented(line []byte) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, line, "", "  "); err != nil {
		return line
	}
	return out.Bytes()
}

func windows(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }

// What fails still fails when a version leaves a field out that it had.
func TestNoMissingFieldMakesASuccess(t *testing.T) {
	for _, r := range recordings(t) {
		lines := slices.Collect(bytes.Lines(r.stdout))
		if len(r.stdout) > 8<<10 || resultOf(r).OK {
			continue
		}
		for i, line := range lines {
			var object map[string]any
			if json.Unmarshal(line, &object) != nil || object["type"] == "run_aborted" { // which is all that cline says of it
				continue
			}
			without(object, func(field string) {
				text, _ := json.Marshal(object) // it has just been read
				other := r
				other.stdout = slices.Concat(slices.Concat(lines[:i]...), text, []byte("\n"), slices.Concat(lines[i+1:]...))
				if resultOf(other).OK {
					t.Errorf("%s without %s in line %d is a success", r.name, field, i+1)
				}
			})
		}
	}
}

func resultOf(r recording) *loop.AgentResult {
	all := r.decode()
	return all[len(all)-1].(*loop.AgentResult)
}

// without takes each field of an object away in turn, and each of the objects in it.
func without(object map[string]any, visit func(field string)) {
	for field, value := range object {
		delete(object, field)
		visit(field)
		object[field] = value
		if inner, ok := value.(map[string]any); ok {
			without(inner, func(deeper string) { visit(field + "." + deeper) })
		}
	}
}
