package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/trust"
)

func trustCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Agree to what this work tree runs: gates, hooks, commands of prompts, agents' settings",
		Long: "Agree to everything in this work tree that would run with your rights: the gates, hooks, agents and notices of\n" +
			"refrain.toml, the files in .refrain/hooks, the commands in prompts, and the project files of agents, such as\n" +
			".claude/settings.json. It is remembered outside of the tree, for all work trees of the repository. What changes\n" +
			"later is asked about again. Until then nothing of it is run.",
		Example: "  refrain trust --show\n  refrain trust\n  refrain trust --revoke",
		Args:    noArguments,
	}
	f := cmd.Flags()
	show := f.Bool("show", false, "only show it, whole files too")
	revoke := f.Bool("revoke", false, "take back what you have agreed to here")
	asJSON := addJSON(cmd)
	cmd.PreRunE = exclusive([][2]string{{"show", "revoke"}})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *revoke {
			return takeBack(sh, *asJSON)
		}
		s, err := app.FindSurface(cmd.Context(), sh.dir)
		if s == nil {
			return err
		}
		if err != nil && *show {
			return err
		}
		app.NameChangers(s.Tree, s.News)
		if !*show {
			if err := app.Agree(s.Tree, s.Items); err != nil {
				return err
			}
		}
		if *asJSON {
			return trustJSON(sh, s, !*show)
		}
		return tellSurface(cmd.Context(), sh, s, *show)
	}
	return cmd
}

func takeBack(sh *shell, asJSON bool) error {
	tree, was, err := app.Disagree(sh.dir)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(sh.out, map[string]any{"tree": tree, "revoked": was})
	case !was:
		sh.say("Nothing was trusted in %s.", text.Line(tree))
	default:
		sh.say("Nothing is trusted in %s any more: you will be asked before it runs.", text.Line(tree))
	}
	return nil
}

// trustJSON is the surface for scripts.
func trustJSON(sh *shell, s *app.Surface, agreed bool) error {
	type item struct {
		Name    string `json:"name"`
		What    string `json:"what"`
		Where   string `json:"where"`
		Trusted bool   `json:"trusted"`
		Before  string `json:"before,omitempty"` // what was trusted in its place
		By      string `json:"by,omitempty"`     // who changed it
	}
	items := []item{}
	for _, i := range s.Items {
		shown := item{Name: i.Name, What: i.What, Where: i.Where, Trusted: true}
		if n := newsOf(s, i); n != nil {
			shown.Trusted, shown.By = agreed, n.By
			if n.Before != nil {
				shown.Before = n.Before.What
			}
		}
		items = append(items, shown)
	}
	return printJSON(sh.out, map[string]any{"tree": s.Tree, "trusted": agreed || len(s.News) == 0, "items": items})
}

func newsOf(s *app.Surface, i trust.Item) *trust.News {
	for n := range s.News {
		if s.News[n].Item == i {
			return &s.News[n]
		}
	}
	return nil
}

// tellSurface shows what there is, with whole files if somebody wants to look at
// it closely.
func tellSurface(ctx context.Context, sh *shell, s *app.Surface, whole bool) error {
	switch {
	case len(s.Items) == 0:
		sh.say("%s brings along nothing that runs: there is nothing to trust.", text.Line(s.Tree))
		return nil
	case whole:
		sh.say("What %s runs with your rights:", text.Line(s.Tree))
	case len(s.News) == 0:
		sh.say("You trust what %s runs already:", text.Line(s.Tree))
	default:
		sh.say("You trust what %s runs from now on:", text.Line(s.Tree))
	}
	var list []trust.News
	for _, i := range s.Items {
		n := trust.News{Item: i}
		if whole {
			if found := newsOf(s, i); found != nil {
				n = *found
			}
		}
		list = append(list, n)
	}
	tellNews(sh, list, 0)
	if unseen := (&trust.Error{News: list}).Unseen(); unseen != nil {
		sh.say("Except %s: %s. Nobody can agree to what cannot be looked at.", text.Line(unseen.Where), text.Line(unseen.What))
	}
	if !whole {
		return nil
	}
	tellFiles(ctx, sh, s)
	switch {
	case len(s.News) == 0:
		fmt.Fprintln(sh.out)
		sh.say("You trust all of it.")
	case len(s.News) == len(s.Items):
		fmt.Fprintln(sh.out)
		sh.say("You have not trusted it yet: \"refrain trust\" does.")
	default:
		fmt.Fprintln(sh.out)
		sh.say("Not trusted yet: %s. \"refrain trust\" does.", strings.Join(names(s.News), ", "))
	}
	return nil
}

