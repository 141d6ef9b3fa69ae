package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/adopt"
	"github.com/refrain-loop/refrain/internal/migrate"
	"github.com/refrain-loop/refrain/internal/scaffold"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
)

func importCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import [SYSTEM]",
		Short: "Take over settings, prompts, hooks and tasks of another system",
		Long: "Read what another system has left in this project, and write it as refrain.toml, with its prompts\n" +
			"and hooks below .refrain/ and its tasks as a plan. What has no counterpart is listed. Nothing that\n" +
			"is there is changed or overwritten, and a file that cannot be read stops it before anything is\n" +
			"written. The systems are " + strings.Join(migrate.Systems()[:3], ", ") + ",\n" + strings.Join(migrate.Systems()[3:], ", ") + "; a name is\n" +
			"needed only where several have worked.",
		Example:   "  refrain import --dry-run\n  refrain import\n  refrain import rooda",
		Args:      atMost(1),
		ValidArgs: migrate.Systems(),
	}
	dry := cmd.Flags().Bool("dry-run", false, "show what would be written, and write nothing")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		plan, err := adopt.New(cmd.Context(), sh.dir, first(args))
		if err != nil {
			return err
		}
		var results []scaffold.Result
		if !*dry {
			if results, err = plan.Write(); err != nil {
				return err
			}
		}
		if *asJSON {
			return importJSON(sh, plan, results)
		}
		tellImport(sh, plan, results)
		return nil
	}
	return cmd
}

// tellImport says what was read, what it became, and what is left.
func tellImport(sh *shell, plan *adopt.Plan, results []scaffold.Result) {
	im := plan.Import
	sh.say("%s: read %s", im.System, text.Line(strings.Join(im.Read, ", ")))
	fmt.Fprintln(sh.out)
	for i, f := range plan.Files {
		action := "would write"
		if results != nil {
			action = string(results[i].Action)
		}
		line := f.Path
		if from := fromOf(im, f.Path); from != "" {
			line += " (from " + from + ")"
		}
		fmt.Fprint(sh.out, lines.Hang(fmt.Sprintf("%-12s ", action), text.Line(line), sh.look()))
	}
	if results == nil {
		fmt.Fprintf(sh.out, "\n%s", indent(plan.Files[0].Text)+"\n")
	}
	if len(im.Notes) > 0 {
		fmt.Fprintln(sh.out, "\nWithout a counterpart:")
		table := lines.Table{Columns: []lines.Column{{}, {Wraps: true}}, Indent: 2}
		for _, n := range im.Notes {
			name := n.Key
			if name == "" {
				name = n.File
			}
			table.Add(text.Line(name), text.Line(n.What))
		}
		sh.print(&table)
	}
	fmt.Fprintln(sh.out)
	if results == nil {
		sh.say("Nothing was written. Next: refrain import")
		return
	}
	sh.say("Next: look at refrain.toml, agree to what it runs (refrain trust), then %s", im.Next)
}

// fromOf is the file that one to be written was made from; empty: none.
func fromOf(im *migrate.Import, path string) string {
	if at := slices.IndexFunc(im.Files, func(f migrate.File) bool { return f.Path == path }); at >= 0 {
		return im.Files[at].From
	}
	return ""
}

// importJSON says the same for scripts.
func importJSON(sh *shell, plan *adopt.Plan, results []scaffold.Result) error {
	type file struct {
		Path   string          `json:"path"`
		From   string          `json:"from,omitempty"`
		Action scaffold.Action `json:"action,omitempty"`
		Text   string          `json:"text,omitempty"`
	}
	im, list := plan.Import, []file{}
	for i, f := range plan.Files {
		one := file{Path: f.Path, From: fromOf(im, f.Path)}
		if results != nil {
			one.Action = results[i].Action
		} else {
			one.Text = f.Text
		}
		list = append(list, one)
	}
	return printJSON(sh.out, struct {
		Dir    string         `json:"dir"`
		System string         `json:"system"`
		Read   []string       `json:"read"`
		Files  []file         `json:"files"`
		Notes  []migrate.Note `json:"notes"`
		Next   []string       `json:"next"`
		DryRun bool           `json:"dry_run,omitempty"`
	}{plan.Tree, im.System, im.Read, list, append([]migrate.Note{}, im.Notes...), []string{"refrain trust", im.Next}, results == nil})
}
