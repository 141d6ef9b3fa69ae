package markup

import (
	"html"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// Terminal is what a program printed for a terminal, with its colours as classes. Of
// a line that was written over, what came last is shown; all else that speaks to a
// terminal is left out.
func Terminal(s string) string {
	t := terminal{}
	s = strings.ToValidUTF8(s, "\uFFFD")
	for len(s) > 0 {
		i := strings.IndexAny(s, "\x1b\n\r")
		if i < 0 {
			i = len(s)
		}
		t.put(s[:i])
		if s = s[i:]; s == "" {
			break
		}
		switch {
		case s[0] == '\n':
			t.newLine()
			s = s[1:]
		case strings.HasPrefix(s, "\r\n"):
			s = s[1:]
		case s == "\r": // nothing comes in the place of what is there
			s = ""
		case s[0] == '\r':
			t.line.Reset()
			s = s[1:]
		default:
			s = t.escape(s)
		}
	}
	t.out.WriteString(t.line.String())
	return t.out.String()
}

type terminal struct {
	out, line strings.Builder
	style     style
}

func (t *terminal) newLine() {
	t.out.WriteString(t.line.String())
	t.out.WriteByte('\n')
	t.line.Reset()
}

// put writes a text in the style of now.
func (t *terminal) put(s string) {
	if s = legible(s); s == "" {
		return
	}
	classes := t.style.classes()
	if classes == "" {
		t.line.WriteString(html.EscapeString(s))
		return
	}
	t.line.WriteString(`<span class="` + classes + `">` + html.EscapeString(s) + `</span>`)
}

// escape takes an escape sequence off the text. Those that set colours are heeded.
func (t *terminal) escape(s string) (rest string) {
	if strings.HasPrefix(s, "\x1b[") {
		end := strings.IndexFunc(s[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return ""
		}
		if params := s[2 : 2+end]; s[2+end] == 'm' && strings.Trim(params, "0123456789;:") == "" {
			t.style.set(params)
		}
		return s[3+end:]
	}
	// Of the others, cleaning knows where they end.
	next := strings.IndexByte(s[1:], '\x1b')
	line := strings.IndexByte(s, '\n')
	if next < 0 || line >= 0 && line < next+1 {
		next = line - 1
	}
	if next < 0 {
		next = len(s) - 1
	}
	whole := s[:next+1]
	if strings.HasPrefix(whole, "\x1b]") && strings.HasPrefix(s[next+1:], "\x1b\\") { // it ends with one
		whole = s[:next+3]
	}
	t.put(text.StripEscapes(whole))
	return s[len(whole):]
}

// style is how text is painted.
type style struct {
	fg, bg                                         int // 0 is that of the page, else the colour and 1
	bold, dim, italic, underline, inverse, strikes bool
}

func (s style) classes() string {
	var list []string
	if s.fg > 0 {
		list = append(list, "t-fg"+strconv.Itoa(s.fg-1))
	}
	if s.bg > 0 {
		list = append(list, "t-bg"+strconv.Itoa(s.bg-1))
	}
	for _, c := range []struct {
		on   bool
		name string
	}{
		{s.bold, "t-bold"}, {s.dim, "t-dim"}, {s.italic, "t-italic"}, {s.underline, "t-underline"}, {s.inverse, "t-inverse"}, {s.strikes, "t-strike"},
	} {
		if c.on {
			list = append(list, c.name)
		}
	}
	return strings.Join(list, " ")
}

// set heeds the numbers of a sequence.
func (s *style) set(params string) {
	var numbers []int
	for part := range strings.FieldsFuncSeq(strings.ReplaceAll(params, ":", ";")+";", func(r rune) bool { return r == ';' }) {
		n, err := strconv.Atoi(part)
		if err != nil {
			return
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		numbers = []int{0}
	}
	for i := 0; i < len(numbers); i++ {
		switch n := numbers[i]; {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.dim = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 7:
			s.inverse = true
		case n == 9:
			s.strikes = true
		case n == 22:
			s.bold, s.dim = false, false
		case n == 23:
			s.italic = false
		case n == 24:
			s.underline = false
		case n == 27:
			s.inverse = false
		case n == 29:
			s.strikes = false
		case n >= 30 && n <= 37:
			s.fg = n - 30 + 1
		case n == 39:
			s.fg = 0
		case n >= 40 && n <= 47:
			s.bg = n - 40 + 1
		case n == 49:
			s.bg = 0
		case n >= 90 && n <= 97:
			s.fg = n - 90 + 9
		case n >= 100 && n <= 107:
			s.bg = n - 100 + 9
		case n == 38 || n == 48:
			color, used := wide(numbers[i+1:])
			if i += used; n == 38 {
				s.fg = color
			} else {
				s.bg = color
			}
		}
	}
}

// wide brings one of 256 colours, or of all, to the nearest of the sixteen, and tells
// how many numbers it took.
func wide(numbers []int) (color, used int) {
	switch {
	case len(numbers) >= 2 && numbers[0] == 5:
		n := numbers[1]
		switch {
		case n < 0 || n > 255:
			return 0, 2
		case n < 16:
			return n + 1, 2
		case n >= 232:
			level := 8 + 10*(n-232)
			return nearest(level, level, level), 2
		}
		n -= 16
		step := func(i int) int {
			if i == 0 {
				return 0
			}
			return 55 + 40*i
		}
		return nearest(step(n/36), step(n/6%6), step(n%6)), 2
	case len(numbers) >= 4 && numbers[0] == 2:
		return nearest(numbers[1], numbers[2], numbers[3]), 4
	}
	return 0, len(numbers)
}

// sixteen are the colours as most terminals have them.
var sixteen = [16][3]int{
	{0, 0, 0},
	{205, 0, 0},
	{0, 205, 0},
	{205, 205, 0},
	{0, 0, 238},
	{205, 0, 205},
	{0, 205, 205},
	{229, 229, 229},
	{127, 127, 127},
	{255, 0, 0},
	{0, 255, 0},
	{255, 255, 0},
	{92, 92, 255},
	{255, 0, 255},
	{0, 255, 255},
	{255, 255, 255},
}

func nearest(r, g, b int) int {
	best, least := 0, 1<<30
	for i, c := range sixteen {
		far := (r-c[0])*(r-c[0]) + (g-c[1])*(g-c[1]) + (b-c[2])*(b-c[2])
		if far < least {
			best, least = i, far
		}
	}
	return best + 1
}
