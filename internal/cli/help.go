package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
)

// flagGroup is flags of one kind, in the order of the help.
type flagGroup struct {
	title string
	flags []helpFlag
}

// helpFlag is how a flag stands in the help of every command that has it.
type helpFlag struct {
	name  string
	value string // what it takes; empty for one that takes nothing
	rare  bool   // only --help --all tells of it
}

// flagGroups is every flag that has a group or takes a value. The others follow
// under "Other flags".
var flagGroups = []flagGroup{
	{"Prompt", []helpFlag{
		{name: "prompt", value: "TEXT"},
		{name: "prompt-file", value: "FILE"},
		{name: "context", value: "TEXT|@FILE"},
		{name: "prompt-as", value: "stdin|arg|env|file", rare: true},
		{name: "replace-prompt", rare: true},
		{name: "var", value: "NAME=VALUE", rare: true},
		{name: "observe", value: "PART", rare: true},
		{name: "orient", value: "PART", rare: true},
		{name: "decide", value: "PART", rare: true},
		{name: "act", value: "PART", rare: true},
	}},
	{"Agent", []helpFlag{
		{name: "agent", value: "NAME"},
		{name: "model", value: "NAME"},
		{name: "permissions", value: "MODE"},
		{name: "yolo"},
		{name: "sandbox", value: "MODE"},
		{name: "session", value: "fresh|keep"},
	}},
	{"Done when", []helpFlag{
		{name: "until", value: "PROMISE"},
		{name: "completion-promise", value: "PROMISE", rare: true},
		{name: "plan", value: "FILE"},
		{name: "gate", value: "COMMAND"},
	}},
	{"Limits", []helpFlag{
		{name: "max-iterations", value: "N"},
		{name: "unlimited", rare: true},
		{name: "max-time", value: "TIME"},
		{name: "max-cost", value: "USD"},
		{name: "max-tokens", value: "N"},
		{name: "iteration-timeout", value: "TIME"},
		{name: "idle-timeout", value: "TIME"},
	}},
	{"What stays", []helpFlag{
		{name: "drop", value: "FILE"},
		{name: "drop-task", value: "TASK"},
		{name: "drop-hunk", value: "FILE:N"},
		{name: "only", value: "FILE"},
		{name: "only-task", value: "TASK"},
	}},
	{"Git", []helpFlag{
		{name: "commit"},
		{name: "squash"},
		{name: "one"},
		{name: "message", value: "TEXT"},
		{name: "onto", value: "BRANCH"},
		{name: "branch", value: "NAME"},
		{name: "no-verify"},
		{name: "worktree", value: "NAME"},
	}},
	{"Be asked", []helpFlag{
		{name: "answer", value: "N=TEXT"},
		{name: "ask"},
		{name: "break-at", value: "N", rare: true},
		{name: "break-on", value: "failure|done", rare: true},
	}},
	{"How it runs", []helpFlag{
		{name: "detach"},
		{name: "serve", rare: true},
		{name: "dry-run"},
		{name: "output", value: "HOW"},
		{name: "json"},
		{name: "set", value: "KEY=VALUE"},
		{name: "profile", value: "NAME", rare: true},
		{name: "trust"},
		{name: "untrusted"},
		{name: "here", rare: true},
		{name: "no-inhibit", rare: true},
	}},
	{otherFlags, []helpFlag{
		{name: "after", value: "N"},
		{name: "file", value: "FILE"},
		{name: "host", value: "NAME"},
		{name: "keep", value: "N"},
		{name: "listen", value: "ADDRESS"},
		{name: "older-than", value: "TIME"},
		{name: "procedure", value: "NAME"},
		{name: "seed", value: "N"},
		{name: "since", value: "TIME|DAY"},
		{name: "speed", value: "FACTOR"},
		{name: "start", value: "TIME"},
		{name: "token-file", value: "FILE"},
		{name: "type", value: "TYPE"},
	}},
	{everywhereFlags, []helpFlag{
		{name: "dir", value: "FOLDER"},
		{name: "help"},
		{name: "version"},
	}},
}

