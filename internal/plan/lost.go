package plan

import (
	"slices"
	"strings"
	"unicode"
)

// Lost gives the tasks of before, open or in progress, that are gone in after:
// neither there in any state, nor reworded in their section. White space and
// case do not matter, and the same text twice is two tasks.
func Lost(before, after Tasks) []Task {
	gone, fresh := unmatched(before, after)
	if len(gone) == 0 {
		return nil
	}
	return withoutReworded(gone, fresh)
}

// unmatched pairs tasks by their text. It gives the unfinished ones of before
// that have no partner, and those of after that are nobody's partner.
func unmatched(before, after Tasks) (gone, fresh []Task) {
	left := map[string]*stock{}
	for _, task := range after {
		if left[key(task)] == nil {
			left[key(task)] = &stock{}
		}
		left[key(task)].put(task)
	}
	for _, task := range before { // first, so that no done task stands for an open one
		if have := left[key(task)]; have != nil && task.Status == Done {
			have.takeDone()
		}
	}
	for _, task := range before {
		if have := left[key(task)]; task.Status != Done && (have == nil || !have.take()) {
			gone = append(gone, task)
		}
	}
	for _, task := range after {
		if have := left[key(task)]; have.take() {
			fresh = append(fresh, task)
		}
	}
	return gone, fresh
}

// stock counts the tasks of one text.
type stock struct{ done, other int }

func (s *stock) put(t Task) {
	if t.Status == Done {
		s.done++
		return
	}
	s.other++
}

func (s *stock) takeDone() { s.done = max(s.done-1, 0) }

// take takes any of them, an unfinished one first.
func (s *stock) take() bool {
	switch {
	case s.other > 0:
		s.other--
	case s.done > 0:
		s.done--
	default:
		return false
	}
	return true
}

func key(t Task) string { return strings.ToLower(t.Text) }

// maxReworded is how many tasks are compared word by word. Nobody rewords more
// of them in one go, and comparing all with all takes its time.
const maxReworded = 500

// withoutReworded leaves out the tasks that are still there in other words.
// Every new task stands for at most one old one.
func withoutReworded(gone, fresh []Task) []Task {
	var left []wording
	for _, task := range fresh[:min(len(fresh), maxReworded)] {
		left = append(left, wordingOf(task))
	}
	var lost []Task
	for n, task := range gone {
		if n >= maxReworded {
			return append(lost, gone[n:]...)
		}
		at := closest(wordingOf(task), left)
		if at < 0 {
			lost = append(lost, task)
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	return lost
}

// wording is where a task stands, and its words.
type wording struct {
	file, section string
	words         map[string]bool
}

func wordingOf(t Task) wording { return wording{t.File, t.Section, wordsOf(t)} }

// closest finds the wording that could be a new one of w, the nearest first.
func closest(w wording, list []wording) int {
	best, most := -1, 0
	for i, other := range list {
		if other.file != w.file || other.section != w.section {
			continue
		}
		if n := shared(w.words, other.words); n > most && alike(n, len(w.words)) {
			best, most = i, n
		}
	}
	return best
}

// alike tells whether enough words of the old task are in the new one. Words
// that were added do not count against it; a task cut down to a few words is
// not the same task.
func alike(shared, all int) bool { return shared*3 >= all*2 }

func wordsOf(t Task) map[string]bool {
	set := map[string]bool{}
	for _, word := range words(t.Text) {
		set[word] = true
	}
	return set
}

// words are the words of a text, in small letters.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func shared(a, b map[string]bool) int {
	n := 0
	for word := range a {
		if b[word] {
			n++
		}
	}
	return n
}
