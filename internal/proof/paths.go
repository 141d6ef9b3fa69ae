package proof

import "strings"

// inName are characters that belong to the name of a file, so that a path which
// begins or ends beside one is another path.
const inName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@~+%"

// eachPath calls f for every place in a text at which a path stands as a whole:
// not the middle of a longer one.
func eachPath(text, path string, f func(at int)) {
	for from := 0; ; {
		at := strings.Index(text[from:], path)
		if at < 0 {
			return
		}
		at += from
		end := at + len(path)
		before := at == 0 || !strings.ContainsRune(inName+"/", rune(text[at-1]))
		if after := end == len(text) || !strings.ContainsRune(inName, rune(text[end])); before && after {
			f(at)
		}
		from = end
	}
}

// replacePath puts another path in the place of one.
func replacePath(text, path, other string) string {
	if path == "" {
		return text
	}
	var b strings.Builder
	last := 0
	eachPath(text, path, func(at int) {
		b.WriteString(text[last:at] + other)
		last = at + len(path)
	})
	return b.String() + text[last:]
}

// namesPath tells whether a text names a folder, or something in it. One right
// below the root, such as /app, may mean anything.
func namesPath(text, folder string) bool {
	if strings.Count(strings.TrimSuffix(folder, "/"), "/") < 2 {
		return false
	}
	found := false
	eachPath(text, folder, func(int) { found = true })
	return found
}