const (
	otherFlags      = "Other flags"
	everywhereFlags = "Everywhere"
	// Up to so many flags stand in one list.
	fewFlags = 9
	// helpWidth is how wide help is where nobody knows the width, and the widest:
	// longer lines are harder to read.
	helpWidth = 80
	widest    = 100
)

// wantsAll takes --all from a request for help: no command has to know it.
func wantsAll(args []string) ([]string, bool) {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	before := args[:end]
	asked := slices.ContainsFunc(before, func(arg string) bool { return arg == "--help" || arg == "-h" }) || end > 0 && before[0] == "help"
	at := slices.Index(before, "--all")
	if !asked || at < 0 {
		return args, false
	}
	return slices.Delete(slices.Clone(args), at, at+1), true
}

// helpPage is a page of help as it is written.
type helpPage struct {
	io.Writer
	look lines.Options
	all  bool
}

// showHelp is the help of a command.
func showHelp(sh *shell, cmd *cobra.Command) {
	look := sh.look()
	known := 0
	if look.Width != nil {
		known = look.Width()
	}
	width := min(known, widest)
	if known == 0 {
		width = helpWidth
	}
	look.Width = func() int { return width }
	helpPage{cmd.OutOrStdout(), look, sh.allHelp}.write(cmd)
}

func (p helpPage) write(cmd *cobra.Command) {
	cmd.LocalFlags() // has cobra put together those that the command has of its own and of its parents
	p.prose(firstOf(cmd.Long, cmd.Short))
	p.usage(cmd)
	if len(cmd.Groups()) > 0 {
		p.families(cmd)
	} else if cmd.HasAvailableSubCommands() {
		p.commands("Commands", slices.DeleteFunc(cmd.Commands(), func(c *cobra.Command) bool { return !c.IsAvailableCommand() }), 0)
	}
	p.examples(cmd)
	p.flags(cmd)
}

func firstOf(long, short string) string {
	if long == "" {
		return short + "."
	}
	return long
}

// prose writes paragraphs. Lines that begin with a blank stay as they are.
func (p helpPage) prose(long string) {
	for i, paragraph := range strings.Split(long, "\n\n") {
		if i > 0 {
			fmt.Fprintln(p)
		}
		if strings.HasPrefix(paragraph, " ") {
			fmt.Fprintln(p, paragraph)
			continue
		}
		fmt.Fprint(p, lines.Hang("", text.Fold(paragraph), p.look))
	}
}

func (p helpPage) heading(title string) { fmt.Fprintf(p, "\n%s\n", p.look.Strong(title)) }

func (p helpPage) usage(cmd *cobra.Command) {
	p.heading("Usage")
	line := cmd.UseLine()
	switch {
	case !cmd.HasParent():
		line = cmd.Name() + " [COMMAND] [flags]"
	case cmd.HasAvailableSubCommands():
		line = cmd.CommandPath() + " COMMAND [flags]"
	}
	fmt.Fprint(p, lines.Hang("  ", line, p.look))
}

// families lists the commands in their groups: those that are used most, or all.
func (p helpPage) families(root *cobra.Command) {
	left, width := 0, 0
	for _, cmd := range root.Commands() {
		if cmd.Annotations[seldom] == "" || p.all {
			width = max(width, len(cmd.Name()))
		}
	}
	for _, group := range root.Groups() {
		var list []*cobra.Command
		for _, cmd := range root.Commands() {
			switch {
			case cmd.GroupID != group.ID:
			case cmd.Annotations[seldom] != "" && !p.all:
				left++
			default:
				list = append(list, cmd)
			}
		}
		p.commands(group.Title, list, width)
	}
	if left > 0 {
		fmt.Fprintf(p, "\n%s: refrain --help --all\n", text.Plural(left, "more command"))
	}
}

