package markup

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"words", "It *works*", "<p>It <em>works</em></p>\n"},
		{"a promise is seen", "<promise>DONE</promise>", "<p>&lt;promise&gt;DONE&lt;/promise&gt;</p>\n"},
		{"HTML is text", "a <script>alert(1)</script> b", "<p>a &lt;script&gt;alert(1)&lt;/script&gt; b</p>\n"},
		{"a block of HTML is text", "<script>\nalert(1)\n</script>\n", "<p>&lt;script&gt;\nalert(1)&lt;/script&gt;\n</p>\n"},
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
