package text

// PlainJSON blanks out what many programs let people write in a JSON file beyond
// JSON: comments, and a comma after the last of a list. Positions stay.
func PlainJSON(text []byte) []byte {
	plain := make([]byte, len(text))
	comma := -1 // a comma after which nothing came yet
	for i := 0; i < len(text); {
		n := 1
		switch c := text[i]; {
		case c == '"':
			n = quoted(text[i:])
			comma = -1
		case c == '/':
			n = comment(text[i:])
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				plain[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
		if text[i] == '/' && n > 1 {
			blank(plain[i:i+n], text[i:i+n])
		} else {
			copy(plain[i:i+n], text[i:i+n])
		}
		i += n
	}
	return plain
}

// quoted is the length of the string at the beginning of a text.
func quoted(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// comment is the length of the comment at the beginning of a text, 1 when it is
// none.
func comment(text []byte) int {
	if len(text) < 2 || text[1] != '/' && text[1] != '*' {
		return 1
	}
	for i := 2; i < len(text); i++ {
		switch {
		case text[1] == '/' && text[i] == '\n':
			return i
		case text[1] == '*' && text[i] == '/' && text[i-1] == '*' && i > 2:
			return i + 1
		}
	}
	return len(text)
}

// blank fills with spaces, and keeps the ends of lines.
func blank(to, from []byte) {
	for i, c := range from {
		to[i] = ' '
		if c == '\n' {
			to[i] = c
		}
	}
}