func (p helpPage) commands(title string, list []*cobra.Command, width int) {
	p.heading(title)
	table := lines.Table{Columns: []lines.Column{{}, {Wraps: true}}, Indent: 2}
	for _, cmd := range list {
		table.Add(fmt.Sprintf("%-*s", width, cmd.Name()), cmd.Short)
	}
	fmt.Fprint(p, table.String(p.look))
}

// examples are commands that can be copied. What is too long goes on in the next
// line as a shell has it.
func (p helpPage) examples(cmd *cobra.Command) {
	if cmd.Example == "" {
		return
	}
	p.heading("Examples")
	for line := range strings.Lines(cmd.Example) {
		fmt.Fprintln(p, "  "+strings.Join(foldCommand(strings.TrimSpace(line), p.look.Width()-len("  ")), " \\\n      "))
	}
}

// foldCommand breaks a command line at spaces that a shell takes for some. The rest
// of what is broken is indented by four more.
func foldCommand(line string, width int) []string {
	if width <= 0 || len(line) <= width {
		return []string{line}
	}
	width -= len(" \\") // and of what follows, the indent is four more
	var folded []string
	now := ""
	for _, word := range shellWords(line) {
		switch {
		case now == "":
			now = word
		case len(now)+1+len(word) <= width-4*min(1, len(folded)):
			now += " " + word
		default:
			folded, now = append(folded, now), word
		}
	}
	return append(folded, now)
}

// shellWords splits a command line at blanks that are not quoted.
func shellWords(line string) []string {
	var quote rune
	return strings.FieldsFunc(line, func(r rune) bool {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		}
		return quote == 0 && r == ' '
	})
}

// flags lists the flags: in one list, or in groups where there are many.
func (p helpPage) flags(cmd *cobra.Command) {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.AddFlagSet(cmd.Flags())
	set.AddFlagSet(cmd.InheritedFlags())
	groups, left := p.grouped(set)
	total := 0
	for _, g := range groups {
		total += len(g.flags)
	}
	if total <= fewFlags {
		var all []helpFlag
		for _, g := range groups {
			all = append(all, g.flags...)
		}
		groups = []flagGroup{{"Flags", all}}
	}
	for _, g := range groups {
		if len(g.flags) == 0 {
			continue
		}
		p.heading(g.title)
		table := lines.Table{Columns: []lines.Column{{}, {Wraps: true}}, Indent: 2}
		for _, f := range g.flags {
			table.Add(flagWords(set.Lookup(f.name), f.value), set.Lookup(f.name).Usage)
		}
		fmt.Fprint(p, table.String(p.look))
	}
	if left > 0 {
		fmt.Fprintf(p, "\n%s: %s --help --all\n", text.Plural(left, "rare flag"), cmd.CommandPath())
	}
}

// grouped is the flags of a set in their groups, and how many are left out.
func (p helpPage) grouped(set *pflag.FlagSet) (groups []flagGroup, left int) {
	known := map[string]bool{}
	for _, g := range flagGroups {
		shown := flagGroup{title: g.title}
		for _, f := range g.flags {
			known[f.name] = true
			switch flag := set.Lookup(f.name); {
			case flag == nil || flag.Hidden:
			case f.rare && !p.all:
				left++
			default:
				shown.flags = append(shown.flags, f)
			}
		}
		groups = append(groups, shown)
	}
	other := slices.IndexFunc(groups, func(g flagGroup) bool { return g.title == otherFlags })
	set.VisitAll(func(f *pflag.Flag) {
		if !known[f.Name] && !f.Hidden {
			groups[other].flags = append(groups[other].flags, helpFlag{name: f.Name})
		}
	})
	return groups, left
}

// flagWords is a flag as it is typed.
func flagWords(f *pflag.Flag, value string) string {
	words := "    --" + f.Name
	if f.Shorthand != "" {
		words = "-" + f.Shorthand + ", --" + f.Name
	}
	switch {
	case value == "":
		return words
	case f.NoOptDefVal != "":
		return words + "[=" + value + "]"
	}
	return words + " " + value
}
