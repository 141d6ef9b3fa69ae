package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	page "github.com/refrain-loop/refrain/internal/report"
	"github.com/refrain-loop/refrain/internal/term"
)

func reportCommand(sh *shell) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Write a run as one HTML page with charts, to look at offline or send to others",
		Long: "Write all there is to see of a run into one HTML file: how it ended and how that was proven, every refused\n" +
			"claim, tests, cost, context and duration of each iteration, when it worked and when it waited, what changed line by\n" +
			"line, and what the agent said. Keys that your environment and settings hold are left out of it.\n" +
			"The page needs nothing else and asks nobody for anything. It is written into the run's folder, out of your\n" +
			"work tree, unless you name a file, and is for you alone (mode 0600).\n\n" +
			"--open shows it with the program in BROWSER, else with the one that your system has for pages.",
		Example:           "  refrain report --open\n  refrain report build-7 -o night.html\n  refrain report -o - >/srv/www/night.html",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	cmd.Flags().StringVarP(&to, "file", "o", "", "write it to this file (- is stdout; without it, report.html in the run's folder)")
	// -f follows a run everywhere else. It stays for those who have learnt it.
	cmd.Flags().StringVarP(&to, "to-file", "f", "", "the same as --file")
	_ = cmd.Flags().MarkHidden("to-file") // fails only for a flag that is not there
	open := cmd.Flags().Bool("open", false, "show it in a browser")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *open && to == "-" {
			return usage("--open needs a file to open, and -o - writes none", "leave one of them out")
		}
		store, entry, err := sh.find(first(args))
		if err != nil {
			return err
		}
		data, err := gather(cmd.Context(), store, entry)
		if err != nil {
			return err
		}
		if to == "-" {
			return page.Write(sh.out, data)
		}
		if to == "" {
			to = filepath.Join(entry.Dir, pageName)
		}
		if err := writePage(to, data); err != nil {
			return err
		}
		full, err := filepath.Abs(to)
		if err != nil {
			full = to
		}
		if *asJSON {
			err = printJSON(sh.out, map[string]string{"run": entry.Name, "file": full})
		} else {
			_, err = fmt.Fprintf(sh.out, "wrote %s\n", full)
		}
		if err != nil || !*open {
			return err
		}
		return showPage(cmd.Context(), full)
	}
	return cmd
}

// pageName is the report in the folder of its run.
const pageName = "report.html"

// maxOpening is how long a browser may take to say that it has the page. One that
// stays until it is closed is left alone.
const maxOpening = 5 * time.Second

// showPage opens a page in the user's browser.
func showPage(ctx context.Context, path string) error {
	argv := append(browser(), path)
	failed := func(err error) error {
		return failure{what: fmt.Sprintf("could not open the report with %s: %v", argv[0], err), hint: "open the file yourself, or set BROWSER to a program that can", status: statusFailed}
	}
	cmd, err := chosen(argv...)
	if err != nil {
		return failed(err)
	}
	if err := cmd.Start(); err != nil {
		return failed(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // it ends with the browser, or with us
	select {
	case err := <-ended:
		if err != nil {
			return failed(err)
		}
	case <-ctx.Done():
	case <-time.After(maxOpening):
	}
	return nil
}

// browser is the command that shows a page.
func browser() []string {
	if argv := strings.Fields(os.Getenv("BROWSER")); len(argv) > 0 {
		return argv
	}
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

// gather reads the whole journal of a run, its diffs and its transcripts.
func gather(ctx context.Context, store journal.Store, entry journal.Entry) (*page.Data, error) {
	var c page.Collector
	for e, err := range store.Read(entry.Name, journal.Reading{Brief: true}) {
		if err != nil {
			return nil, err
		}
		c.Add(e)
	}
	data := c.Data(lookAt(store, entry), time.Now())
	data.Fill(pageTexts(ctx, store, entry))
	return data, nil
}

// pageTexts is where the diffs and transcripts of a page come from. A run without
// checkpoints has no diffs.
func pageTexts(ctx context.Context, store journal.Store, entry journal.Entry) page.Sources {
	hidden := app.Secrets(cmp.Or(entry.Tree, store.Tree))
	hiding := func(w io.Writer, write func(io.Writer) error) error {
		to := hidden.Writer(w)
		return errors.Join(write(to), to.Close())
	}
	s := page.Sources{Transcript: func(w io.Writer, iter, attempt int) error {
		return hiding(w, func(w io.Writer) error {
			said := &reading{to: w}
			out := term.Transcript(said, term.Options{})
			for e, err := range journal.AttemptEvents(store.AttemptDir(entry.Name, iter, attempt)) {
				if err != nil || said.err != nil {
					return errors.Join(err, said.err)
				}
				out.Observe(e)
			}
			return said.err
		})
	}}
	h, err := history.Open(ctx, store, entry)
	if err != nil || !h.Kept.CanRestore() {
		return s
	}
	diff := func(w io.Writer, from, to checkpoint.Checkpoint) error {
		return hiding(w, func(w io.Writer) error { return h.Kept.Diff(ctx, w, from, to, checkpoint.DiffOptions{}) })
	}
	s.Net = func(w io.Writer) error {
		from, to, err := span{}.of(ctx, h)
		if err != nil {
			return err
		}
		return diff(w, from, to)
	}
	s.Diff = func(w io.Writer, iter, attempt int) error {
		from, to, err := h.Around(ctx, iter, attempt)
		if err != nil {
			return err
		}
		return diff(w, from, to)
	}
	return s
}

// reading remembers that nobody reads on.
type reading struct {
	to  io.Writer
	err error
}

func (r *reading) Write(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	var n int
	n, r.err = r.to.Write(p)
	return n, r.err
}

// writePage writes the file in one go, so that a page that could not be written
// is not left half. It is for its owner: whom it is sent to is theirs to say.
func writePage(path string, data *page.Data) error {
	err := files.ReplaceWith(path, 0o600, files.NoSync, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		return errors.Join(page.Write(b, data), b.Flush())
	})
	if errors.Is(err, fs.ErrNotExist) {
		return usage(fmt.Sprintf("there is no folder %s", filepath.Dir(path)), "name a file in a folder that exists")
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
