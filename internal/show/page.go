// Package show tells people of one run from its records, as "refrain show", "logs" and
// "watch" do: of a run in this project, and of one that is elsewhere and has only been
// looked at. Which run that is, and who may steer it, is for the command to say.
package show

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/view"
)

// Page is a run, and who is told of it.
type Page struct {
	Out, Err io.Writer
	Look     term.Options
	// Program is what people type before a command on such runs, and Called what they
	// call this one by.
	Program, Called string

	Store journal.Store
	Entry journal.Entry
	Run   func() *view.Run // as it stands now
	Also  any              // what a script hears of where it is; nil: nothing
}

// command is what people type to do something with the run.
func (p Page) command(verb, more string) string {
	return p.Program + " " + verb + " " + p.Called + more
}

// mistake is one in what was asked for.
func mistake(what, hint string) error { return &request.UsageError{What: what, Hint: hint} }

// Ref splits RUN/N. N is 0 when there is none.
func Ref(arg string) (run string, iter int, err error) {
	run, number, has := strings.Cut(arg, "/")
	if !has {
		return run, 0, nil
	}
	iter, err = strconv.Atoi(number)
	if err != nil || iter < 1 {
		return run, 0, mistake(fmt.Sprintf("%q is not an iteration", number), "write it like build-7/3; the first iteration is 1")
	}
	return run, iter, nil
}

// JSON writes a value for scripts.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// AddJSON gives a command the flag for that.
func AddJSON(f *pflag.FlagSet) *bool {
	return f.Bool("json", false, "print JSON for scripts")
}
