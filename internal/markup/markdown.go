package markup

import (
	"html"
	"net/url"
	"strings"
)

// maxMarkdown is how much is set out. What is longer is shown as it stands.
const maxMarkdown = 256 << 10

// Markdown sets out what an agent wrote: the blocks and the words of CommonMark, with
// tables, struck words and bare addresses. HTML in it is text, images are links to
// them, and links lead to http(s) or nowhere. What it does not know stays as it was
// written; links whose address stands elsewhere are such, and so is how a column is
// aligned.
func Markdown(s string) string {
	s = legible(s)
	if len(s) > maxMarkdown {
		return "<pre>" + html.EscapeString(s) + "</pre>"
	}
	var w page
	w.blocks(blocksOf(strings.Split(strings.TrimRight(s, "\n"), "\n"), 0), false)
	return w.String()
}

// page is HTML under way.
type page struct{ strings.Builder }

func (w *page) put(parts ...string) {
	for _, p := range parts {
		w.WriteString(p)
	}
}

// blocks writes blocks, one below the other. The paragraphs of a tight list are bare.
func (w *page) blocks(list []block, tight bool) {
	for i, b := range list {
		switch b.kind {
		case paragraph:
			if !tight {
				w.put("<p>", inline(b.text, 0), "</p>\n")
				continue
			}
			w.put(inline(b.text, 0))
			if i < len(list)-1 {
				w.put("\n")
			}
		case heading:
			name := string("0123456"[b.level])
			w.put("<h", name, ">", inline(b.text, 0), "</h", name, ">\n")
		case rule:
			w.put("<hr>\n")
		case code:
			w.put(`<pre class="chroma"><code>`, strings.Join(Code(b.info, b.text), "\n"), "\n</code></pre>\n")
		case blockquote:
			w.put("<blockquote>\n")
			w.blocks(b.inner, false)
			w.put("</blockquote>\n")
		case bullets, numbers:
			w.list(b)
		case item:
			w.item(b, tight)
		case grid:
			w.grid(b.rows)
		}
	}
}

func (w *page) list(b block) {
	name, start := "ul", ""
	if b.kind == numbers {
		name = "ol"
		if b.info != "1" {
			start = ` start="` + b.info + `"`
		}
	}
	w.put("<", name, start, ">\n")
	w.blocks(b.inner, b.tight)
	w.put("</", name, ">\n")
}

func (w *page) item(b block, tight bool) {
	w.put("<li>")
	if !tight || len(b.inner) > 0 && b.inner[0].kind != paragraph {
		w.put("\n")
	}
	w.blocks(b.inner, tight)
	w.put("</li>\n")
}

func (w *page) grid(rows [][]string) {
	w.put("<table>\n<thead>\n")
	for i, cells := range rows {
		name := "td"
		if i == 0 {
			name = "th"
		}
		w.put("<tr>\n")
		for _, c := range cells {
			w.put("<", name, ">", inline(c, 0), "</", name, ">\n")
		}
		w.put("</tr>\n")
		switch {
		case i == 0 && len(rows) > 1:
			w.put("</thead>\n<tbody>\n")
		case i == 0:
			w.put("</thead>\n")
		case i == len(rows)-1:
			w.put("</tbody>\n")
		}
	}
	w.put("</table>\n")
}

// opening is the beginning of a link, if it leads anywhere that it may.
func opening(to string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(to))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", false
	}
	return `<a href="` + html.EscapeString(u.String()) + `" rel="noopener noreferrer nofollow" target="_blank">`, true
}

// linked is words that lead somewhere, if they may. The words are HTML.
func linked(words, to string) string {
	if start, ok := opening(to); ok {
		return start + words + "</a>"
	}
	return words
}
