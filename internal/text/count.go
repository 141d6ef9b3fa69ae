package text

import (
	"strconv"
	"strings"
)

// Count writes a number with a comma at every thousand: 4,230.
func Count(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Plural counts things: 1 iteration, 2 iterations.
func Plural(n int, thing string) string { return Count(n) + " " + OneOrMany(n, thing, thing+"s") }

// OneOrMany is the word that fits a number.
func OneOrMany(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// maxNamed is how many of a list are named where a sentence has to stay short.
const maxNamed = 5

// FirstFew names the first of a list, and how many there are more.
func FirstFew(names []string) string {
	said := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		said += " and " + strconv.Itoa(more) + " more"
	}
	return said
}
