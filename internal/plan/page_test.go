package plan

import (
	"fmt"
	"strings"
	"testing"
)

// Texts that are made to be read over and over are not, and lose no task by it.
func TestTextsMadeToBeSlow(t *testing.T) {
	write := func(line func(n int) string, lines int) string {
		var b strings.Builder
		for n := range lines {
			b.WriteString(line(n))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"ever shorter fences":           write(func(n int) string { return strings.Repeat("`", 803-n) + "\n" }, 800),
		"ever shorter fences, far away": write(func(n int) string { return strings.Repeat("~", 803-n) + "\n" }, 800) + strings.Repeat("a\n", 1<<15),
		"ever deeper fences, far away":  write(func(n int) string { return strings.Repeat(" ", 2*n) + "- ```\n" }, 400) + strings.Repeat("\n", 1<<16),
		"one paragraph in many items":   write(func(n int) string { return strings.Repeat(" ", 2*n) + "- a\n" }, 400) + strings.Repeat("a\n", 1<<14),
		"one task with many notes":      "- [ ] a\n" + strings.Repeat("  a specs/a.md\n", 1<<13),
		"one task with many references": "- [ ] a " + write(func(n int) string { return fmt.Sprintf("%d.md ", n) }, 1<<13),
		"one paragraph of full stops":   strings.Repeat(". ", 1<<14) + "A\n",
		"one paragraph of sentences":    strings.Repeat("A MUST.\n", 1<<13),
	} {
		t.Run(name, func(t *testing.T) {
			tasks := Parse([]byte(text + "\n- [ ] the last one\n"))
			if len(tasks) == 0 || tasks[len(tasks)-1].Text != "the last one" {
				t.Errorf("the last task of %d is not the one that was written", len(tasks))
			}
			p := newPage(text)
			for at, l := range p.lines {
				p.hidden(at, l.rest, l.indent)
			}
			if least := -len(text) - len(p.lines); p.patience < least {
				t.Errorf("patience is %d after all lines, want at least %d", p.patience, least)
			}
			ParseSpec("specs/a.md", []byte(text))
		})
	}
}
