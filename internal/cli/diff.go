package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/text"
)

func diffCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [RUN[/N[..M]]]",
		Short: "Show what a run, or one of its iterations, changed",
		Long: "Show what changed in the work tree: over the whole run, in iteration N, or from the end of\n" +
			"iteration N to the end of M. Number 0 is the tree before the first iteration. It is read from the\n" +
			"run's own checkpoints, so commits, resets and branches of the agent's make no difference.\n\n" +
			"On a terminal it is coloured and paged, and control characters in files are left out. In a pipe it\n" +
			"is what git prints, byte for byte.",
		Example:           "  refrain diff\n  refrain diff build-7/3 --stat\n  refrain diff build-7/0..5 --json",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	stat := cmd.Flags().Bool("stat", false, "only the files and how many lines")
	asJSON := addJSON(cmd)
	cmd.PreRunE = exclusive([][2]string{{"stat", "json"}})
	cmd.RunE = sh.heeding(func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		ref, span, err := spanRef(first(args))
		if err != nil {
			return err
		}
		runs, entry, err := sh.find(ref)
		if err != nil {
			return err
		}
		h, err := history.Open(ctx, runs, entry)
		if err != nil {
			return err
		}
		from, to, err := span.of(ctx, h)
		if err != nil {
			return err
		}
		if *asJSON {
			changes, err := h.Kept.Changes(ctx, from, to)
			if err != nil {
				return err
			}
			return printJSON(sh.out, map[string]any{"run": entry.Name, "from": from.ID, "to": to.ID, "changes": changes})
		}
		return sh.paged(func(w io.Writer) error {
			if !isTerminal(sh.out) {
				return h.Kept.Diff(ctx, w, from, to, checkpoint.DiffOptions{Stat: *stat})
			}
			screen := &diffScreen{to: w, color: sh.look().Color}
			if err := h.Kept.Diff(ctx, screen, from, to, checkpoint.DiffOptions{Stat: *stat}); err != nil {
				return err
			}
			return screen.Close()
		})
	})
	return cmd
}

// span is the part of a run that a person asks about. Without numbers it is the
// whole run, with one it is that iteration.
type span struct{ from, to *int }

// spanRef splits RUN/N..M.
func spanRef(arg string) (run string, s span, err error) {
	run, numbers, has := strings.Cut(arg, "/")
	if !has {
		return run, s, nil
	}
	first, second, two := strings.Cut(numbers, "..")
	if s.from, err = checkpointNumber(first); err != nil {
		return run, s, err
	}
	if two {
		s.to, err = checkpointNumber(second)
	}
	return run, s, err
}

func checkpointNumber(text string) (*int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return nil, usage(fmt.Sprintf("%q is not an iteration", text), "write it like build-7/3 or build-7/2..5; 0 is the tree before the first")
	}
	return &n, nil
}

// of finds the checkpoints at both ends.
func (s span) of(ctx context.Context, h *history.History) (from, to checkpoint.Checkpoint, err error) {
	switch {
	case s.from == nil:
		if from, err = h.At(ctx, 0); err == nil {
			to, err = h.Here(ctx)
		}
	case s.to != nil:
		if from, err = h.At(ctx, *s.from); err == nil {
			to, err = h.At(ctx, *s.to)
		}
	case *s.from == 0:
		return from, to, usage("iteration 0 is the tree before the first: it changed nothing", "write /0..N, or /1 for the first iteration")
	default:
		if from, err = h.Base(ctx, *s.from); err == nil {
			to, err = h.At(ctx, *s.from)
		}
	}
	return from, to, err
}

// diffScreen writes a diff to a terminal. What stands in files is cleaned line
// by line, so that none of it moves the cursor, speaks to the terminal or passes
// for another line. The colours are those of git, and ours: git's own could not
// be told from those that a file brings along.
type diffScreen struct {
	to    io.Writer
	color bool

	before, after int    // lines that the hunk still has of each side
	rest          []byte // of a line that is not complete
	inside        bool   // the rest is the middle of a line
	paint         string // of that line
}

// longestPiece is how much of a line is held back until its end is seen.
const longestPiece = 64 << 10

// The colours, as git has them.
const (
	diffMeta  = "\x1b[1m"
	diffHunk  = "\x1b[36m"
	diffOld   = "\x1b[31m"
	diffNew   = "\x1b[32m"
	diffPlain = "\x1b[m"
)

func (d *diffScreen) Write(p []byte) (int, error) {
	var out bytes.Buffer
	text := append(d.rest, p...)
	for {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			break
		}
		d.line(&out, text[:end])
		out.WriteByte('\n')
		d.inside, text = false, text[end+1:]
	}
	if len(text) > longestPiece {
		cut := wholeRunes(text)
		d.line(&out, text[:cut])
		d.inside, text = true, text[cut:]
	}
	d.rest = bytes.Clone(text)
	if _, err := d.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes a last line that has no end.
