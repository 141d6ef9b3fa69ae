package text

import (
	"fmt"
	"strings"
)

// Sieve says of a line which of many forms it can be of, from a few of its bytes:
// most lines of an output are of none, and that shows at once.
type Sieve struct {
	forms []*Form
	// By what stands in four places, the forms that may have it there.
	first, second, ink, last table
}

// table is some forms for each byte, or nothing, that may stand in a place.
type table [FirstBytes]Forms

func (t *table) add(bytes bytesOf, form int) {
	for b := range t {
		if bytes.has(b) {
			t[b].Add(form)
		}
	}
}

// Forms is some of the forms of a sieve, by their places in its list.
type Forms [4]uint64

// mostForms is how many there can be.
const mostForms = len(Forms{}) * 64

// Add puts one more in.
func (f *Forms) Add(i int) { f[i/64] |= 1 << (i % 64) }

// NewSieve makes a sieve of forms.
func NewSieve(forms []*Form) *Sieve {
	if len(forms) > mostForms {
		panic(fmt.Sprintf("a sieve of %d forms: %d fit", len(forms), mostForms))
	}
	s := &Sieve{forms: forms}
	for i, f := range forms {
		s.first.add(f.edges.first, i)
		s.second.add(f.edges.second, i)
		s.ink.add(f.edges.ink, i)
		s.last.add(f.edges.last, i)
	}
	return s
}

// May is the forms that a line may be of. Most of them it is not of.
func May[T string | []byte](s *Sieve, line T) (may Forms) {
	if len(line) == 0 {
		return s.first[nothing]
	}
	second, ink := nothing, nothing
	if len(line) > 1 {
		second = int(line[1])
	}
	for i := range len(line) {
		if line[i] != ' ' {
			ink = int(line[i])
			break
		}
	}
	a, b, c, d := &s.first[line[0]], &s.second[second], &s.ink[ink], &s.last[line[len(line)-1]]
	for i := range may {
		may[i] = a[i] & b[i] & c[i] & d[i]
	}
	return may
}

// Likely tells of one of the forms that a line may be of whether it still may,
// once what has to stand in it is looked for.
func (s *Sieve) Likely(i int, line string) bool {
	f := s.forms[i]
	return f.May(line) && strings.Contains(line, f.within)
}
