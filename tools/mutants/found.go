package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// finding is what became of a mutant.
type finding struct {
	mutant    mutant
	Key       string // of what was tried
	Seen      bool   // a line that shows the row was red
	By        string // where it was red first
	Hung      bool   // a story did not end
	NoProgram bool   // it does not compile
	Seconds   int
}

func (f finding) String() string {
	switch {
	case f.Seen:
		return f.By
	case f.NoProgram:
		return "DOES NOT COMPILE"
	default:
		return "NOT NOTICED"
	}
}

// reason is why nobody noticed, as far as that is known.
func (f finding) reason() string {
	switch {
	case f.NoProgram:
		return "it does not compile, so it shows nothing: write the mutant anew\n" + f.By
	case f.mutant.unseen != "":
		return f.mutant.unseen
	case f.By != "":
		return "only " + f.By + " is red, and does not show this row: a line that does is missing"
	case f.Hung:
		return "a story hangs, and says nothing: it should end, and say what is wrong"
	default:
		return "every story is green: one is missing"
	}
}

// book is where findings are noted, a line each, so that a run that was ended can
// go on.
type book struct {
	path  string
	found map[string]finding
}

// openBook begins a new book, or goes on with the one that is there.
func openBook(path string, goOn bool) (*book, error) {
	b := &book{path: path, found: map[string]finding{}}
	if !goOn {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return b, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20) // what a compiler says can be long
	for scan.Scan() {
		var one finding
		if err := json.Unmarshal(scan.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: %w: remove it, or run without -go-on", path, err)
		}
		b.found[one.Key] = one
	}
	return b, scan.Err()
}

func (b *book) has(key string) bool { _, is := b.found[key]; return is }

func (b *book) note(f finding) error {
	b.found[f.Key] = f
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(b.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}
