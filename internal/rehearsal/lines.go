package rehearsal

import (
	"fmt"
	"iter"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// stepLines gives the line of every step in a valid document, in its order.
// The decoder forgets where a value stood; this is the only file that uses
// the parser below it. The decoder also takes a table for a list of one, which
// here is most likely a slip.
func stepLines(b []byte) ([]int, error) {
	var p unstable.Parser
	p.Reset(b)
	var lines []int
	inIteration := false
	for p.NextExpression() {
		e := p.Expression()
		switch name := key(e); {
		case e.Kind == unstable.KeyValue && inIteration:
			lines = append(lines, linesUnder(&p, e)...)
		case e.Kind == unstable.KeyValue && name == "iteration":
			for iteration := range elements(e.Value()) {
				for pair := range elements(iteration) {
					lines = append(lines, linesUnder(&p, pair)...)
				}
			}
		case e.Kind == unstable.ArrayTable:
			inIteration = name == "iteration"
			if name == "iteration.steps" {
				lines = append(lines, line(&p, e.Child()))
			}
		case e.Kind == unstable.Table:
			if name == "iteration" || name == "iteration.steps" {
				return nil, fmt.Errorf("line %d: [%s] has one bracket: write [[%s]]", line(&p, e.Child()), name, name)
			}
			inIteration = false
		}
	}
	return lines, nil
}

// expectLines gives the line of every key of [expect], however it is written.
func expectLines(b []byte) map[string]int {
	var p unstable.Parser
	p.Reset(b)
	lines := map[string]int{}
	inExpect := false
	for p.NextExpression() {
		e := p.Expression()
		name := key(e)
		switch below, dotted := strings.CutPrefix(name, "expect."); {
		case e.Kind == unstable.Table || e.Kind == unstable.ArrayTable:
			inExpect = name == "expect"
		case inExpect:
			lines[name] = line(&p, firstKey(e))
		case dotted:
			lines[below] = line(&p, firstKey(e))
		case name == "expect":
			for pair := range elements(e.Value()) {
				lines[key(pair)] = line(&p, firstKey(pair))
			}
		}
	}
	return lines
}

// linesUnder gives the lines of the steps when pair is steps = [ … ].
func linesUnder(p *unstable.Parser, pair *unstable.Node) []int {
	if key(pair) != "steps" {
		return nil
	}
	var lines []int
	for element := range elements(pair.Value()) {
		lines = append(lines, line(p, element))
	}
	return lines
}

func line(p *unstable.Parser, n *unstable.Node) int { return p.Shape(n.Raw).Start.Line }

// key gives a dotted key in lower case: the decoder takes either.
func key(n *unstable.Node) string {
	var parts []string
	for it := n.Key(); it.Next(); {
		parts = append(parts, strings.ToLower(string(it.Node().Data)))
	}
	return strings.Join(parts, ".")
}

// firstKey is the node of the first part of a key, which knows where it stands.
func firstKey(n *unstable.Node) *unstable.Node {
	it := n.Key()
	it.Next()
	return it.Node()
}

func elements(n *unstable.Node) iter.Seq[*unstable.Node] {
	return func(yield func(*unstable.Node) bool) {
		for it := n.Children(); it.Next(); {
			if !yield(it.Node()) {
				return
			}
		}
	}
}
