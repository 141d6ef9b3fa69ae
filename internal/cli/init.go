package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/preflight"
	"github.com/refrain-loop/refrain/internal/scaffold"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
)

func initCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [SENTENCE]",
		Short: "Make this project ready for its first run",
		Long: "Find out how the project is tested, built and linted, and write two files: refrain.toml with these\n" +
			"as gates, and a first spec of the sentence, which says what is to be built. They are written at\n" +
			"the root of the git work tree, or where there is none, in this folder. In a folder that is a part\n" +
			"of a repository, the gates are those of that part.\n\n" +
			"A file that is there is kept, so it can be run again. On a terminal it asks up to three questions\n" +
			"first. At the end it says what is missing for a run, and names the next command.",
		Example: "  refrain init\n  refrain init 'Add an export command'\n  refrain init --yes --agent claude\n  refrain init --full",
	}
	f := cmd.Flags()
	o := app.SetupOptions{Version: Version}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		o.Goal = strings.TrimSpace(strings.Join(args, " "))
		switch {
		case len(args) > 0 && o.Goal == "":
			return usage("the sentence is empty", "say what is to be built, or leave it out")
		case len(args) > 0 && !isSentence(args):
			return usage(fmt.Sprintf("init takes a sentence, and %q is a single word", args[0]), "say what is to be built: refrain init 'Add an export command'; another folder is named with -C")
		}
		return nil
	}
	f.BoolVar(&o.Full, "full", false, "write samples of everything, too: AGENTS.md, PROMPT.md, specs/README.md, hooks, the schema for editors")
	f.BoolVar(&o.Image, "dockerfile", false, "write .refrain/Dockerfile, too: an image to work in (--sandbox docker)")
	f.BoolVar(&o.Force, "force", false, "overwrite what is there (kept as NAME.orig), except AGENTS.md and specs")
	f.BoolVar(&o.Here, "here", false, "write here though this is the home folder, or the root of the file system")
	yes := f.BoolP("yes", "y", false, "ask nothing")
	f.StringVarP(&o.Agent, "agent", "a", "", "the agent that works here")
	f.StringVar(&o.Profile, "profile", "", "behave like another system: "+strings.Join(config.Profiles(), ", "))
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.Changed("agent") && strings.TrimSpace(o.Agent) == "" {
			return usage("--agent is empty", "name an agent: \"refrain agents\" lists them")
		}
		if f.Changed("profile") && strings.TrimSpace(o.Profile) == "" {
			return usage("--profile is empty", "name one of "+strings.Join(config.Profiles(), ", "))
		}
		ctx := cmd.Context()
		setup, err := app.NewSetup(ctx, sh.dir, o)
		if err != nil {
			return err
		}
		if *asJSON {
			return initJSON(ctx, sh, setup)
		}
		tellFound(sh, setup)
		if !*yes && sh.person() {
			if err := ask(sh.in, sh.out, setup.Questions()); err != nil {
				return err
			}
		}
		files, warnings, err := setup.Write(ctx)
		if err != nil {
			return err
		}
		tellWritten(sh, setup, files)
		tellWarnings(sh, warnings)
		tellNext(sh, setup, setup.Missing(ctx))
		return nil
	}
	return cmd
}

