package markup

import (
	"bytes"
	"html"
	"net/url"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// maxMarkdown is how much is set out. What is longer is shown as it stands.
const maxMarkdown = 256 << 10

// markdown is made when it is first needed.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(harmless{}, 1))),
	)
})

// Markdown sets out what an agent wrote. HTML in it is text, images are links to
// them, and links lead to http(s) or nowhere.
func Markdown(s string) string {
	s = legible(s)
	if len(s) > maxMarkdown {
		return "<pre>" + html.EscapeString(s) + "</pre>"
	}
	var b bytes.Buffer
	if markdown().Convert([]byte(s), &b) != nil {
		return "<pre>" + html.EscapeString(s) + "</pre>"
	}
	return b.String()
}

// harmless renders what could do harm, or be taken for something else.
type harmless struct{}

func (h harmless) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, h.rawHTML)
	r.Register(ast.KindHTMLBlock, h.htmlBlock)
	r.Register(ast.KindLink, h.link)
	r.Register(ast.KindAutoLink, h.autoLink)
	r.Register(ast.KindImage, h.image)
	r.Register(ast.KindFencedCodeBlock, h.fenced)
	r.Register(ast.KindCodeBlock, h.block)
}

// rawHTML is shown as it stands: an agent's <promise> is worth seeing.
func (harmless) rawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	n := node.(*ast.RawHTML)
	for i := range n.Segments.Len() {
		segment := n.Segments.At(i)
		_, _ = w.WriteString(html.EscapeString(string(segment.Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

func (harmless) htmlBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.HTMLBlock)
	_, _ = w.WriteString("<p>")
	_, _ = w.WriteString(html.EscapeString(strings.TrimSpace(linesOf(n, source))))
	if n.HasClosure() {
		closure := n.ClosureLine
		_, _ = w.WriteString(html.EscapeString(string(closure.Value(source))))
	}
	_, _ = w.WriteString("</p>\n")
	return ast.WalkSkipChildren, nil
}

func linesOf(n ast.Node, source []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(source))
	}
	return b.String()
}

// opening is the beginning of a link, if it leads anywhere that it may.
func opening(to string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(to))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", false
	}
	return `<a href="` + html.EscapeString(u.String()) + `" rel="noopener noreferrer nofollow" target="_blank">`, true
}

func (harmless) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	start, ok := opening(string(node.(*ast.Link).Destination))
	switch {
	case !ok: // only its words
	case entering:
		_, _ = w.WriteString(start)
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (harmless) autoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.AutoLink)
	label := html.EscapeString(string(n.Label(source)))
	if start, ok := opening(string(n.URL(source))); ok {
		label = start + label + "</a>"
	}
	_, _ = w.WriteString(label)
	return ast.WalkContinue, nil
}

// image is a link to it: a page must load nothing that an agent names.
func (harmless) image(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.Image)
	words := wordsOf(n, source)
	if words == "" {
		words = string(n.Destination)
	}
	said := "image: " + html.EscapeString(words)
	if start, ok := opening(string(n.Destination)); ok {
		said = start + said + "</a>"
	}
	_, _ = w.WriteString(said)
	return ast.WalkSkipChildren, nil
}

// wordsOf is the text of a node's children.
func wordsOf(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch t := c.(type) {
		case *ast.Text:
			b.Write(t.Segment.Value(source))
		case *ast.String:
			b.Write(t.Value)
		default:
			b.WriteString(wordsOf(c, source))
		}
	}
	return b.String()
}

func (harmless) fenced(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		n := node.(*ast.FencedCodeBlock)
		writeCode(w, string(n.Language(source)), linesOf(n, source))
	}
	return ast.WalkSkipChildren, nil
}

func (harmless) block(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		writeCode(w, "", linesOf(node, source))
	}
	return ast.WalkSkipChildren, nil
}

func writeCode(w util.BufWriter, language, code string) {
	_, _ = w.WriteString(`<pre class="chroma"><code>`)
	_, _ = w.WriteString(strings.Join(Code(language, strings.TrimSuffix(code, "\n")), "\n"))
	_, _ = w.WriteString("\n</code></pre>\n")
}