func (d *diffScreen) Close() error {
	var out bytes.Buffer
	if len(d.rest) > 0 {
		d.line(&out, d.rest)
	}
	d.rest = nil
	_, err := d.to.Write(out.Bytes())
	return err
}

// wholeRunes is where a text can be cut without cutting a character or the end
// of a line.
func wholeRunes(text []byte) int {
	cut := len(text)
	for range utf8.UTFMax {
		if utf8.RuneStart(text[cut-1]) {
			break
		}
		cut--
	}
	return cut - 1
}

var (
	hunkHead = text.NewPattern(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)
	statBar  = text.NewPattern(`^(.* \| +\d+ )(\+*)(-*)$`)
)

// line writes a line, or the next piece of one.
func (d *diffScreen) line(out *bytes.Buffer, raw []byte) {
	if d.inside {
		d.put(out, d.paint, shownLine(string(raw)))
		return
	}
	text := string(raw)
	inHunk := d.before > 0 || d.after > 0
	switch {
	case inHunk && strings.HasPrefix(text, "+"):
		d.after--
		d.paint, text = diffNew, shownLine(text)
	case inHunk && strings.HasPrefix(text, "-"):
		d.before--
		d.paint, text = diffOld, shownLine(text)
	case inHunk && !strings.HasPrefix(text, `\`):
		d.before--
		d.after--
		d.paint, text = "", shownLine(strings.TrimSuffix(text, "\r"))
	case strings.HasPrefix(text, `\`):
		d.paint, text = "", shownLine(text)
	case hunkHead().MatchString(text):
		d.hunk(out, text)
		return
	case statBar().MatchString(text):
		m := statBar().FindStringSubmatch(text)
		d.put(out, "", shownLine(m[1]))
		d.put(out, diffNew, m[2])
		d.put(out, diffOld, m[3])
		return
	case strings.HasPrefix(text, " "): // the last line of --stat
		d.paint, text = "", shownLine(text)
	default:
		d.paint, text = diffMeta, shownLine(text)
	}
	d.put(out, d.paint, text)
}

// hunk begins a hunk: what its head says is how many lines are the files'.
func (d *diffScreen) hunk(out *bytes.Buffer, text string) {
	m := hunkHead().FindStringSubmatch(text)
	d.before, d.after, d.paint = lineCount(m[1]), lineCount(m[2]), ""
	d.put(out, diffHunk, m[0])
	d.put(out, "", shownLine(strings.TrimSuffix(text[len(m[0]):], "\r")))
}

// lineCount is a number of a hunk's head, where none is 1.
func lineCount(text string) int {
	n := 1
	_, _ = fmt.Sscanf(text, "%d", &n)
	return n
}

func (d *diffScreen) put(out *bytes.Buffer, paint, text string) {
	if !d.color || paint == "" || text == "" {
		out.WriteString(text)
		return
	}
	out.WriteString(paint + text + diffPlain)
}

// withinLine keeps what ends a line elsewhere from ending one here: what follows
// it would stand where git puts its own signs.
var withinLine = strings.NewReplacer("\r", "^M", "\u2028", " ", "\u2029", " ")

// shownLine is a line as a terminal may have it. Tabs stay.
func shownLine(line string) string {
	parts := strings.Split(line, "\t")
	for i, part := range parts {
		parts[i] = text.Clean(withinLine.Replace(part))
	}
	return strings.Join(parts, "\t")
}

// paged lets a person scroll through what is written, on a terminal.
func (c console) paged(write func(io.Writer) error) error {
	pager := os.Getenv("PAGER")
	if pager == "" {
		pager = "less -FRX"
	}
	argv := strings.Fields(pager)
	if !isTerminal(c.out) || len(argv) == 0 || argv[0] == "cat" {
		return write(c.out)
	}
	cmd, err := chosen(argv...)
	if err != nil {
		return write(c.out)
	}
	cmd.Stdout, cmd.Stderr = c.out, c.err
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start %s: %w", argv[0], err)
	}
	if err := cmd.Start(); err != nil {
		return write(c.out)
	}
	failed := write(quitter{in})
	_ = in.Close()                                      // the pager may be gone already
	if err := cmd.Wait(); err != nil && failed == nil { // it says itself what is wrong
		return nil
	}
	return failed
}

// quitter takes everything, for who quits the pager has seen enough.
type quitter struct{ io.Writer }

func (q quitter) Write(p []byte) (int, error) {
	_, _ = q.Writer.Write(p)
	return len(p), nil
}