// tellFound says what the project is made with.
func tellFound(sh *shell, s *app.Setup) {
	p := s.Project
	what := fmt.Sprintf("%s project%s", p.Main.Kind.Title(), by(p.Main))
	switch {
	case s.Part != "":
		what = fmt.Sprintf("the part %s, a %s project%s", text.Line(s.Part), p.Parts[0].Kind.Title(), by(p.Parts[0].Toolchain))
	case p.Main.Kind == scaffold.Generic && len(p.Parts) > 0:
		what = "a repository of " + text.Plural(len(p.Parts), "part")
	}
	sh.say("%s: %s", text.Line(s.Tree), what)
	table := lines.Table{Columns: []lines.Column{{}, {Wraps: true}, {}}, Indent: 2}
	for _, g := range p.Gates() {
		in := ""
		if g.Dir != "" {
			in = "in " + text.Line(g.Dir)
		}
		table.Add(g.Name, text.Line(g.Line), in)
	}
	if setup := p.Setup(); setup != "" {
		table.Add("setup", text.Line(setup))
	}
	for _, other := range p.Others {
		table.Add("also", other.Kind.Title()+by(other))
	}
	if len(s.Agents) > 0 {
		table.Add("agents", strings.Join(s.Agents, ", "))
	}
	sh.print(&table)
	tellWarnings(sh, p.Notes())
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

// tellWritten says what became of the files; and where they are, to who stands
// elsewhere.
func tellWritten(sh *shell, s *app.Setup, files []scaffold.Result) {
	fmt.Fprintln(sh.out)
	if s.Part != "" {
		sh.say("In %s, the root of this repository:", text.Line(s.Tree))
	}
	for _, f := range files {
		line := f.Path
		if f.Saved != "" {
			line += " (the old one is " + f.Saved + ")"
		}
		fmt.Fprint(sh.out, lines.Hang(fmt.Sprintf("%-12s ", f.Action), line, sh.look()))
	}
}

// tellNext says what the next run would trip over, and names the next command.
func tellNext(sh *shell, s *app.Setup, missing []preflight.Finding) {
	fmt.Fprintln(sh.out)
	for _, f := range missing {
		label := "missing      "
		if f.Worry {
			label = "note         "
		}
		fmt.Fprint(sh.out, lines.Hang(label, text.Line(f.What), sh.look()))
		if f.Hint != "" {
			fmt.Fprint(sh.out, lines.Hang("             ", "→ "+text.Line(f.Hint), sh.look()))
		}
	}
	if s.NeedsGuide() {
		sh.say("There is no AGENTS.md yet: \"refrain run bootstrap\" has an agent write one.")
	}
	sh.say("Next: %s", s.Next())
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
				fmt.Fprintf(out, "%q is none of them.\n", *q.Answer)
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
		Dir    string        `json:"dir,omitempty"`
		Kind   scaffold.Kind `json:"kind"`
		Marker string        `json:"marker,omitempty"`
		Test   string        `json:"test,omitempty"`
		Build  string        `json:"build,omitempty"`
		Lint   string        `json:"lint,omitempty"`
		Types  string        `json:"types,omitempty"`
	}
	type finding struct {
		Name  string `json:"name"`
		What  string `json:"what"`
		Hint  string `json:"hint,omitempty"`
		Worry bool   `json:"worry,omitempty"`
	}
	shown := func(dir string, t scaffold.Toolchain) toolchain {
		return toolchain{dir, t.Kind, t.Marker, t.Test.Line, t.Build.Line, t.Lint.Line, t.Types.Line}
	}
	others, parts, missing := []toolchain{}, []toolchain{}, []finding{}
	for _, t := range s.Project.Others {
		others = append(others, shown("", t))
	}
	for _, p := range s.Project.Parts {
		parts = append(parts, shown(p.Dir, p.Toolchain))
	}
	for _, f := range s.Missing(ctx) {
		missing = append(missing, finding{f.Name, f.What, f.Hint, f.Worry})
	}
	return printJSON(sh.out, struct {
		Dir      string            `json:"dir"`
		Part     string            `json:"part,omitempty"`
		Project  toolchain         `json:"project"`
		Others   []toolchain       `json:"others"`
		Parts    []toolchain       `json:"parts"`
		Setup    string            `json:"setup,omitempty"`
		Agents   []string          `json:"agents"`
		Files    []scaffold.Result `json:"files"`
		Warnings []loop.Warning    `json:"warnings"`
		Missing  []finding         `json:"missing"`
		Next     []string          `json:"next"`
	}{
		s.Tree, s.Part, shown("", s.Project.Main), others, parts, s.Project.Setup(), append([]string{}, s.Agents...), files,
		append(append([]loop.Warning{}, s.Project.Notes()...), warnings...), missing,
		[]string{s.Next()},
	})
}
