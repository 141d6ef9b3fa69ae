// Mutants breaks the program on purpose, in one place after the other, and demands
// that a story turns red each time: of a suite that stays green whatever is broken,
// nobody can say what it is worth.
//
//	go run ./mutants [-run REGEXP] [-go-on] [-list] [FOLDER]
//
// What is broken stands in table.go, each with the row of conformance/rows.txt that
// it betrays; the stories that show this row are told with the broken program, and
// one of the lines that show it must be red. The files of the repository stay as
// they are: the compiler is given others in their place.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

// enough is how many of a hundred mutants must be noticed.
const enough = 95

func main() {
	only := flag.String("run", "", "only mutants whose row or file matches this")
	goOn := flag.Bool("go-on", false, "do not try again what the last run has tried: same edit, same file, same stories")
	list := flag.Bool("list", false, "only print the table")
	flag.Parse()
	dir := "."
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := run(ctx, dir, *only, *goOn, *list)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, only string, goOn, list bool) (ok bool, err error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return false, err
	}
	pick, err := regexp.Compile(only)
	if err != nil {
		return false, err
	}
	var chosen []mutant
	for _, m := range table {
		if pick.MatchString(m.row) || pick.MatchString(m.file) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		return false, fmt.Errorf("-run %s: no row and no file of the table is called so", only)
	}
	if list {
		for _, m := range chosen {
			fmt.Printf("%-9s %-34s %s\n", m.row, m.file, m.what)
		}
		return true, nil
	}
	scratch, err := os.MkdirTemp("", "refrain-mutants-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)
	b := breaker{root: root, scratch: scratch, program: goProgram()}
	if b.shown, err = b.places(ctx); err != nil {
		return false, err
	}
	book, err := openBook(filepath.Join(root, "tools", "mutants", "found.out"), goOn || only != "")
	if err != nil {
		return false, err
	}
	found, err := tryAll(ctx, b, book, chosen, !goOn)
	report(os.Stdout, found)
	return err == nil && passed(found), err
}

func goProgram() string {
	if p := os.Getenv("GO"); p != "" {
		return p
	}
	return "go"
}

// tryAll breaks the program in one place after the other, also where the book says
// what came of it if that is to be found anew. What was found before something went
// wrong is returned with it.
func tryAll(ctx context.Context, b breaker, book *book, chosen []mutant, anew bool) ([]finding, error) {
	keys := make([]string, len(chosen))
	var left []place
	for i, m := range chosen {
		key, err := b.key(m)
		if err != nil {
			return nil, err
		}
		keys[i] = key
		if anew {
			delete(book.found, key)
		}
		if !book.has(key) {
			left = append(left, b.shown[m.row]...)
		}
	}
	// Red stories notice everything.
	if len(left) > 0 {
		fmt.Printf("The program as it is: ")
		red, err := b.tell(ctx, "", left)
		if err != nil {
			return nil, err
		}
		if len(red.lines) > 0 || red.hung {
			return nil, fmt.Errorf("the stories are red before anything is broken: %s", red)
		}
		fmt.Printf("the stories are green.\n\n")
	}

	var all []finding
	for i, m := range chosen {
		f, known := book.found[keys[i]]
		if !known {
			start := time.Now()
			var err error
			if f, err = b.try(ctx, m); err != nil {
				return all, err
			}
			f.Key, f.Seconds = keys[i], int(time.Since(start).Seconds())
			if err := book.note(f); err != nil {
				return all, err
			}
		}
		f.mutant = m
		all = append(all, f)
		fmt.Printf("%3d  %-9s %-34s %-52s %4ds  %s\n", i+1, m.row, m.file, m.what, f.Seconds, f)
	}
	return all, nil
}

// report says how many were noticed, and why the others were not.
func report(w io.Writer, found []finding) {
	seen := 0
	title := "\nNot noticed:\n"
	for _, f := range found {
		if f.Seen {
			seen++
			continue
		}
		fmt.Fprintf(w, "%s  %-9s %s: %s\n            %s\n", title, f.mutant.row, f.mutant.file, f.mutant.what, f.reason())
		title = ""
	}
	fmt.Fprintf(w, "\n%d tried, %d noticed (%.1f %%)\n", len(found), seen, 100*float64(seen)/float64(max(1, len(found))))
}

// passed tells whether the stories are worth something. A mutant that does not
// compile is a mistake in the table, whatever the others do.
func passed(found []finding) bool {
	seen := 0
	for _, f := range found {
		if f.Seen {
			seen++
		}
	}
	broken := slices.ContainsFunc(found, func(f finding) bool { return f.NoProgram })
	return !broken && seen*100 >= enough*len(found)
}
