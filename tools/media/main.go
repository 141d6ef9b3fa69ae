// Command media makes the recording of the README: it runs a command, notes when
// each line came, and writes them as an animated SVG. Nothing in it is made up but
// the colours; waits are cut short.
//
//	media OUT.svg TITLE COMMAND ARGS…
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"log"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

const (
	columns  = 96
	lineH    = 19
	top      = 56
	shortest = 350 * time.Millisecond  // so that a line can be read
	longest  = 1300 * time.Millisecond // nobody waits longer for the next
	rest     = 6 * time.Second         // at the end, before it begins again
)

type line struct {
	text string
	at   time.Duration
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 4 {
		log.Fatal("usage: media OUT.svg TITLE COMMAND ARGS…")
	}
	lines, err := record(os.Args[3], os.Args[4:]...)
	if err != nil {
		log.Fatalf("media: %v", err)
	}
	if err := os.WriteFile(os.Args[1], []byte(svg(os.Args[2], lines)), 0o644); err != nil {
		log.Fatalf("media: %v", err)
	}
}

func record(name string, args ...string) ([]line, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var lines []line
	var now time.Duration
	last := time.Now()
	for s := bufio.NewScanner(out); s.Scan(); {
		now += min(max(time.Since(last), shortest), longest)
		last = time.Now()
		if strings.HasPrefix(s.Text(), "What to try next") {
			break // the end of the recording
		}
		for _, part := range wrapped(folder.ReplaceAllString(s.Text(), "/tmp/demo")) {
			lines = append(lines, line{part, now})
		}
	}
	_, _ = io.Copy(io.Discard, out)
	return lines, cmd.Wait()
}

// folder is where the demo works, which has another name each time.
var folder = regexp.MustCompile(`\S*/refrain-demo-[0-9]+`)

// wrapped breaks a line between words.
func wrapped(text string) []string {
	var all []string
	for indent := ""; ; indent = "           " {
		text = indent + text
		if len([]rune(text)) <= columns {
			return append(all, text)
		}
		cut := strings.LastIndex(string([]rune(text)[:columns]), " ")
		if cut <= len(indent) {
			return append(all, text)
		}
		all, text = append(all, text[:cut]), text[cut+1:]
	}
}

// colours are for the eye: the first that is found in a line.
var colours = []struct{ part, colour string }{
	{"Claim refused", "#ff7b72"},
	{"old version", "#ff7b72"},
	{"Baseline: test failed", "#ff7b72"},
	{"WARNING", "#e3b341"},
	{"Done:", "#7ee787"},
	{"Fixed:", "#7ee787"},
	{"starting...", "#79c0ff"},
	{"$ ", "#f0f6fc"},
}

func svg(title string, lines []line) string {
	all := lines[len(lines)-1].at + rest
	height := top + lineH*(len(lines)+2)
	width := 20 + columns*843/100 + 20
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%s">`+"\n", width, height, html.EscapeString(title))
	b.WriteString("<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:#c9d1d9}\n")
	b.WriteString("@media (prefers-reduced-motion:reduce){text{animation:none!important}}\n")
	for i, l := range lines {
		shown := 100 * float64(l.at) / float64(all)
		fmt.Fprintf(&b, "@keyframes l%d{0%%,%.2f%%{opacity:0}%.2f%%,100%%{opacity:1}}\n", i, shown, shown+0.01)
	}
	b.WriteString("</style>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="10" fill="#0d1117"/><circle cx="22" cy="20" r="6" fill="#ff5f56"/><circle cx="42" cy="20" r="6" fill="#ffbd2e"/><circle cx="62" cy="20" r="6" fill="#27c93f"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="20" y="%d" style="fill:#f0f6fc">$ %s</text>`+"\n", top, html.EscapeString(title))
	colour := ""
	for i, l := range lines {
		if !strings.HasPrefix(l.text, "           ") {
			colour = "" // what is wrapped keeps the colour of its line
		}
		for _, c := range colours {
			if colour == "" && strings.Contains(l.text, c.part) {
				colour = ";fill:" + c.colour
			}
		}
		fmt.Fprintf(&b, `<text x="20" y="%d" style="animation:l%d %.1fs infinite%s">%s</text>`+"\n", top+lineH*(i+1), i, all.Seconds(), colour, html.EscapeString(l.text))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
