package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// command is a {{run}} or {{runIf}} as written, and where it stands.
type command struct {
	text  string
	at    parse.Pos
	fixed bool // its line is a text, and nothing is put into it
	loose bool // words of files, or of whoever names a branch, may be put into it
}

// commands gives every command of a template.
func commands(tmpl *template.Template) []command {
	var list []command
	var look func(n parse.Node)
	branch := func(b parse.BranchNode) {
		look(b.Pipe)
		look(b.List)
		if b.ElseList != nil {
			look(b.ElseList)
		}
	}
	look = func(n parse.Node) {
		switch n := n.(type) {
		case *parse.ListNode:
			for _, one := range n.Nodes {
				look(one)
			}
		case *parse.ActionNode:
			look(n.Pipe)
		case *parse.IfNode:
			branch(n.BranchNode)
		case *parse.WithNode:
			branch(n.BranchNode)
		case *parse.RangeNode:
			branch(n.BranchNode)
		case *parse.PipeNode:
			for i, one := range n.Cmds {
				if word, ok := one.Args[0].(*parse.IdentifierNode); ok && (word.Ident == "run" || word.Ident == "runIf") {
					whole := &parse.PipeNode{NodeType: parse.NodePipe, Cmds: n.Cmds[:i+1]}
					list = append(list, command{whole.String(), one.Position(), i == 0 && isText(one.Args), isLoose(whole, false)})
				}
				look(one)
			}
		case *parse.ChainNode:
			look(n.Node)
		case *parse.CommandNode:
			for _, one := range n.Args {
				look(one)
			}
		}
	}
	look(tmpl.Root)
	if !slices.ContainsFunc(list, func(c command) bool { return !c.fixed }) {
		return list
	}
	if isLoose(tmpl.Root, true) { // then a variable may hold anything
		for i := range list {
			list[i].loose = list[i].loose || !list[i].fixed && strings.ContainsAny(list[i].text, "$.")
		}
	}
	return list
}

// ofOthers are the variables that hold words of agents, and of whoever names a
// branch.
var ofOthers = []string{"Branch", "Context", "Feedback", "Last"}

// isLoose tells whether a node takes words from where others write them: files, and
// what agents said. Kept: only where they are kept for later, in a variable
// or as the dot.
func isLoose(n parse.Node, kept bool) bool {
	any := func(nodes ...parse.Node) bool {
		return slices.ContainsFunc(nodes, func(n parse.Node) bool { return n != nil && isLoose(n, kept) })
	}
	branch := func(b parse.BranchNode, keeps bool) bool {
		if keeps && isLoose(b.Pipe, false) || any(b.Pipe, b.List) {
			return true
		}
		return b.ElseList != nil && any(b.ElseList)
	}
	switch n := n.(type) {
	case *parse.ListNode:
		return any(n.Nodes...)
	case *parse.ActionNode:
		return any(n.Pipe)
	case *parse.IfNode:
		return branch(n.BranchNode, false)
	case *parse.WithNode:
		return branch(n.BranchNode, true)
	case *parse.RangeNode:
		return branch(n.BranchNode, true)
	case *parse.PipeNode:
		if kept && len(n.Decl) > 0 && isLoose(&parse.PipeNode{NodeType: parse.NodePipe, Cmds: n.Cmds}, false) {
			return true
		}
		return slices.ContainsFunc(n.Cmds, func(c *parse.CommandNode) bool { return any(c) })
	case *parse.CommandNode:
		return any(n.Args...)
	case *parse.ChainNode:
		return any(n.Node)
	case *parse.IdentifierNode:
		return !kept && slices.Contains([]string{"include", "includeIf", "includeText"}, n.Ident)
	case *parse.FieldNode:
		return !kept && slices.Contains(ofOthers, n.Ident[0])
	case *parse.VariableNode:
		return !kept && len(n.Ident) > 1 && slices.Contains(ofOthers, n.Ident[1])
	}
	return false
}

// isText tells whether the words of a command are its name and one text.
func isText(words []parse.Node) bool {
	return len(words) == 2 && words[1].Type() == parse.NodeString
}

// Line is a command that a text runs when it becomes a prompt.
type Line struct {
	Text  string // as written: run "make list"
	At    int    // the line of the text, from 1
	Fixed bool   // it is always the same line for the shell; else it is put together
}

// Lines gives the commands of a text. A text that is no template has none; it
// will be refused when the prompt is made, before any of it runs.
func Lines(name, text string) []Line {
	front, body, err := ReadFront(name, strings.TrimPrefix(text, mark))
	if err != nil || !strings.Contains(body, "{{") {
		return nil
	}
	functions := (&turn{}).functions(context.Background(), &page{})
	tmpl, err := template.New(templateName).Funcs(functions).Parse(body)
	if err != nil {
		return nil
	}
	var list []Line
	for _, c := range commands(tmpl) {
		list = append(list, Line{Text: c.text, At: 1 + front.height + strings.Count(body[:int(c.at)], "\n"), Fixed: c.fixed})
	}
	return list
}

// meet takes note of a template's commands. Those that were not there when the
// run began are refused: an agent may have written them, and they would run
// outside of whatever it is held in.
func (b *Builder) meet(tmpl *template.Template, text string) *Error {
	for _, c := range commands(tmpl) {
		switch {
		case c.loose:
			return &Error{
				Line: 1 + strings.Count(text[:int(c.at)], "\n"),
				What: fmt.Sprintf("{{%s}} takes its command from a file or a branch, which anybody may change", Preview(c.text, 60)),
				Hint: "write the command itself; it may read the file when it runs",
			}
		case slices.Contains(b.Commands, c.text):
		case b.settled:
			return &Error{
				Line: 1 + strings.Count(text[:int(c.at)], "\n"),
				What: fmt.Sprintf("{{%s}} was not in the prompt when the run began", Preview(c.text, 60)),
				Hint: "if you wrote it, stop the run and resume it with --accept-config",
			}
		default:
			b.Commands = append(b.Commands, c.text)
		}
	}
	return nil
}

// Settle says that no command may be added any more to those that are known.
func (b *Builder) Settle() { b.settled = true }
