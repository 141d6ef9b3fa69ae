package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	page "github.com/refrain-loop/refrain/internal/report"
)

func reportCommand(sh *shell) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Write a run as one HTML page with charts, to look at offline or send to others",
		Long: "Write all there is to see of a run into one HTML file: how it ended and how that was proven, every refused\n" +
			"claim, tests, cost, context and duration of each iteration, when it worked and when it waited, and what changed.\n" +
			"The page needs nothing else and asks nobody for anything. The file is for you alone (mode 0600).",
		Example:           "  refrain report\n  refrain report build-7 -o night.html\n  refrain report -o - >/srv/www/night.html",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	cmd.Flags().StringVarP(&to, "file", "o", "", "write it to this file (- is stdout; without it, RUN.html)")
	// -f follows a run everywhere else. It stays for those who have learnt it.
	cmd.Flags().StringVarP(&to, "to-file", "f", "", "the same as --file")
	_ = cmd.Flags().MarkHidden("to-file") // fails only for a flag that is not there
	asJSON := addJSON(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		store, entry, err := sh.find(first(args))
		if err != nil {
			return err
		}
		data, err := gather(store, entry)
		if err != nil {
			return err
		}
		if to == "-" {
			return page.Write(sh.out, data)
		}
		if to == "" {
			to = entry.Name + ".html"
		}
		if err := writePage(to, data); err != nil {
			return err
		}
		full, err := filepath.Abs(to)
		if err != nil {
			full = to
		}
		if *asJSON {
			return printJSON(sh.out, map[string]string{"run": entry.Name, "file": full})
		}
		fmt.Fprintf(sh.out, "wrote %s\n", full)
		return nil
	}
	return cmd
}

// gather reads the whole journal of a run.
func gather(store journal.Store, entry journal.Entry) (*page.Data, error) {
	var c page.Collector
	for e, err := range store.Events(entry.Name, 0) {
		if err != nil {
			return nil, err
		}
		c.Add(e)
	}
	return c.Data(lookAt(store, entry), time.Now()), nil
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
