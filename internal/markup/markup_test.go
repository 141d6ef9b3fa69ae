package markup

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"words", "It *works*", "<p>It <em>works</em></p>\n"},
		{"a promise is seen", "<promise>DONE</promise>", "<p>&lt;promise&gt;DONE&lt;/promise&gt;</p>\n"},
		{"HTML is text", "a <script>alert(1)</script> b", "<p>a &lt;script&gt;alert(1)&lt;/script&gt; b</p>\n"},
		{"a block of HTML is text", "<script>\nalert(1)\n</script>\n", "<p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>\n"},
		{"a link", "[x](https://go.dev/?a=1&b=2)", `<p><a href="https://go.dev/?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank">x</a></p>` + "\n"},
		{"a link that runs something", "[x](javascript:alert(1))", "<p>x</p>\n"},
		{"and in disguise", "[x](JaVaScRiPt:alert(1)) [y](&#106;avascript:alert(1)) [z](data:text/html,x)", "<p>x y z</p>\n"},
		{"a link into the page", "[x](/api/start)", "<p>x</p>\n"},
		{"a link to wherever", "[x](//evil.example)", "<p>x</p>\n"},
		{"an address", "<https://go.dev>", `<p><a href="https://go.dev" rel="noopener noreferrer nofollow" target="_blank">https://go.dev</a></p>` + "\n"},
		{"an image is a link", "![cat](https://evil.example/cat.png)", `<p><a href="https://evil.example/cat.png" rel="noopener noreferrer nofollow" target="_blank">image: cat</a></p>` + "\n"},
		{"an image of nothing", "![](data:image/png;base64,xx)", "<p>image: data:image/png;base64,xx</p>\n"},
		{"a quote in a link", `[x](https://a.example/"onclick="alert(1))`, `<p><a href="https://a.example/%22onclick=%22alert%281%29" rel="noopener noreferrer nofollow" target="_blank">x</a></p>` + "\n"},
		{"code in colours", "```go\nfunc f() {}\n```", `<pre class="chroma"><code><span class="k">func</span> <span class="nf">f</span>() {}` + "\n</code></pre>\n"},
		{"code that is none", "```<b>\n<i>\n```", "<pre class=\"chroma\"><code>&lt;i&gt;\n</code></pre>\n"},
		{"headings", "# One #\n## Two\nThree\n---\n#four", "<h1>One</h1>\n<h2>Two</h2>\n<h2>Three</h2>\n<p>#four</p>\n"},
		{"words set off", "**a *b*** ***c*** _d_ ~~e~~ ~5 to ~6", "<p><strong>a <em>b</em></strong> <em><strong>c</strong></em> <em>d</em> <del>e</del> ~5 to ~6</p>\n"},
		{"marks that set off nothing", "2 * 3 * 4 my_own_name **open a*", "<p>2 * 3 * 4 my_own_name *<em>open a</em></p>\n"},
		{"code in words", "a `*b*` ``c`d`` `e", "<p>a <code>*b*</code> <code>c`d</code> `e</p>\n"},
		{"a backslash, and a name", "\\*a\\* &lt;b&gt; &amp; &nothing; &#x202e;", "<p>*a* &lt;b&gt; &amp; &amp;nothing; &amp;#x202e;</p>\n"},
		{"a tag is as it stands", "<a_b_c d=\"*e*\"> x < y > z", "<p>&lt;a_b_c d=&#34;*e*&#34;&gt; x &lt; y &gt; z</p>\n"},
		{"lines that break", "a  \nb\\\nc\nd", "<p>a<br>\nb<br>\nc\nd</p>\n"},
		{"a bare address", "See https://go.dev/a_b_(c)?d=*e*. (www.go.dev)", `<p>See <a href="https://go.dev/a_b_(c)?d=*e" rel="noopener noreferrer nofollow" target="_blank">https://go.dev/a_b_(c)?d=*e</a>*. (<a href="http://www.go.dev" rel="noopener noreferrer nofollow" target="_blank">www.go.dev</a>)</p>` + "\n"},
		{"an address in a link leads where the link does", "[https://a.example](https://b.example)", `<p><a href="https://b.example" rel="noopener noreferrer nofollow" target="_blank">https://a.example</a></p>` + "\n"},
		{"a link with a title, and words set off", `[a **b**](<https://a.example/c d> "e")`, `<p><a href="https://a.example/c%20d" rel="noopener noreferrer nofollow" target="_blank">a <strong>b</strong></a></p>` + "\n"},
		{"an image in a link leads where the link does", "[![a](https://b.example)](https://c.example)", `<p><a href="https://c.example" rel="noopener noreferrer nofollow" target="_blank">image: a</a></p>` + "\n"},
		{"what is no link", "[a] [b](c d) [e](f", "<p>[a] [b](c d) [e](f</p>\n"},
		{"a list", "- a\n- b\n  1. c\n  2. d\n- e", "<ul>\n<li>a</li>\n<li>b\n<ol>\n<li>c</li>\n<li>d</li>\n</ol>\n</li>\n<li>e</li>\n</ul>\n"},
		{"a list with room in it", "3) a\n\n4) b\n   c", "<ol start=\"3\">\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b\nc</p>\n</li>\n</ol>\n"},
		{"a list goes on without being indented", "- a\nb\n\nc", "<ul>\n<li>a\nb</li>\n</ul>\n<p>c</p>\n"},
		{"code in a list", "- a\n  ```sh\n  b\n\n  c\n  ```\n- d", "<ul>\n<li>a\n<pre class=\"chroma\"><code>b\n\nc\n</code></pre>\n</li>\n<li>d</li>\n</ul>\n"},
		{"a list after words", "a\n- b\n\nc\n2. d", "<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n<p>c\n2. d</p>\n"},
		{"a quote", "> a\nb\n> - c\n\nd", "<blockquote>\n<p>a\nb</p>\n<ul>\n<li>c</li>\n</ul>\n</blockquote>\n<p>d</p>\n"},
		{"code that is indented", "    a\n\n\t<b>\nc", "<pre class=\"chroma\"><code>a\n\n&lt;b&gt;\n</code></pre>\n<p>c</p>\n"},
		{"code keeps its tabs", "```\n\ta\n```", "<pre class=\"chroma\"><code>\ta\n</code></pre>\n"},
		{"code that has no end", "~~~\na\n```", "<pre class=\"chroma\"><code>a\n```\n</code></pre>\n"},
		{"a rule", "a\n\n* * *\nb", "<p>a</p>\n<hr>\n<p>b</p>\n"},
		{"a table", "Sums:\n| a | `b\\|c` |\n|---|:-:|\n| *1* |\n| 2 | 3 | 4 |\n\nd", "<p>Sums:</p>\n<table>\n<thead>\n<tr>\n<th>a</th>\n<th><code>b|c</code></th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><em>1</em></td>\n<td></td>\n</tr>\n<tr>\n<td>2</td>\n<td>3 | 4</td>\n</tr>\n</tbody>\n</table>\n<p>d</p>\n"},
		{"deeper than anybody writes", strings.Repeat("> ", maxDepth+1) + "a", strings.Repeat("<blockquote>\n", maxDepth) + "<p>&gt; a</p>\n" + strings.Repeat("</blockquote>\n", maxDepth)},
		{"escapes are gone", "\x1b[31mred\x1b[0m \u202egnp", "<p>red gnp</p>\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Markdown(tt.in); got != tt.want {
				t.Errorf("Markdown(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTerminal(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "a <b>\n\tc", "a &lt;b&gt;\n\tc"},
		{"a colour", "\x1b[31mFAIL\x1b[0m ok", `<span class="t-fg1">FAIL</span> ok`},
		{"bright, and bold", "\x1b[1;92mok\x1b[m", `<span class="t-fg10 t-bold">ok</span>`},
		{"one of many", "\x1b[38;5;196mred\x1b[48;2;0;0;0mblack", `<span class="t-fg9">red</span><span class="t-fg9 t-bg0">black</span>`},
		{"written over", "10%\r20%\r\ndone", "20%\ndone"},
		{"at the beginning of a line again", "10%\r20%\r", "20%"},
		{"moves are left out", "a\x1b[2J\x1b[10;10Hb", "ab"},
		{"a title is left out", "a\x1b]0;rm -rf\x07b", "ab"},
		{"a link is left out", "\x1b]8;;https://evil.example\x1b\\x\x1b]8;;\x1b\\", "x"},
		{"a torn one", "a\x1b[31", "a"},
		{"a class is not the program's to name", "\x1b[\"onclick=m\x1b[31", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Terminal(tt.in)
			if tt.want != "" && got != tt.want || strings.ContainsAny(got, "\x1b\"") && tt.want == "" {
				t.Errorf("Terminal(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestCode(t *testing.T) {
	for _, tt := range []struct{ language, code, want string }{
		{"Go", "a := `x\ny`\n// <b>", "a := [s `x]|[s y`]|[c // &lt;b&gt;]"},
		{"Go", `if x == '"' { f("\"//") }`, `[k if] x == [s &#39;&#34;&#39;] { [nf f]([s &#34;\&#34;//&#34;]) }`},
		{"Go", "/* a\nb */ 0x1F", "[c /* a]|[c b */] [m 0x1F]"},
		{"rs", "fn f<'a>(x: &'a str) // y", "[k fn] f&lt;&#39;a&gt;(x: &amp;&#39;a [k str]) [c // y]"},
		{"py", "def f(): # it's\n  return 'x'", "[k def] [nf f](): [c # it&#39;s]|  [k return] [s &#39;x&#39;]"},
		{"yaml", "a: don't # no\nb: \"x\"", "a: don&#39;t [c # no]|b: [s &#34;x&#34;]"},
		{"html", "<p class=\"a\">it</p>", "&lt;[k p] class=[s &#34;a&#34;]&gt;it&lt;/[k p]&gt;"},
		{"SQL", "SELECT 1 -- x", "[k SELECT] [m 1] [c -- x]"},
		{"json", `{"a": true`, "{[s &#34;a&#34;]: [k true]"},
		{"go", `"not closed`, "[s &#34;not closed]"},
		{"nobody knows", "a\n<b>", "a|&lt;b&gt;"},
		{"Go", "", ""},
	} {
		got := strings.Join(Code(tt.language, tt.code), "|")
		want := regexp.MustCompile(`\[(\w+) ([^\]]*)\]`).ReplaceAllString(tt.want, `<span class="$1">$2</span>`)
		if got != want {
			t.Errorf("Code(%s, %q) = %q, want %q", tt.language, tt.code, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for file, want := range map[string]string{"dir/x.py": "Python", "Makefile": "Shell", "a.b.TS": "TypeScript", "go.mod": "Go", "README": "", "x.unknown": "", ".gitignore": ""} {
		if got := Language(file); got != want {
			t.Errorf("Language(%q) = %q, want %q", file, got, want)
		}
	}
}

// However odd a code is, its lines are those that it has, and its text stays.
func FuzzCode(f *testing.F) {
	f.Add("Go", "'\\\n\"`/*")
	f.Add("Rust", "'a '\\u{1F600}' ' ' '")
	f.Add("Shell", "a#b #c\n'd\ne'")
	f.Fuzz(func(t *testing.T, name, code string) {
		got := Code(name, code)
		if want := strings.Count(legible(code), "\n") + 1; len(got) != want {
			t.Errorf("%d lines of %q, want %d", len(got), code, want)
		}
		bare := regexp.MustCompile(`</?span[^>]*>`).ReplaceAllString(strings.Join(got, "\n"), "")
		if html.UnescapeString(bare) != legible(code) {
			t.Errorf("Code(%s, %q) = %q: the text is another", name, code, got)
		}
	})
}

// Whatever an agent writes, its words are there.
func TestMarkdownLosesNoWord(t *testing.T) {
	piece := rapid.SampledFrom([]string{"one", "two", "**three", "four**", "`five", "six`", "seven_eight", "~~nine", "ten~~", "[eleven](https://a.example)", "[twelve", "] ", "<thirteen>", "\n", "\n\n", "\n- ", "\n2. ", "\n> ", "\n    ", "\n```\n", "\n# ", "| fourteen | fifteen |\n|---|---|\n", "\\", "\t"})
	word := regexp.MustCompile(`[a-z]+`)
	rapid.Check(t, func(t *rapid.T) {
		said := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "said"), " ")
		out := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(Markdown(said), " ")
		in := strings.ReplaceAll(said, "https://a.example", "")
		got, want := word.FindAllString(strings.ReplaceAll(html.UnescapeString(out), "https://a.example", ""), -1), word.FindAllString(in, -1)
		if !slices.Equal(got, want) {
			t.Fatalf("Markdown(%q) = %q", said, Markdown(said))
		}
	})
}

// ours is every element that Markdown makes, as it is written.
var ours = regexp.MustCompile(`^<(?:/?(?:p|h[1-6]|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|em|strong|del|code|pre)|/a|/span|hr|br|ol start="\d{1,9}"|pre class="chroma"|span class="(?:k|nf|s|m|c)"|a href="https?://[^"<>]*" rel="noopener noreferrer nofollow" target="_blank")>`)

// Whatever an agent writes, what comes out is elements of ours that are closed in turn,
// no link in a link, and words.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"[a](javascript:b) ![c](d) <e>\n\n<f>\n```g\n<h>\n```\n", "***a** b*_c_ ~~d~~", "> - 1. a\n>\n>   b\n\n    c", "|a|b|\n|-|-|\n|`|`|c",
		"[![a](https://b.example \"c\")](<https://d.example>) www.e.example/\"f &#60;g&#62;", "[a [b](https://c.example) https://d.example](https://e.example)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := Markdown(s)
		var open []string
		for rest := out; rest != ""; {
			at := strings.IndexAny(rest, "<>\"'")
			if at < 0 {
				break
			}
			tag := ours.FindString(rest[at:])
			if tag == "" {
				t.Fatalf("Markdown(%q) = %q: at %q", s, out, rest[at:])
			}
			rest = rest[at+len(tag):]
			name, _, _ := strings.Cut(strings.Trim(tag, "</>"), " ")
			switch {
			case name == "hr" || name == "br":
			case strings.HasPrefix(tag, "</"):
				if len(open) == 0 || open[len(open)-1] != name {
					t.Fatalf("Markdown(%q) = %q: %s closes what is not open, or not the last, of %q", s, out, tag, open)
				}
				open = open[:len(open)-1]
			case name == "a" && slices.Contains(open, "a"):
				t.Fatalf("Markdown(%q) = %q: a link in a link", s, out)
			default:
				open = append(open, name)
			}
		}
		if len(open) > 0 {
			t.Fatalf("Markdown(%q) = %q: %q stay open", s, out, open)
		}
		if said := html.UnescapeString(out); legible(said) != said {
			t.Fatalf("Markdown(%q) = %q: not all of it is seen as it is", s, out)
		}
	})
}

// Whatever an agent writes, no element comes out that is not ours.
func FuzzNothingGetsOut(f *testing.F) {
	f.Add("<img src=x onerror=alert(1)>")
	f.Add("[a](javascript:b) ![c](d) <e>\n\n<f>\n```g\n<h>\n```\n\x1b[31mi\x1b]0;j\x07")
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{Markdown(s), Terminal(s), strings.Join(Code("Go", s), "\n")} {
			lower := strings.ToLower(out)
			for _, bad := range []string{"<script", "<img", "<iframe", "<style", "<svg", "<form", "<object", "\x1b"} {
				if strings.Contains(lower, bad) {
					t.Errorf("%q comes out of %q", out, s)
				}
			}
		}
	})
}
