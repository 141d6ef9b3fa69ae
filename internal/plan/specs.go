package plan

import (
	"fmt"
	"path"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
)

// Spec is a file that says what is wanted.
type Spec struct {
	Path         string
	Title        string // its first heading, else its name
	Requirements []Requirement

	headings []specHeading
	places   map[string]int // of each "#anchor" and "§number", the index of its heading
}

// Requirement is one thing that a spec asks for.
type Requirement struct {
	ID    string `json:"id,omitempty"` // as in "REQ-12: …", or the number of a heading
	Text  string `json:"text"`
	Level Level  `json:"level"`
	Line  int    `json:"line_number"`

	within []int // the indices of the headings around it, outermost first; of a heading also its own
}

// Level is how a requirement is stated. The words are those of RFC 2119, in
// capitals, and also stand for their synonyms: SHALL is a MUST.
type Level string

// The levels of a requirement.
const (
	Must    Level = "MUST"
	Should  Level = "SHOULD"
	May     Level = "MAY"
	Box     Level = "box"     // a list item with a box
	Heading Level = "heading" // one with nothing below it that is stated more exactly
)

// specHeading is a heading of a spec.
type specHeading struct {
	level, line int
	id, text    string
	within      []int
}

// Name is the name of the spec without folder and extension.
func (s Spec) Name() string { return stem(s.Path) }

// Index tells that the file is the table of contents of its folder. It may be
// referred to, but asks for nothing.
func (s Spec) Index() bool { return isIndex(s.Path) }

// ReadSpecs reads the markdown files in a folder and in those below it, sorted
// by their paths, which begin with the folder as it is given. What is hidden is
// left out. The error is an fs.ErrNotExist when there is no such folder.
func ReadSpecs(dir string) ([]Spec, error) {
	folder, err := files.OpenTree(dir)
	if err != nil {
		return nil, fmt.Errorf("read specs: %w", err)
	}
	defer folder.Close()
	names, err := markdownBelow(folder)
	if err != nil {
		return nil, fmt.Errorf("read specs %s: %w", dir, err)
	}
	var specs []Spec
	for _, file := range names {
		text, err := readBelow(folder, file)
		if err != nil {
			return nil, fmt.Errorf("read spec %s: %w", filepath.Join(dir, filepath.FromSlash(file)), cause(err))
		}
		specs = append(specs, ParseSpec(path.Join(filepath.ToSlash(dir), file), text))
	}
	return specs, nil
}
