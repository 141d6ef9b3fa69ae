package request

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/prompt"
)

// PromptsFolder is where a user's own version of a built-in prompt lies, below
// the work tree.
const PromptsFolder = ".refrain/prompts"

// HasPrompt tells whether the agent gets a prompt. A command after "--" gets that
// of a procedure, too: its own parts, or a file that the settings name.
func (a Assignment) HasPrompt() bool { return a.Request.hasPrompt() || a.procedureSpeaks() }

// procedureSpeaks tells whether the procedure has a prompt, and not only settings.
func (a Assignment) procedureSpeaks() bool {
	return a.Request.Procedure != "" && (a.Config().Prompt == "" || a.Settings.IsSet("prompt"))
}

// askedFor stands before the words of a person in a prompt that others have
// written, so that the agent knows them from what holds for every run.
const askedFor = "The user asks for this in particular:\n\n"

// settled is the assignment with the words of a person where they belong. Those
// who say a sentence to a procedure want it done in the procedure's way: to lose
// its prompt for it would leave an agent without any.
func (a Assignment) settled() Assignment {
	r := &a.Request
	switch {
	case r.Words == "":
		return a
	case r.Prompt != "" || r.File != "" || a.procedureSpeaks():
		r.Context = append([]string{askedFor + r.Words}, r.Context...)
	default:
		r.Prompt = r.Words
	}
	r.Words = ""
	return a
}

// Telling is what tells a prompt from others: what the user has said to a
// procedure, else the prompt itself. A built-in one begins alike every time.
func (a Assignment) Telling(prompt string) string {
	if len(a.Request.Context) > 0 {
		if words, ok := strings.CutPrefix(a.Request.Context[0], askedFor); ok {
			return words
		}
	}
	if _, builtIn := procedure.Find(a.Request.Procedure); builtIn && a.Request.Prompt == "" && a.Request.File == "" && a.procedureSpeaks() {
		return ""
	}
	return prompt
}

// Pieces is what the prompt is made of: the text or the file that was asked for,
// the parts of the procedure, or the file that the settings name.
func (a Assignment) Pieces() (title string, list []prompt.Piece, err error) {
	switch {
	case len(a.Request.Pieces) > 0: // frozen when the run began
		return a.Request.Title, a.Request.Pieces, nil
	case a.Request.Prompt != "":
		return "", []prompt.Piece{{Name: "prompt", Text: a.Request.Prompt, Trusted: true}}, nil
	case a.Request.File != "":
		return "", []prompt.Piece{a.filePiece("", a.Request.File, a.Tree)}, nil
	case a.Config().Prompt != "":
		return "", []prompt.Piece{a.filePiece("", a.Config().Prompt, a.Tree)}, nil
	}
	return a.procedurePieces(a.Request.Procedure)
}

// procedurePieces puts a procedure's prompt together. One that the user has put
// into the prompts folder under its name is taken instead of the built-in one.
func (a Assignment) procedurePieces(name string) (string, []prompt.Piece, error) {
	table := a.Config().Procedures[name]
	built, _ := procedure.Find(name)
	title := table.Title
	if title == "" {
		title = built.Title
	}
	own := filepath.Join(a.Tree, filepath.FromSlash(PromptsFolder), name+".md")
	if _, err := os.Stat(own); a.Request.Untrusted {
		// it is the work tree's, and not read
	} else if err == nil && table.Parts == nil {
		return "", []prompt.Piece{a.filePiece("", own, a.Tree)}, a.wholeFile(name, own)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, &UsageError{What: fmt.Sprintf("read the prompt of %s: %v", name, err), Hint: "make it a file that you may read, or move it away"}
	}
	var parts []config.PromptPart
	for _, p := range built.Parts {
		parts = append(parts, config.PromptPart{Section: p.Section, Builtin: p.Fragment})
	}
	var list []prompt.Piece
	for _, p := range table.Prompt(parts) {
		switch {
		case p.Builtin != "":
			text, _ := procedure.Fragment(p.Builtin)
			list = append(list, prompt.Piece{Section: p.Section, Name: "builtin:" + p.Builtin, Text: text, Trusted: true})
		case p.Text != "":
			list = append(list, prompt.Piece{Section: p.Section, Name: p.Key, Text: p.Text, Dir: p.Dir, Trusted: true})
		default:
			list = append(list, a.filePiece(p.Section, p.File, p.Dir))
		}
	}
	return title, list, nil
}

// wholeFile refuses to change a section of a prompt that is one file: it would
// not be heard.
func (a Assignment) wholeFile(name, file string) error {
	table := a.Config().Procedures[name]
	for _, set := range []struct {
		key string
		is  bool
	}{
		{"title", table.Title != ""},
		{"observe", table.Observe != nil},
		{"orient", table.Orient != nil},
		{"decide", table.Decide != nil},
		{"act", table.Act != nil},
	} {
		if set.is {
			return &UsageError{
				What: fmt.Sprintf("procedures.%s.%s is set, but %s is the whole prompt", name, set.key, shown(a.Tree, file)),
				Hint: "edit that file, or move it away to have the built-in sections",
			}
		}
	}
	return nil
}

func (a Assignment) filePiece(section, path, dir string) prompt.Piece {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, filepath.FromSlash(path))
	}
	if name := shown(a.Tree, path); name != path { // people know it from the work tree on
		return prompt.Piece{Section: section, Name: name, Path: filepath.FromSlash(name), Dir: a.Tree, Trusted: true}
	}
	return prompt.Piece{Section: section, Name: path, Path: path, Trusted: true}
}

// shown is a path as people know it: from the work tree, if it is there.
func shown(tree, path string) string {
	if straight, err := filepath.EvalSymlinks(path); err == nil {
		if root, err := filepath.EvalSymlinks(tree); err == nil {
			if rel, err := filepath.Rel(root, straight); err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel)
			}
		}
	}
	if rel, err := filepath.Rel(tree, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// Frozen is the pieces with their texts as they are now, so that a resume has
// the same.
func Frozen(pieces []prompt.Piece) ([]prompt.Piece, error) {
	list := make([]prompt.Piece, len(pieces))
	for i, p := range pieces {
		text, err := p.Read()
		if err != nil {
			return nil, PromptProblem(err)
		}
		list[i] = prompt.Piece{Section: p.Section, Name: p.Name, Text: text, Dir: p.Dir, Trusted: p.Trusted}
		if p.Path != "" {
			list[i].Dir = filepath.Dir(p.Path)
			if !filepath.IsAbs(p.Path) {
				list[i].Dir = filepath.Join(p.Dir, list[i].Dir)
			}
		}
	}
	return list, nil
}

// Templated tells whether the prompt is a template. Words that were typed, or
// piped in, are taken as they are.
func (a Assignment) Templated() bool { return strings.TrimSpace(a.Request.Prompt) == "" }

// PromptProblem is what is wrong with a prompt, as a mistake in what was asked
// for.
func PromptProblem(err error) error {
	var p *prompt.Error
	if errors.As(err, &p) {
		return &UsageError{What: p.Error(), Hint: p.Hint}
	}
	return err
}