func names(news []trust.News) []string {
	var list []string
	for _, n := range news {
		list = append(list, text.Line(n.Name))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// tellFiles shows the files that count as a whole.
func tellFiles(ctx context.Context, sh *shell, s *app.Surface) {
	shown := map[string]bool{}
	for _, i := range s.Items {
		if i.Where != i.File || shown[i.File] {
			continue
		}
		shown[i.File] = true
		data, err := files.Read(ctx, s.Tree, filepath.FromSlash(i.File), maxSettings)
		if err != nil {
			continue // it lies above the tree, or is a link that leads out, and is told as one
		}
		fmt.Fprintf(sh.out, "\n%s:\n", text.Line(i.File))
		for line := range strings.Lines(string(data)) {
			fmt.Fprintf(sh.out, "    %s\n", text.Clean(setting.MaskLine(strings.TrimRight(line, "\r\n"))))
		}
	}
}

// maxShown is how much of one item is shown with a question. What is longer is
// not hidden: it says that there is more.
const maxShown = 400

// tellNews shows items, each with what was trusted in its place and who changed
// it.
func tellNews(sh *shell, list []trust.News, limit int) {
	table := lines.Table{Columns: []lines.Column{{}, {Wraps: true}, {Wraps: true}}, Indent: 2}
	shown := func(what string) string {
		what = text.Line(what)
		if limit > 0 && len(what) > limit {
			return text.Cut(what, limit) + "… (whole: refrain trust --show)"
		}
		return what
	}
	for _, n := range list {
		table.Add(text.Line(n.Name), shown(n.What), text.Line(n.Where))
		if n.Before != nil && n.Before.What != n.What {
			table.Add("  was", shown(n.Before.What))
		}
		if n.By != "" {
			table.Add("  changed by", text.Line(n.By))
		} else if n.Before != nil && n.Before.What == n.What {
			table.Add("  changed", "since you trusted it")
		}
	}
	sh.print(&table)
}

// addTrust adds the flag by which a person agrees for one command.
func addTrust(f *pflag.FlagSet) {
	f.Bool("trust", false, "agree to what this work tree runs, for this command only (\"refrain trust\" remembers it)")
}

// consent is what was agreed to on the command line.
func consent(f *pflag.FlagSet) request.Consent {
	if yes, err := f.GetBool("trust"); err == nil && yes {
		return request.Given
	}
	return request.Remembered
}

// agreeing does something that runs what the work tree brings along. Where nobody
// has agreed to that yet, a person at the terminal is asked, once, and then it is
// done.
func (sh *shell) agreeing(do func() error) error {
	for tries := 0; ; tries++ {
		err := do()
		var untrusted *trust.Error
		if !errors.As(err, &untrusted) || sh.status != 0 {
			return err
		}
		if !sh.person() || untrusted.Unseen() != nil || tries > 3 { // else somebody changes it all the time
			return usage(untrusted.Error(), untrusted.Hint())
		}
		if err := sh.askTrust(untrusted); err != nil {
			return err
		}
	}
}

// askTrust asks whether what is new may run, and remembers a yes.
func (sh *shell) askTrust(e *trust.Error) error {
	app.NameChangers(e.Tree, e.News)
	changed := !slices.ContainsFunc(e.News, func(n trust.News) bool { return n.Before == nil })
	head := "This work tree wants to run commands with your rights:"
	if changed {
		head = "What this work tree runs with your rights has changed since you trusted it:"
	}
	sh.say("%s", head)
	tellNews(sh, e.News, maxShown)
	fmt.Fprint(sh.out, "Trust it? It is asked again when one of these changes. [y/N] ")
	line, err := readLine(sh.in)
	if answer := strings.ToLower(strings.TrimSpace(line)); err != nil || answer != "y" && answer != "yes" {
		if err != nil {
			fmt.Fprintln(sh.out)
		}
		return usage("not trusted, so nothing was run", `look at it with "refrain trust --show"; "refrain run --untrusted" does without it`)
	}
	var items []trust.Item
	for _, n := range e.News {
		items = append(items, n.Item)
	}
	return app.Agree(e.Tree, items)
}

// readLine reads one line and nothing beyond it: what follows is for others.
func readLine(in io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); ; {
		n, err := in.Read(one)
		if n > 0 && one[0] == '\n' {
			return string(line), nil
		}
		line = append(line, one[:n]...)
		if err != nil {
			return string(line), err
		}
	}
}
