package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/text"
)

// SpecsFolder is where specs are, below the root of the work tree.
const SpecsFolder = "specs"

// Spec is the spec that a sentence makes: what a person wants, in their own words,
// with room to say more. Its name comes from the first words.
func Spec(sentence string) File { return specNamed(slug(sentence), sentence) }

func specNamed(name, sentence string) File {
	said := strings.TrimSpace(strings.ToValidUTF8(sentence, ""))
	title, _, _ := strings.Cut(said, "\n")
	title = text.Shorten(strings.TrimRight(text.Line(title), ".! "), 72)
	return File{
		Path: SpecsFolder + "/" + name + ".md", Mode: plain, Keep: true,
		Text: "# " + title + "\n\n" + said + "\n\n## Requirements\n\n" +
			"<!-- What must be true when this is done. Lines that can fail are the best, such as:\n" +
			"     - A file name MUST NOT lead out of the folder. -->\n",
	}
}

// WriteSpec writes the spec of a sentence below a root. One that has the sentence
// already is that spec, whatever else was written into it since; any other file
// keeps its name, and the new one has a number.
func WriteSpec(root, sentence string) (Result, error) {
	f, err := FindSpec(root, sentence)
	if err != nil {
		return Result{}, err
	}
	results, err := Write(root, []File{f}, false)
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}

// FindSpec is the spec of a sentence below a root, with the name that WriteSpec gives
// to it: one that is there, or one that is free.
func FindSpec(root, sentence string) (File, error) {
	tree, err := files.OpenTree(root)
	if err != nil {
		return File{}, fmt.Errorf("open the work tree: %w", err)
	}
	defer tree.Close()
	said := strings.Join(strings.Fields(strings.ToValidUTF8(sentence, "")), " ")
	for n := 1; ; n++ {
		name := slug(sentence)
		if n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		f := specNamed(name, sentence)
		if err := reachable(tree, f.Path); err != nil {
			return File{}, err
		}
		if _, err := tree.Lstat(filepath.FromSlash(f.Path)); errors.Is(err, fs.ErrNotExist) {
			return f, nil
		}
		old, err := readOld(tree, filepath.FromSlash(f.Path))
		if err == nil && strings.Contains(strings.Join(strings.Fields(string(old)), " "), said) {
			return f, nil
		}
		if n == manySpecs {
			return File{}, &RefusedError{f.Path, "there are too many specs of this name", "say it in other words, or take old ones away"}
		}
	}
}

// manySpecs is more than anybody has that begin with the same words.
const manySpecs = 100

// maxSlug is as long as a name may be that people type.
const maxSlug = 40

// slug is a name for a file, from the first words of a sentence.
func slug(sentence string) string {
	words := strings.FieldsFunc(strings.ToLower(sentence), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	name := ""
	for _, word := range words {
		longer := strings.TrimPrefix(name+"-"+word, "-")
		if len([]rune(longer)) > maxSlug {
			break
		}
		name = longer
	}
	switch {
	case name == "" && len(words) > 0:
		name = string([]rune(words[0])[:maxSlug])
	case name == "":
		name = "spec"
	}
	if name == "readme" || name == "index" { // those list the others
		name += "-spec"
	}
	return name
}
