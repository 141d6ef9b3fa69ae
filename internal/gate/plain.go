package gate

import "github.com/refrain-loop/refrain/internal/text"

// oneLine makes one short line of what a program printed.
func oneLine(s string, limit int) string { return text.Shorten(text.Fold(text.Printed(s)), limit) }
