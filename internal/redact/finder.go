package redact

import (
	"slices"
	"sort"
	"strings"
)

// pattern is a text to find, and what to write instead.
type pattern struct{ text, mask string }

// finder finds many texts at once. It looks at two bytes at the end of a window
// as wide as the shortest text; most pairs are in none of the texts, and then the
// whole window is passed over (Wu and Manber). So it costs little where nothing is
// found, which is nearly always.
type finder struct {
	patterns []pattern // sorted
	window   int
	longest  int
	skip     [1 << 16]uint8 // how far the window moves, by its last two bytes
	ending   map[uint16][]int32
	first    [256]bool // whether a text begins with the byte
}

// maxWindow is as far as the table can count.
const maxWindow = 200

func newFinder(list []pattern) *finder {
	slices.SortStableFunc(list, func(a, b pattern) int { return strings.Compare(a.text, b.text) })
	list = slices.CompactFunc(list, func(a, b pattern) bool { return a.text == b.text })
	f := &finder{patterns: list, window: maxWindow, ending: map[uint16][]int32{}}
	for _, p := range list {
		f.window, f.longest = min(f.window, len(p.text)), max(f.longest, len(p.text))
		f.first[p.text[0]] = true
	}
	for i := range f.skip {
		f.skip[i] = uint8(f.window - 1)
	}
	for i, p := range list {
		for at := 1; at < f.window; at++ {
			pair := uint16(p.text[at-1])<<8 | uint16(p.text[at])
			f.skip[pair] = min(f.skip[pair], uint8(f.window-1-at))
			if at == f.window-1 {
				f.ending[pair] = append(f.ending[pair], int32(i))
			}
		}
	}
	for i, p := range list { // a name that tells a secret is not told
		if slices.ContainsFunc(list, func(q pattern) bool { return strings.Contains(p.mask, q.text) }) {
			list[i].mask = bareMask
		}
	}
	return f
}

// span is a part of a text that is hidden. Without a mask it is the rest of one
// that was begun before.
type span struct {
	start, end int
	mask       string
}

// spans are the parts of a text that are hidden, in order. Texts that overlap are
// one part, with the name of the first, and of those the longest: to hide only one
// would leave a piece of the other. The covered bytes are hidden already.
func spans[T string | []byte](f *finder, data T, covered int) []span {
	var list []span
	if covered > 0 {
		list = append(list, span{end: covered})
	}
	for i := f.window - 1; i < len(data); {
		pair := uint16(data[i-1])<<8 | uint16(data[i])
		if skip := f.skip[pair]; skip > 0 {
			i += int(skip)
			continue
		}
		start, longest := i-f.window+1, -1
		for _, p := range f.ending[pair] {
			end := start + len(f.patterns[p].text)
			if end <= len(data) && string(data[start:end]) == f.patterns[p].text && (longest < 0 || len(f.patterns[p].text) > len(f.patterns[longest].text)) {
				longest = int(p)
			}
		}
		if longest >= 0 {
			end := start + len(f.patterns[longest].text)
			if last := len(list) - 1; last >= 0 && start < list[last].end {
				list[last].end = max(list[last].end, end)
			} else {
				list = append(list, span{start, end, f.patterns[longest].mask})
			}
		}
		i++
	}
	return list
}

// open is where the first text may begin of which data has only the beginning;
// the end of data when there is none.
func (f *finder) open(data []byte) int {
	for i := max(0, len(data)-f.longest+1); i < len(data); i++ {
		if !f.first[data[i]] {
			continue
		}
		rest := string(data[i:])
		n := sort.Search(len(f.patterns), func(n int) bool { return f.patterns[n].text > rest })
		if n < len(f.patterns) && strings.HasPrefix(f.patterns[n].text, rest) {
			return i
		}
	}
	return len(data)
}
