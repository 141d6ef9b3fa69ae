package migrate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/refrain-loop/refrain/internal/setting"
)

// maxYAML and maxDeep bound what the library is given: it takes long for things
// that lie deep in others. maxValues bounds what aliases may make of it.
const (
	maxYAML   = 128 << 10
	maxDeep   = 64
	maxValues = 50_000
)

// readYAML reads the first document of a file. The library takes it apart; what
// anchors, aliases and merges mean is put together here, since the library refuses
// a merge of which a key is said anew.
func readYAML(file string, text []byte) (d document, err error) {
	if len(text) > maxYAML {
		return d, &Error{file, 0, fmt.Sprintf("it is larger than %d KB", maxYAML>>10)}
	}
	for i, line := range strings.Split(string(text), "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " -\t"))
		if indent > maxDeep || strings.Count(line, "[")+strings.Count(line, "{") > maxDeep || strings.Count(line, ": ") > maxDeep {
			return d, &Error{file, i + 1, "this lies too deep in other things"}
		}
	}
	defer func() { // a text that the library did not expect is a mistake in the file, and no reason to crash
		if p := recover(); p != nil {
			d, err = document{}, &Error{file, 0, "this cannot be read as YAML"}
		}
	}()
	parsed, err := parser.ParseBytes(text, 0)
	var theirs yaml.Error
	switch {
	case errors.As(err, &theirs):
		line := 0
		if at := theirs.GetToken(); at != nil && at.Position != nil {
			line = at.Position.Line
		}
		return d, &Error{file, line, "this cannot be read as YAML: " + firstLine(theirs.GetMessage())}
	case err != nil:
		return d, &Error{file, 0, "this cannot be read as YAML: " + firstLine(err.Error())}
	}
	r := yamlReader{file: file, anchors: map[string]ast.Node{}, lines: map[string]int{}, opened: map[string]bool{}, said: map[string]string{}, again: map[string]bool{}}
	var whole any
	for _, doc := range parsed.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if whole != nil {
			d.more = append(d.more, fmt.Sprintf("what begins on line %d is another document, and not read", lineOf(doc.Body)))
			continue
		}
		if whole, err = r.value(nil, doc.Body); err != nil {
			return document{}, err
		}
	}
	table, isTable := whole.(map[string]any)
	if whole != nil && !isTable {
		return document{}, &Error{file, 0, "it must be a table of keys and values"}
	}
	d.file, d.values, d.loose = file, table, true
	d.line = func(path []string) int { return r.lines[setting.JoinKey(path)] }
	d.used = func(path []string) bool { return r.again[setting.JoinKey(path)] }
	return d, nil
}

// yamlReader puts the parts of a document together.
type yamlReader struct {
	file    string
	anchors map[string]ast.Node
	said    map[string]string // the path at which an anchor stands
	again   map[string]bool   // the paths whose anchors something else refers to
	opened  map[string]bool   // the anchors that are being put together
	lines   map[string]int    // by path
	count   int
}

func (r *yamlReader) wrong(n ast.Node, what string) error {
	return &Error{r.file, lineOf(n), what}
}

// value is what a node says.
func (r *yamlReader) value(path []string, n ast.Node) (any, error) {
	if r.count++; r.count > maxValues || len(path) > maxDeep {
		return nil, r.wrong(n, "this says too much")
	}
	if key := setting.JoinKey(path); r.lines[key] == 0 {
		r.lines[key] = lineOf(n)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.table(path, n.Values)
	case *ast.MappingValueNode:
		return r.table(path, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		list := []any{}
		for i, item := range n.Values {
			v, err := r.value(below(path, strconv.Itoa(i)), item)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case *ast.AnchorNode:
		name := n.Name.GetToken().Value
		if r.anchors[name] != n.Value { // it may come again by way of an alias
			r.anchors[name], r.said[name] = n.Value, setting.JoinKey(path)
		}
		r.opened[name] = true
		defer delete(r.opened, name)
		return r.value(path, n.Value)
	case *ast.AliasNode:
		to, name, err := r.aliased(n)
		if err != nil {
			return nil, err
		}
		r.opened[name] = true
		defer delete(r.opened, name)
		return r.value(path, to)
	case *ast.TagNode:
		if n.Start.Value == "!!str" && n.Value != nil {
			if s, ok := n.Value.(ast.ScalarNode); ok && n.Value.Type() != ast.LiteralType {
				return s.GetToken().Value, nil
			}
		}
		return r.value(path, n.Value)
	case *ast.MappingKeyNode:
		return r.value(path, n.Value)
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.NullNode:
		return nil, nil
	case ast.ScalarNode:
		return n.GetValue(), nil
	case nil:
		return nil, nil
	}
	return nil, r.wrong(n, "this cannot be read as YAML")
}

// aliased is what an alias stands for.
func (r *yamlReader) aliased(n *ast.AliasNode) (to ast.Node, name string, err error) {
	name = n.Value.GetToken().Value
	to, known := r.anchors[name]
	switch {
	case !known:
		return nil, "", r.wrong(n, "no anchor before this is called "+strconv.Quote(name))
	case r.opened[name]:
		return nil, "", r.wrong(n, "this is a part of itself")
	}
	r.again[r.said[name]] = true
	return to, name, nil
}

// table is a mapping. What it says itself is above what it merges, wherever that
// stands; of several that are merged, the first is above the others.
func (r *yamlReader) table(path []string, pairs []*ast.MappingValueNode) (map[string]any, error) {
	own, merged := map[string]any{}, map[string]any{}
	for _, pair := range pairs {
		if pair.Key.IsMergeKey() {
			more, err := r.merge(path, pair.Value)
			if err != nil {
				return nil, err
			}
			for key, v := range more {
				if _, there := merged[key]; !there {
					merged[key] = v
				}
			}
			continue
		}
		key, err := r.key(pair.Key)
		if err != nil {
			return nil, err
		}
		if _, twice := own[key]; twice {
			return nil, r.wrong(pair.Key, fmt.Sprintf("%s comes twice", strconv.Quote(key)))
		}
		at := below(path, key)
		r.lines[setting.JoinKey(at)] = lineOf(pair.Key)
		if own[key], err = r.value(at, pair.Value); err != nil {
			return nil, err
		}
	}
	for key, v := range own {
		merged[key] = v
	}
	return merged, nil
}

// key is the name of a key.
func (r *yamlReader) key(n ast.MapKeyNode) (string, error) {
	v, err := r.value(nil, n)
	if err != nil {
		return "", err
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case bool, int64, uint64, float64:
		return n.GetToken().Value, nil
	}
	return "", r.wrong(n, "a key is a word")
}

// merge is the keys of a table, or of several, that another one takes over.
func (r *yamlReader) merge(path []string, n ast.Node) (map[string]any, error) {
	v, err := r.value(path, n)
	if err != nil {
		return nil, err
	}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	merged := map[string]any{}
	for _, one := range list {
		table, ok := one.(map[string]any)
		if !ok {
			return nil, r.wrong(n, "only a table can be merged")
		}
		for key, v := range table {
			if _, there := merged[key]; !there {
				merged[key] = v
			}
		}
	}
	return merged, nil
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
