package prompt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/refrain-loop/refrain/internal/text"
)

// A library says what is YAML and where each value stands. What the values mean
// is said here, for YAML has too many answers: 007 and 1_000 are texts to us, and
// nothing refers to anything else.

type kind int

const (
	aScalar kind = iota
	aList
	aTable
)

// node is a value and where it stands.
type node struct {
	line   int
	kind   kind
	text   string // a scalar as it is written, without its quotes
	value  any    // a scalar as it is meant
	items  []node
	fields []field
}

type field struct {
	key string
	node
}

func (n node) refuse(what, hint string) *Error { return &Error{Line: n.line, What: what, Hint: hint} }

// word takes a scalar as a text, whatever it looks like.
func (n node) word(to *string) *Error {
	if n.kind != aScalar {
		return n.refuse("this must be a text", "write it on one line, in quotes if need be")
	}
	*to = n.text
	return nil
}

// words takes a list of texts. One text alone is a list of one.
func (n node) words(to *[]string) *Error {
	if n.kind == aTable {
		return n.refuse("this must be a list of texts", "write [one, two], or a line with a dash for each")
	}
	if n.kind == aScalar && n.text != "" {
		n.items = []node{n}
	}
	for _, item := range n.items {
		*to = append(*to, item.text)
	}
	return nil
}

// plain is the value of a scalar or a list.
func (n node) plain() any {
	if n.kind == aScalar {
		return n.value
	}
	values := make([]any, len(n.items))
	for i, item := range n.items {
		values[i] = item.value
	}
	return values
}

// maxFront is how long front matter may be. The library takes long for things
// that lie deep in others (a second for this much), and an agent can write a file.
const maxFront = 16 << 10

// parseYAML reads the lines between the fences as a table. The first fence goes
// along, so the library's lines are those of the file.
func parseYAML(inside []string) (node, *Error) {
	top := node{kind: aTable, line: 2}
	text := fence + "\n" + strings.ReplaceAll(strings.Join(inside, "\n"), "\r", " ") + "\n" // to YAML a return alone ends a line
	if len(text) > maxFront {
		return top, top.refuse(fmt.Sprintf("front matter is longer than %d KB", maxFront>>10), noFence)
	}
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return top, notYAML(err, len(inside)+1)
	}
	if len(file.Docs) > 1 {
		if start := file.Docs[1].Start; start != nil { // there is none after "..."
			top.line = start.Position.Line
		}
		return top, top.refuse("a second text begins here", "keep one of them; "+noFence)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return top, nil
	}
	return nodeOf(file.Docs[0].Body)
}

// mistakes are what people get wrong, by what the library says of it.
var mistakes = []struct {
	library    string // how its message begins
	what, hint string
}{
	{"found character '\t'", "a tab cannot indent", "use spaces"},
	{"sequence end token ']' not found", "a list does not end", `close it with "]"`},
	{"',' or ']' must be specified", "a list lacks a comma, or its end", "write [one, two]"},
	{"could not find flow mapping end token '}'", "a table in braces does not end", `close it with "}"`},
	{"',' or '}' must be specified", "a table in braces lacks a comma, or its end", "write {one: 1, two: 2}"},
	{"unexpected scalar value type", "a value is missing", `write "" for an empty text`},
	{"expected sequence element", "a value is missing", `write "" for an empty text`},
	{"could not find end character of", "a text in quotes does not end", `close it; in "…" write \" for a quote, in '…' write ''`},
	{"value is not allowed in this context. map key-value is pre-defined", "%q follows a value that has ended", "put the whole text in quotes"},
	{"value is not allowed in this context", "this line is not set in as far as the one above, and no key begins here", "let it begin where the key above it begins"},
	{"non-map value is specified", "%q is not a key with a value", `write "key: value"; ` + noFence},
}

// notYAML is the library's error as one of ours.
func notYAML(err error, last int) *Error {
	ours := &Error{Line: last, What: "this cannot be read as YAML: " + err.Error(), Hint: `write "key: value", each key where the one above begins, and texts with a colon in quotes; ` + noFence}
	var syntax *yaml.SyntaxError
	if !errors.As(err, &syntax) {
		return ours
	}
	at := syntax.Token
	ours.Line, ours.What = min(at.Position.Line, last), "this cannot be read as YAML: "+syntax.Message
	if strings.HasPrefix(syntax.Message, "mapping value is not allowed") {
		return colon(at, last)
	}
	for _, m := range mistakes {
		if strings.HasPrefix(syntax.Message, m.library) {
			ours.What, ours.Hint = strings.ReplaceAll(m.what, "%q", strconv.Quote(Preview(written(at), 40))), m.hint
			break
		}
	}
	return ours
}

