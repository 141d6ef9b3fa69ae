package prompt

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// roundName is the function that every loop of a template calls.
const roundName = "round"

// check looks through a whole template, for what is wrong in a branch that is
// not taken today should not be found out at night. It also makes loops call
// round.
func check(tmpl *template.Template, text string, v variables) *Error {
	for _, other := range tmpl.Templates() {
		if other.Name() != templateName {
			at := 1 + strings.Count(text[:int(other.Root.Position())], "\n")
			return &Error{Line: at, What: "define and block are not used here", Hint: "put the text into a file of its own, and include it"}
		}
	}
	c := checker{text: text, variables: v, tree: tmpl.Tree}
	return c.node(tmpl.Root, true)
}

type checker struct {
	text      string
	variables variables
	tree      *parse.Tree
}

func (c checker) refuse(n parse.Node, what, hint string) *Error {
	return &Error{Line: 1 + strings.Count(c.text[:int(n.Position())], "\n"), What: what, Hint: hint}
}

// node checks a node and all below it. At the top, a dot is what was there when
// the template began.
func (c checker) node(n parse.Node, top bool) *Error {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil { // there is no else
			return nil
		}
		return each(n.Nodes, func(n parse.Node) *Error { return c.node(n, top) })
	case *parse.ActionNode:
		return c.node(n.Pipe, top)
	case *parse.IfNode:
		return c.branch(n.BranchNode, top, top)
	case *parse.WithNode:
		return c.branch(n.BranchNode, top, false)
	case *parse.RangeNode:
		n.List.Nodes = slices.Insert(n.List.Nodes, 0, c.call(roundName, n.Pos))
		return c.branch(n.BranchNode, top, false)
	case *parse.PipeNode:
		return each(n.Cmds, func(n *parse.CommandNode) *Error { return c.node(n, top) })
	case *parse.CommandNode:
		return each(n.Args, func(n parse.Node) *Error { return c.node(n, top) })
	case *parse.ChainNode:
		return c.node(n.Node, top)
	case *parse.FieldNode:
		if top {
			return c.name(n, n.Ident)
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" {
			return c.name(n, n.Ident[1:])
		}
	case *parse.TemplateNode:
		return c.refuse(n, "template is not used here", "put the text into a file of its own, and include it")
	}
	return nil
}

// branch checks an if, with or range: its condition, its body, and its else.
func (c checker) branch(n parse.BranchNode, top, inside bool) *Error {
	if err := c.node(n.Pipe, top); err != nil {
		return err
	}
	if err := c.node(n.List, inside); err != nil {
		return err
	}
	return c.node(n.ElseList, top)
}

func each[N parse.Node](nodes []N, check func(N) *Error) *Error {
	for _, n := range nodes {
		if err := check(n); err != nil {
			return err
		}
	}
	return nil
}

// name checks that there is such a variable.
func (c checker) name(n parse.Node, words []string) *Error {
	known, ok := c.variables.lookup(words)
	if ok {
		return nil
	}
	there := "there are: " + list(known)
	if len(known) == 0 {
		there = "there are none of these"
	}
	return c.refuse(n, fmt.Sprintf("no variable %q; %s", strings.Join(words, "."), there),
		`variables of your own are .Vars.NAME, with a default in the front matter; `+notOurs)
}

// call is the node of {{name}}.
func (c checker) call(name string, at parse.Pos) parse.Node {
	word := parse.NewIdentifier(name).SetPos(at).SetTree(c.tree)
	command := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: []parse.Node{word}}
	pipe := &parse.PipeNode{NodeType: parse.NodePipe, Pos: at, Cmds: []*parse.CommandNode{command}}
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: at, Pipe: pipe}
}
