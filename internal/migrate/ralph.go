package migrate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// planFile is the plan that "refrain build" does.
const planFile = "IMPLEMENTATION_PLAN.md"

// prd is a list of stories, as the skills of ralph write it.
type prd struct {
	Project     string      `key:"project"`
	Name        string      `key:"name"`
	Branch      string      `key:"branchName"`
	Description string      `key:"description"`
	Stories     []userStory `key:"userStories"`
}

type userStory struct {
	ID          string   `key:"id"`
	Title       string   `key:"title"`
	Description string   `key:"description"`
	Criteria    []string `key:"acceptanceCriteria"`
	Priority    any      `key:"priority"`
	Passes      bool     `key:"passes"`
	Notes       string   `key:"notes"`
}

// rank puts the first priority first, and those that have no number last.
func (s userStory) rank() float64 {
	if n, ok := s.Priority.(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			return f
		}
	}
	return math.Inf(1)
}

func readRalph(in tree, im *Import) error {
	for _, dir := range []string{"scripts/ralph/", ""} {
		text, err := in.read(dir + "prd.json")
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		if err := stories(im, dir+"prd.json", text); err != nil {
			return err
		}
		im.Read = append(im.Read, dir+"prd.json")
		if dir != "" && in.has("prd.json") {
			im.note("prd.json", "", dir+"prd.json is there, too, and is the one that was taken")
		}
		for name, what := range map[string]string{
			"progress.txt": "the next agent hears what the last ones did; what is worth keeping belongs into AGENTS.md",
			"prompt.md":    `it tells an agent to keep prd.json: "refrain build" has a prompt of its own`,
			"ralph.sh":     `"refrain build" takes its place`,
		} {
			if (dir != "" || name == "progress.txt") && in.has(dir+name) {
				im.note(dir+name, "", what)
			}
		}
		slices.SortFunc(im.Notes, func(a, b Note) int { return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Key, b.Key)) })
		im.Next = "refrain build"
		return nil
	}
	return &Error{"prd.json", 0, "it is missing"}
}

// lookAtStories tells whether there is a prd.json at the root, and whether it has
// stories.
func lookAtStories(in tree) (there, sure bool) {
	if !in.hasFile("prd.json") {
		return false, false
	}
	var p prd
	text, err := in.read("prd.json")
	if err == nil {
		_, err = readJSON("prd.json", text, &p)
	}
	return true, err == nil && len(p.Stories) > 0
}

// stories makes a plan of a list of stories: those that pass are done.
func stories(im *Import, file string, text []byte) error {
	var p prd
	unknown, err := readJSON(file, text, &p)
	if err != nil {
		return err
	}
	if len(p.Stories) == 0 {
		return &Error{file, 0, "it has no userStories"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", firstOf(oneLine(p.Project), oneLine(p.Name), "Implementation plan"))
	if line := noBlock(p.Description); line != "" {
		fmt.Fprintf(&b, "\n%s\n", line)
	}
	b.WriteString("\n## Tasks\n\n")
	slices.SortStableFunc(p.Stories, func(a, b userStory) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, s := range p.Stories {
		box := " "
		if s.Passes {
			box = "x"
		}
		title := firstOf(noBlock(s.Title), noBlock(s.Description), "a story without a title")
		if id := noBlock(s.ID); id != "" {
			title = id + ": " + title
		}
		fmt.Fprintf(&b, "- [%s] %s\n", box, title)
		for _, more := range append([]string{s.Description}, append(s.Criteria, s.Notes)...) {
			if line := noBlock(more); line != "" {
				fmt.Fprintf(&b, "  - %s\n", line)
			}
		}
	}
	im.Files = append(im.Files, File{Path: planFile, From: file, Text: b.String(), Mode: 0o644})
	if p.Branch != "" {
		im.note(file, "branchName", "pass --branch="+oneLine(p.Branch)+" to work on it")
	}
	if slices.ContainsFunc(p.Stories, func(s userStory) bool { return s.Priority != nil && math.IsInf(s.rank(), 1) }) {
		im.note(file, "userStories.priority", "those that have no number for one come last, in their order")
	}
	for _, key := range unknown {
		im.note(file, key, "it has no place in a plan: put what matters into the text of the task")
	}
	return nil
}

// oneLine is a text on one line.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
}

var (
	marks  = text.NewPattern(`^(?:(?:[-*+]|\d{1,9}[.)])(?:\s+|$)|>\s*)+`)
	blocks = text.NewPattern("^(?:\\[|```|~~~|<!--)")
)

// noBlock is a text on one line that begins no list, box, block of code or the like:
// a box would be a task of its own, and a block hides the tasks that follow.
func noBlock(s string) string {
	line := marks().ReplaceAllString(oneLine(s), "")
	if blocks().MatchString(line) {
		line = `\` + line
	}
	return line
}
