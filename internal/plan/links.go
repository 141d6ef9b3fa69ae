package plan

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// link is a link of a plan, and the line it is on.
type link struct {
	target string
	line   int
}

var (
	inlineLink  = text.NewPattern(`\]\(\s*(?:<([^<>]*)>|([^\s()]+))`)
	definedLink = text.NewPattern(`^\[[^\]]+\]:\s*<?([^\s<>]+)`)
	codeSpan    = text.NewPattern("`[^`]*`")
)

// appendLinks adds the links of a line, those within code left out.
func appendLinks(links []link, line int, text string) []link {
	if !strings.Contains(text, "](") && !strings.HasPrefix(text, "[") {
		return links
	}
	text = codeSpan().ReplaceAllString(text, "``")
	for _, found := range inlineLink().FindAllStringSubmatch(text, -1) {
		links = append(links, link{found[1] + found[2], line})
	}
	if found := definedLink().FindStringSubmatch(text); found != nil {
		links = append(links, link{found[1], line})
	}
	return links
}

// part is the file of a plan that a link in one of its files leads to, if it
// leads to one: a markdown file in the plan's folder or below it. What lies
// outside is at most referred to, and what is hidden has been put away, as
// finished parts are in ".archive".
func (l link) part(from string) (file string, ok bool) {
	to, err := url.Parse(l.target)
	if err != nil || to.Scheme != "" || to.Host != "" || path.IsAbs(to.Path) || !isMarkdown(to.Path) {
		return "", false
	}
	file = path.Join(path.Dir(from), to.Path)
	if !filepath.IsLocal(filepath.FromSlash(file)) || slices.ContainsFunc(strings.Split(file, "/"), hiddenName) {
		return "", false
	}
	return file, true
}

func isMarkdown(file string) bool {
	extension := strings.ToLower(path.Ext(file))
	return extension == ".md" || extension == ".markdown"
}

// isIndex tells whether a file is by its name the table of contents of its
// folder.
func isIndex(file string) bool {
	name := stem(file)
	return isMarkdown(file) && (name == "readme" || name == "index")
}

// stem is the name of a file without folder and extension, in small letters.
func stem(file string) string {
	return strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file)))
}

func hiddenName(name string) bool { return len(name) > 1 && name[0] == '.' }
