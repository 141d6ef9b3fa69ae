package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/charmbracelet/x/term"

	"github.com/refrain-loop/refrain/internal/outside"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/view"
)

// console is the streams of a command, and whoever may sit at them.
type console struct {
	in       io.Reader
	out, err io.Writer
	// wide is how wide out is taken to be where it is no terminal; 0: as wide as
	// anything needs. Only tests want to know what a narrow screen shows.
	wide int
}

// look is what the terminal can do.
func (c console) look() lines.Options {
	f, ok := c.out.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(f.Fd()) {
		return lines.Options{Width: func() int { return c.wide }}
	}
	return lines.Options{
		Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		Width: func() int {
			width, _, err := term.GetSize(f.Fd())
			if err != nil {
				return 0
			}
			return width
		},
	}
}

// card shows a run as it stands.
func (c console) card(run *view.Run) { fmt.Fprint(c.out, lines.Card(run, c.look())) }

// print shows a table.
func (c console) print(t *lines.Table) { fmt.Fprint(c.out, t.String(c.look())) }

// say tells a person something, in lines that fit the screen.
func (c console) say(format string, args ...any) {
	fmt.Fprint(c.out, lines.Hang("", fmt.Sprintf(format, args...), c.look()))
}

// person tells whether somebody may be sitting there.
func (c console) person() bool {
	return isTerminal(c.in) && isTerminal(c.out)
}

// canFillScreen refuses where there is no screen to fill, and says what to type instead.
func (c console) canFillScreen(what, instead string) error {
	if !isTerminal(c.out) || os.Getenv("TERM") == "dumb" {
		return usage(what+" needs a terminal that can be drawn on", fmt.Sprintf("%q follows a run without one", instead))
	}
	return nil
}

func isTerminal(w any) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}

// chosen is a program of a person's choice, such as a pager or an editor: none
// that an agent may have written.
func chosen(argv ...string) (*exec.Cmd, error) {
	path, err := outside.Find(argv[0])
	if err != nil {
		return nil, err
	}
	return exec.Command(path, argv[1:]...), nil
}
