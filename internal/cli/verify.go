package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/request"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
)

// specsFolder is where specs are, below the work tree.
const specsFolder = "specs"

func verifyCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Compare the plan with the specs: tasks, coverage, orphans",
		Long: "Say how far the tasks of the plan are, which requirements of specs/ they cover, and which belong to\n" +
			"no spec. The exit status is 0 when every spec has a task, every MUST is covered and every reference\n" +
			"leads somewhere, and 1 when not. Whether the code does what the specs say is for the gates.",
		Example: "  refrain verify\n  refrain verify --plan impl/README.md --json",
		Args:    noArguments,
	}
	file := cmd.Flags().String("plan", "", "the plan, a file or a folder (without it: the one of \"refrain build\")")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		req := request.Request{Procedure: "build"}
		if cmd.Flags().Changed("plan") {
			req.Flags = []config.Flag{{Name: "--plan", Key: "done.plan", Value: *file}}
		}
		here, err := request.In(sh.dir, req)
		if err != nil {
			return err
		}
		name := here.Config().Done.Plan
		report, err := verify(here.Tree, here.Plan())
		if err != nil {
			return err
		}
		if !report.OK() {
			sh.status = statusFailed
		}
		if *asJSON {
			return printJSON(sh.out, struct {
				OK   bool   `json:"ok"`
				Plan string `json:"plan"`
				plan.Report
			}{report.OK(), name, report})
		}
		return tellVerified(sh, name, report)
	}
	return cmd
}

// verify reads the plan and the specs of a work tree. There may be no specs.
func verify(tree string, file files.Named) (plan.Report, error) {
	tasks, err := plan.Read(file)
	if err != nil {
		var hinted interface{ Hint() string }
		if errors.As(err, &hinted) {
			return plan.Report{}, usage(err.Error(), hinted.Hint())
		}
		return plan.Report{}, err
	}
	specs, err := plan.ReadSpecs(filepath.Join(tree, specsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return plan.Report{}, err
	}
	for i := range specs { // as tasks write them: from the work tree on
		if rel, err := filepath.Rel(tree, specs[i].Path); err == nil {
			specs[i].Path = filepath.ToSlash(rel)
		}
	}
	return plan.Verify(tasks, specs), nil
}

func tellVerified(sh *shell, name string, r plan.Report) error {
	sh.say("%s: %s, %d open, %d in progress, %d done", text.Line(name), text.Plural(r.Total, "task"), r.Open, r.InProgress, r.Done)
	fmt.Fprintln(sh.out)
	sections := lines.Table{Columns: []lines.Column{{Name: "OPEN"}, {Name: "IN PROGRESS"}, {Name: "DONE"}, {Name: "SECTION", Wraps: true}}}
	for _, s := range r.Sections {
		sections.Add(fmt.Sprint(s.Open), fmt.Sprint(s.InProgress), fmt.Sprint(s.Done), sectionName(s, r.Sections))
	}
	sh.print(&sections)
	if len(r.Coverage) > 0 {
		fmt.Fprintln(sh.out)
		coverage := lines.Table{Columns: []lines.Column{{Name: "COVERED"}, {Name: "REQUIREMENTS"}, {Name: "TASKS", Rank: 1}, {Name: "SPEC", Wraps: true}}}
		for _, c := range r.Coverage {
			coverage.Add(fmt.Sprintf("%g %%", c.Percent), fmt.Sprintf("%d of %d", c.Covered, c.Requirements), fmt.Sprintf("%d (%d done)", c.Tasks, c.Done), text.Line(c.Path))
		}
		sh.print(&coverage)
	} else {
		fmt.Fprintf(sh.out, "\nThere are no specs in %s/.\n", specsFolder)
	}
	tellGaps(sh, r)
	return nil
}

// sectionName is the heading, with its file where the plan has several.
func sectionName(s plan.Section, all []plan.Section) string {
	name := text.Line(s.Name)
	if name == "" {
		name = "(no heading)"
	}
	for _, other := range all {
		if other.File != s.File {
			return text.Line(s.File) + ": " + name
		}
	}
	return name
}

// tellGaps says what does not fit, each with its place.
func tellGaps(sh *shell, r plan.Report) {
	var uncovered, orphans, lost []string
	for _, u := range r.Uncovered {
		uncovered = append(uncovered, fmt.Sprintf("%s:%d %s: %s", u.Path, u.Line, u.Level, u.Text))
	}
	for _, task := range r.Orphans {
		orphans = append(orphans, fmt.Sprintf("%s:%d: %s", task.File, task.Line, task.Text))
	}
	for _, ref := range r.LostRefs {
		lost = append(lost, fmt.Sprintf("%s:%d: %s, %s", ref.File, ref.Line, ref.Ref, ref.Why))
	}
	tellList(sh, "Requirements without a task:", uncovered)
	tellList(sh, "Tasks without a spec:", orphans)
	tellList(sh, "References to what does not exist:", lost)
	if r.OK() {
		fmt.Fprintln(sh.out, "\nOK: plan and specs fit.")
		return
	}
	tellList(sh, fmt.Sprintf("NOT OK, %s:", text.Plural(len(r.Problems), "problem")), r.Problems)
}

func tellList(sh *shell, title string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(sh.out, "\n%s\n", title)
	for _, line := range list {
		fmt.Fprint(sh.out, lines.Hang("  ", text.Line(line), sh.look()))
	}
}
