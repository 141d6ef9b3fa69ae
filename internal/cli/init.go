package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/scaffold"
	"github.com/refrain-loop/refrain/internal/text"
)

// next is what to do in a project that is ready.
var next = [][2]string{
	{"refrain doctor", "see that everything a run needs is here"},
	{"refrain plan", "compare specs/ with the code, and write the tasks"},
	{"refrain build", "do them, one an iteration, until none is left"},
}

func initCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make this project ready for its first run",
		Long: "Find out how the project is tested, built and linted, and write refrain.toml, PROMPT.md, AGENTS.md,\n" +
			"specs/README.md and .refrain/ with sample hooks: at the root of the git work tree, or where there is\n" +
			"none, in this folder. A file that is there is kept, so it can be run again. On a terminal it asks\n" +
			"up to three questions first.",
		Example: "  refrain init\n  refrain init --yes --agent claude",
		Args:    noArguments,
	}
	f := cmd.Flags()
	force := f.Bool("force", false, "overwrite what is there (kept as NAME.orig), except AGENTS.md and specs/README.md")
	yes := f.BoolP("yes", "y", false, "ask nothing")
	agent := f.StringP("agent", "a", "", "the agent that works here")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.Changed("agent") && strings.TrimSpace(*agent) == "" {
			return usage("--agent is empty", "name an agent: \"refrain agents\" lists them")
		}
		setup, err := app.NewSetup(sh.dir, *agent, *force)
		if err != nil {
			return err
		}
		if *asJSON {
			return initJSON(cmd.Context(), sh, setup)
		}
		tellFound(sh, setup)
		if !*yes && isTerminal(sh.in) && isTerminal(sh.out) {
			if err := ask(sh.in, sh.out, setup.Questions()); err != nil {
				return err
			}
		}
		files, warnings, err := setup.Write(cmd.Context())
		if err != nil {
			return err
		}
		tellWritten(sh, files)
		tellWarnings(sh, warnings)
		return tellNext(sh)
	}
	return cmd
}

// tellFound says what the project is made with.
func tellFound(sh *shell, s *app.Setup) {
	main := s.Project.Main
	fmt.Fprintf(sh.out, "%s: %s project%s\n", text.Line(s.Tree), main.Kind.Title(), by(main))
	for _, c := range []struct {
		name string
		scaffold.Command
	}{{"test", main.Test}, {"build", main.Build}, {"lint", main.Lint}} {
		if c.Line != "" {
			fmt.Fprintf(sh.out, "  %-6s %s\n", c.name, text.Line(c.Line))
		}
	}
	for _, other := range s.Project.Others {
		fmt.Fprintf(sh.out, "  also   %s%s\n", other.Kind.Title(), by(other))
	}
	if len(s.Agents) > 0 {
		fmt.Fprintf(sh.out, "  agents %s\n", strings.Join(s.Agents, ", "))
	}
	tellWarnings(sh, s.Warnings())
}

// by is the file that told a toolchain.
func by(t scaffold.Toolchain) string {
	if t.Marker == "" {
		return ""
	}
	return " (" + text.Line(t.Marker) + ")"
}

func tellWarnings(sh *shell, list []loop.Warning) {
	for _, w := range list {
		fmt.Fprintf(sh.err, "WARNING: %s\n", text.Line(w.Text))
		if w.Hint != "" {
			fmt.Fprintf(sh.err, "hint: %s\n", text.Line(w.Hint))
		}
	}
}

func tellWritten(sh *shell, files []scaffold.Result) {
	fmt.Fprintln(sh.out)
	for _, f := range files {
		line := fmt.Sprintf("%-12s %s", f.Action, f.Path)
		if f.Saved != "" {
			line += " (the old one is " + f.Saved + ")"
		}
		fmt.Fprintln(sh.out, line)
	}
}

func tellNext(sh *shell) error {
	fmt.Fprintln(sh.out, "\nSay what you want in specs/, one subject in each file, or in PROMPT.md for \"refrain run\". Next:")
	w := tabwriter.NewWriter(sh.out, 0, 8, 2, ' ', 0)
	for _, n := range next {
		fmt.Fprintf(w, "  %s\t%s\n", n[0], n[1])
	}
	return w.Flush()
}

// ask asks each question until it has an answer.
func ask(in io.Reader, out io.Writer, questions []scaffold.Question) error {
	lines := bufio.NewScanner(in)
	for _, q := range questions {
		for ok := false; !ok; {
			fmt.Fprint(out, q.Text, " ")
			if q.Default != "" {
				fmt.Fprintf(out, "[%s] ", text.Line(q.Default))
			}
			if !lines.Scan() {
				return usage("no answer, so nothing was written", "pass --yes to be asked nothing")
			}
			if *q.Answer, ok = q.Take(lines.Text()); !ok {
				fmt.Fprintf(out, "%q is not one of them.\n", *q.Answer)
			}
		}
	}
	return nil
}

// initJSON writes the files without a question, and says it for scripts.
func initJSON(ctx context.Context, sh *shell, s *app.Setup) error {
	files, warnings, err := s.Write(ctx)
	if err != nil {
		return err
	}
	type toolchain struct {
		Kind   scaffold.Kind `json:"kind"`
		Marker string        `json:"marker,omitempty"`
		Test   string        `json:"test,omitempty"`
		Build  string        `json:"build,omitempty"`
		Lint   string        `json:"lint,omitempty"`
	}
	shown := func(t scaffold.Toolchain) toolchain {
		return toolchain{t.Kind, t.Marker, t.Test.Line, t.Build.Line, t.Lint.Line}
	}
	others := []toolchain{}
	for _, t := range s.Project.Others {
		others = append(others, shown(t))
	}
	var commands []string
	for _, n := range next {
		commands = append(commands, n[0])
	}
	return printJSON(sh.out, struct {
		Dir      string            `json:"dir"`
		Project  toolchain         `json:"project"`
		Others   []toolchain       `json:"others"`
		Agents   []string          `json:"agents"`
		Files    []scaffold.Result `json:"files"`
		Warnings []loop.Warning    `json:"warnings"`
		Next     []string          `json:"next"`
	}{
		s.Tree, shown(s.Project.Main), others, append([]string{}, s.Agents...), files,
		append([]loop.Warning{}, slices.Concat(s.Warnings(), warnings)...), commands,
	})
}