// colon is a key in what has begun as a text: on the same line the text lacks
// quotes, on a later one the key stands too far to the right.
func colon(text *token.Token, last int) *Error {
	lines := strings.Count(strings.TrimSpace(text.Origin), "\n")
	at := node{line: min(text.Position.Line+lines, last)}
	if lines == 0 {
		return at.refuse("a colon in a text without quotes could be a key", "put the text in quotes")
	}
	return at.refuse("this line is set in too far", "let it begin where the key above it begins; a text that goes on and has a colon needs quotes")
}

func nodeOf(from ast.Node) (node, *Error) {
	n := node{line: from.GetToken().Position.Line}
	if text := written(from.GetToken()); text != from.GetToken().Value {
		n.text, n.value = text, text
		return n, nil
	}
	switch from := from.(type) {
	case *ast.MappingNode:
		return n.table(from)
	case *ast.SequenceNode:
		return n.list(from)
	case *ast.StringNode: // quoted or not, it is nothing else
		n.text, n.value = from.Value, from.Value
	case *ast.LiteralNode: // a block of lines
		n.text, n.value = from.Value.Value, from.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		n.text = from.GetToken().Value
		n.value = meaning(n.text)
	case *ast.NullNode:
		if t := from.GetToken(); t.Type != token.ImplicitNullType {
			return n, n.refuse(t.Value+" is no value", `write "" for an empty text, or put it in quotes`)
		}
		n.value = ""
	default: // an anchor, an alias, a tag, a merge
		return n, n.refuse(fmt.Sprintf("a value that begins with %q is not read here", from.GetToken().Value), "write it out, in quotes if need be")
	}
	return n, nil
}

// written is a token as it stands in the file. The library leaves out the tabs
// between the words of a text without quotes, so such a text is made anew: its
// lines are put together as YAML does it.
func written(t *token.Token) string {
	text := strings.TrimSpace(t.Origin)
	if t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType || !strings.Contains(text, "\t") {
		return t.Value
	}
	var all strings.Builder
	blank := 0
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			blank++
			continue
		case blank > 0:
			all.WriteString(strings.Repeat("\n", blank))
		case i > 0:
			all.WriteByte(' ')
		}
		all.WriteString(line)
		blank = 0
	}
	return all.String()
}

var isKey = text.NewPattern(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

func (n node) table(from *ast.MappingNode) (node, *Error) {
	n.kind = aTable
	seen := map[string]int{}
	for _, pair := range from.Values {
		key := pair.Key.GetToken()
		at := node{line: key.Position.Line}
		if name := written(key); !isKey().MatchString(name) {
			return n, at.refuse(fmt.Sprintf("%q is not a key", Preview(name, 40)), `write "key: value"; `+noFence)
		}
		if before, twice := seen[key.Value]; twice {
			return n, at.refuse(fmt.Sprintf("%q stands here a second time, after line %d", key.Value, before), "keep one of them")
		}
		seen[key.Value] = at.line
		value, err := nodeOf(pair.Value)
		if err != nil {
			return n, err
		}
		n.fields = append(n.fields, field{key.Value, value})
	}
	return n, nil
}

func (n node) list(from *ast.SequenceNode) (node, *Error) {
	n.kind = aList
	for _, one := range from.Values {
		item, err := nodeOf(one)
		if err != nil {
			return n, err
		}
		if item.kind != aScalar || one.Type() == ast.NullType {
			return n, item.refuse("an item of this list is not a text", "write [one, two], or a line with a dash for each")
		}
		n.items = append(n.items, item)
	}
	return n, nil
}

var (
	isBool = map[string]bool{"true": true, "True": true, "TRUE": true, "false": false, "False": false, "FALSE": false}

	isInt   = text.NewPattern(`^-?(0|[1-9][0-9]{0,17})$`)
	isFloat = text.NewPattern(`^-?(0|[1-9][0-9]{0,17})\.[0-9]{1,18}$`)
)

// meaning is what a text without quotes stands for. Numbers are those that can
// be read in one way only: 007 and 1_000 are texts.
func meaning(text string) any {
	if value, ok := isBool[text]; ok {
		return value
	}
	if isInt().MatchString(text) {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	if isFloat().MatchString(text) {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	}
	return text
}
