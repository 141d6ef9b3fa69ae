package text

var failureForm = NewPattern(`(?i)^(?:[\w.:-]+ )?\[?(?:\w*error|fatal|panic)\]?[:! ]`)

// IsError tells whether a line calls itself an error: "Error: no such file", "fatal: …",
// "2026-11-15T01:56:49Z ERROR …".
func IsError(line string) bool { return failureForm().MatchString(line) }
