package conformance

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
)

// Books are the rows, what is left out of them, and the stories.
type Books struct {
	Rows    []Row
	LeftOut map[string]LeftOut
	Stories []Story
}

// Open reads the books of a repository.
func Open(repository fs.FS) (Books, error) {
	rows, err := Rows()
	if err != nil {
		return Books{}, err
	}
	list, err := LeftOuts()
	if err != nil {
		return Books{}, err
	}
	stories, err := Stories(repository)
	if err != nil {
		return Books{}, err
	}
	b := Books{Rows: rows, LeftOut: map[string]LeftOut{}, Stories: stories}
	for _, out := range list {
		if b.LeftOut[out.ID].ID != "" {
			return Books{}, fmt.Errorf("left-out.txt: %s is there twice", out.ID)
		}
		b.LeftOut[out.ID] = out
	}
	return b, nil
}

// mostApart is how many rows of a hundred we may decide against: with more of them
// nobody who knows a system would find it here.
const mostApart = 3

func (b Books) apart() int {
	n := 0
	for _, out := range b.LeftOut {
		if out.Kind == Apart {
			n++
		}
	}
	return n
}

// Check says what is wrong with the books, in the order of the lists.
func (b Books) Check() []string {
	var wrong []string
	for _, row := range b.Rows {
		told := b.tellers(row.ID)
		out, left := b.LeftOut[row.ID]
		switch {
		case len(told) == 0 && !left:
			wrong = append(wrong, fmt.Sprintf("%s has no story and is not left out: %s", row.ID, row.Text))
		case len(told) > 0 && left && out.Kind != Broken:
			wrong = append(wrong, fmt.Sprintf("%s is left out, but %s tells of it", row.ID, told[0].Path))
		case left && out.Kind == Broken && len(told) == 0:
			wrong = append(wrong, fmt.Sprintf("%s is called broken, and no story shows it", row.ID))
		}
	}
	if apart := b.apart(); apart*100 >= mostApart*len(b.Rows) {
		wrong = append(wrong, fmt.Sprintf("%d of %d rows are apart, and that must be less than %d of 100", apart, len(b.Rows), mostApart))
	}
	for _, id := range slices.Sorted(maps.Keys(b.LeftOut)) {
		if !b.known(id) {
			wrong = append(wrong, fmt.Sprintf("left-out.txt: %s is no row", id))
		}
	}
	for _, story := range b.Stories {
		wrong = append(wrong, b.checkStory(story)...)
	}
	return wrong
}

func (b Books) checkStory(s Story) []string {
	var wrong []string
	for _, what := range s.Wrong {
		wrong = append(wrong, s.Path+":"+what)
	}
	if s.System != "" && len(s.Shown) == 0 {
		wrong = append(wrong, fmt.Sprintf("%s names no row", s.Path))
	}
	for _, at := range s.Shown {
		i := slices.IndexFunc(b.Rows, func(r Row) bool { return r.ID == at.Row })
		switch {
		case i < 0:
			wrong = append(wrong, fmt.Sprintf("%s:%d: %s is no row", s.Path, at.Line, at.Row))
		case s.System != "" && !b.Rows[i].Of(s.System):
			wrong = append(wrong, fmt.Sprintf("%s:%d: %s is nothing that %s asks for", s.Path, at.Line, at.Row, s.System))
		case at.Spec != "" && !slices.Contains(b.Rows[i].Specs, at.Spec):
			wrong = append(wrong, fmt.Sprintf("%s:%d: %s is no row of %s", s.Path, at.Line, at.Row, at.Spec))
		}
	}
	return wrong
}

func (b Books) known(id string) bool {
	return slices.ContainsFunc(b.Rows, func(r Row) bool { return r.ID == id })
}

// tellers are the stories that show a row.
func (b Books) tellers(id string) []Story {
	var list []Story
	for _, s := range b.Stories {
		if s.shows(id) {
			list = append(list, s)
		}
	}
	return list
}

// Places writes where each row is shown, a line for each place: the row, the
// story and its lines, the name of the test.
func (b Books) Places(w io.Writer) {
	for _, row := range b.Rows {
		for _, s := range b.tellers(row.ID) {
			for _, at := range s.Shown {
				if at.Row == row.ID {
					fmt.Fprintf(w, "%-8s %s:%s %s\n", row.ID, s.Path, at.lines(), s.Test)
				}
			}
		}
	}
}
