package app

import (
	"errors"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/prompt"
)

// front gives what the prompt of a request says of settings, in the front matter
// of its files. Which prompt that is, the other settings tell. One that cannot be
// had says nothing here: who needs it will find out.
func front(tree string, req Request) func(*config.Resolved) ([]config.Front, *config.Problem) {
	return func(settings *config.Resolved) ([]config.Front, *config.Problem) {
		j := &Job{Tree: tree, Request: req.called(), Settings: settings}
		if !j.hasPrompt() || !j.templated() {
			return nil, nil
		}
		_, pieces, err := j.pieces()
		if err != nil {
			return nil, nil
		}
		var list []config.Front
		for _, piece := range pieces {
			text, err := piece.Read()
			if err != nil {
				continue
			}
			f, _, err := prompt.ReadFront(piece.Name, text)
			var bad *prompt.Error
			if errors.As(err, &bad) {
				return nil, &config.Problem{File: bad.Path, Line: bad.Line, What: bad.What, Hint: bad.Hint}
			}
			list = append(list, config.Front{File: piece.Name, Settings: f.Settings, Lines: f.Lines})
		}
		return list, nil
	}
}
