package seal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// HeadName is the file that says how far a journal has come.
const HeadName = "journal.head"

// Mark is a place in a journal.
type Mark struct {
	Events int    `json:"events"`         // how many there are up to it
	Seal   string `json:"seal,omitempty"` // of the last of them
}

// Start is the place before the first line.
func (c Chain) Start() Mark { return Mark{Seal: c.seed} }

// Place is what a sealed file of the chain is bound to.
func (c Chain) Place(name string) string { return c.seed + " " + name }

// HeadLine writes a mark, in always the same length.
func (c Chain) HeadLine(m Mark) []byte {
	line := fmt.Appendf(nil, "%012d %s", m.Events, m.Seal)
	return fmt.Appendf(line, " %s", c.sum(c.Place(HeadName), line))
}

// ParseHead reads what HeadLine wrote, and tells whether it did.
func (c Chain) ParseHead(line []byte) (Mark, bool) {
	parts := strings.Split(string(line), " ")
	if len(parts) != 3 {
		return Mark{}, false
	}
	n, err := strconv.Atoi(parts[0])
	m := Mark{Events: n, Seal: parts[1]}
	return m, err == nil && slices.Equal(c.HeadLine(m), line)
}
