package journal

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
)

// appendChatter appends the fields of what an agent says and does all the time, as
// encoding/json writes them, and tells whether it knows the payload. There is so much
// of it that going by reflection would take longer than all else that is done with it.
func appendChatter(line []byte, p loop.Payload) ([]byte, bool) {
	o := object{line}
	switch p := p.(type) {
	case *loop.AgentText:
		o.text("text", p.Text)
		o.flag("cut", p.Cut)
		o.flag("plain", p.Plain)
	case *loop.AgentTool:
		o.textIf("id", p.ID)
		o.text("name", p.Name)
		o.textIf("input", p.Input)
		o.flag("shell", p.Shell)
	case *loop.AgentToolResult:
		o.textIf("id", p.ID)
		o.textIf("name", p.Name)
		o.textIf("output", p.Output)
		o.flag("failed", p.Failed)
		o.flag("denied", p.Denied)
		if p.Exit != nil {
			o.key("exit")
			o.int(*p.Exit)
		}
	case *loop.AgentUsage:
		if !plainNumber(p.Usage.CostUSD) {
			return line, false
		}
		o.key("usage")
		o.usage(p.Usage)
	default:
		return line, false
	}
	return o.line, true
}

// object is a JSON object, field by field: each but its first follows a comma.
type object struct{ line []byte }

func (o *object) key(name string) {
	if o.line[len(o.line)-1] != '{' {
		o.line = append(o.line, ',')
	}
	o.line = append(append(append(o.line, '"'), name...), '"', ':')
}

func (o *object) int(n int) { o.line = strconv.AppendInt(o.line, int64(n), 10) }

func (o *object) text(name, text string) {
	o.key(name)
	o.line = appendString(o.line, text)
}

func (o *object) textIf(name, text string) {
	if text != "" {
		o.text(name, text)
	}
}

func (o *object) flag(name string, yes bool) {
	if yes {
		o.key(name)
		o.line = append(o.line, "true"...)
	}
}

func (o *object) intIf(name string, n int) {
	if n != 0 {
		o.key(name)
		o.int(n)
	}
}

func (o *object) usage(u loop.Usage) {
	o.line = append(o.line, '{')
	o.intIf("input", u.Input)
	o.intIf("output", u.Output)
	o.intIf("cache_read", u.CacheRead)
	o.intIf("cache_write", u.CacheWrite)
	if u.CostUSD != 0 {
		o.key("cost_usd")
		o.line = strconv.AppendFloat(o.line, u.CostUSD, 'f', -1, 64)
	}
	o.flag("cost_estimated", u.CostEstimated)
	o.intIf("context_percent", u.ContextPercent)
	o.intIf("turns", u.Turns)
	o.line = append(o.line, '}')
}

// plainNumber tells whether encoding/json writes a number without an exponent.
func plainNumber(n float64) bool {
	n = math.Abs(n)
	return n == 0 || n >= 1e-6 && n < 1e21
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string as encoding/json does where HTML is not escaped.
func appendString(line []byte, s string) []byte {
	line = append(line, '"')
	for {
		n := plainRun(s)
		line = append(line, s[:n]...)
		if s = s[n:]; s == "" {
			return append(line, '"')
		}
		if c := s[0]; c < utf8.RuneSelf {
			line = appendEscaped(line, c)
			s = s[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			line = append(line, `\ufffd`...)
		case r == '\u2028' || r == '\u2029': // which JavaScript takes for the end of a line
			line = append(line, '\\', 'u', '2', '0', '2', hexDigits[r&15])
		default:
			line = append(line, s[:size]...)
		}
		s = s[size:]
	}
}

func appendEscaped(line []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(line, '\\', c)
	case '\b':
		return append(line, '\\', 'b')
	case '\f':
		return append(line, '\\', 'f')
	case '\n':
		return append(line, '\\', 'n')
	case '\r':
		return append(line, '\\', 'r')
	case '\t':
		return append(line, '\\', 't')
	}
	return append(line, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// plainRun is how many bytes from the beginning stand for themselves in a string of
// JSON. It looks at eight at once.
func plainRun(s string) (n int) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(s)-n >= 8; n += 8 {
		w := eight(s[n:])
		quote, slash := w^ones*'"', w^ones*'\\'
		if (w|(w-ones*' ')|(quote-ones)&^quote|(slash-ones)&^slash)&tops != 0 {
			break // one of them may be below a space, a quote, a backslash or beyond ASCII
		}
	}
	for n < len(s) && s[n] >= ' ' && s[n] < utf8.RuneSelf && s[n] != '"' && s[n] != '\\' {
		n++
	}
	return n
}

// eight is the first eight bytes; the compiler makes one load of it.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
