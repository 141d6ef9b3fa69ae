package setting

import "strings"

// DidYouMean is a hint that names the candidate that word was probably meant
// to be, or empty.
func DidYouMean(word string, candidates []string) string {
	if best := Nearest(word, candidates); best != "" {
		return "did you mean " + Quote(best) + "?"
	}
	return ""
}

// Nearest is the candidate with the same last part, else the one with the
// fewest changes, if these are few.
func Nearest(word string, candidates []string) string {
	best, fewest := "", len(word)/6+2
	for _, c := range candidates {
		if strings.HasSuffix(c, "."+word) {
			return c
		}
		if len(word) > len(c)+fewest { // far too long, perhaps very long
			continue
		}
		if n := changes(strings.ToLower(word), strings.ToLower(c)); n < fewest {
			best, fewest = c, n
		}
	}
	return best
}

// changes counts the letters to insert, delete, replace or swap with the next
// between two words.
func changes(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			d[i][j] = min(replaced, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
