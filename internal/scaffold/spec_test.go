package scaffold

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTheNameOfASpec(t *testing.T) {
	for sentence, want := range map[string]string{
		"Add an export command":              "specs/add-an-export-command.md",
		"  Add: export / import!\nand more ": "specs/add-export-import-and-more.md",
		"../../etc/passwd":                   "specs/etc-passwd.md",
		"README":                             "specs/readme-spec.md",
		"Füge Export hinzu":                  "specs/füge-export-hinzu.md",
		"???":                                "specs/spec.md",
		"Write every note to a file of its own, in one folder": "specs/write-every-note-to-a-file-of-its-own-in.md",
		strings.Repeat("x", 99):                                "specs/" + strings.Repeat("x", maxSlug) + ".md",
	} {
		if got := Spec(sentence).Path; got != want {
			t.Errorf("Spec(%q).Path = %s, want %s", sentence, got, want)
		}
	}
}

func TestASpecStaysInItsFolder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Spec(rapid.String().Draw(t, "sentence"))
		if !filepath.IsLocal(f.Path) || filepath.Dir(f.Path) != SpecsFolder || len([]rune(filepath.Base(f.Path))) > maxSlug+len("-spec.md") {
			t.Errorf("%q is no name for a spec", f.Path)
		}
	})
}

func TestASpecIsWrittenOnce(t *testing.T) {
	root := t.TempDir()
	write := func(sentence string) Result {
		t.Helper()
		r, err := WriteSpec(root, sentence)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := write("Add an export command"); r.Action != Created {
		t.Errorf("first: %+v", r)
	}
	path := filepath.Join(root, "specs", "add-an-export-command.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mine := string(text) + "\n- It MUST write CSV.\n"
	if err := os.WriteFile(path, []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := write("Add an  export command"); r.Action != Kept || r.Path != "specs/add-an-export-command.md" {
		t.Errorf("again: %+v", r)
	}
	if r := write("Add an export command!! Now."); r.Action != Created || r.Path != "specs/add-an-export-command-now.md" {
		t.Errorf("another sentence: %+v", r)
	}
	if err := os.WriteFile(path, []byte("# Something else\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := write("Add an export command"); r.Action != Created || r.Path != "specs/add-an-export-command-2.md" {
		t.Errorf("beside another file: %+v", r)
	}
	if text, _ := os.ReadFile(path); string(text) != "# Something else\n" {
		t.Errorf("it was overwritten: %s", text)
	}
}

func TestASpecThatCannotBeWritten(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "specs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var refused *RefusedError
	if _, err := WriteSpec(root, "Add an export command"); !errors.As(err, &refused) || refused.Hint != "rename it" {
		t.Errorf("got %v", err)
	}
}
