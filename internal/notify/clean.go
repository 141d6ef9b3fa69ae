package notify

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// How long a message may be. It is read on a phone, and no server takes less.
const (
	maxTitle = 200
	maxWhy   = 600
	maxText  = 2000
)

// cleanText makes text that an agent or a server may have written safe to show,
// and bounded. Lines stay lines.
func cleanText(s string) string { return text.Shorten(strings.TrimSpace(text.Clean(s)), maxText) }

// cleanLine is cleanText on one line.
func cleanLine(s string) string { return text.Fold(cleanText(s)) }
