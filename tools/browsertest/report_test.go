// Package browsertest looks at the report page in a real browser. It is a module
// of its own, so that nobody who imports Refrain inherits the browser's protocol.
package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// patience is how long a test may look at pages. A machine may be busy.
const patience = 10 * time.Minute

// browser opens a browser that talks to nobody, and gives the way to its first
// page.
func browser(t testing.TB) context.Context {
	t.Helper()
	ctx, leave := newBrowser(t)
	t.Cleanup(leave)
	return ctx
}

// newBrowser is a browser that somebody leaves who does not wait for the test's end.
func newBrowser(t testing.TB) (ctx context.Context, leave func()) {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Fatal("no browser: install chromium (Debian: apt install chromium)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP evil.test 127.0.0.1"), // a name of somebody else's that leads here
	)
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	ctx, closeTab := chromedp.NewContext(ctx)
	return ctx, func() {
		closeTab()
		end()
		cancel()
	}
}

// pages is the folder with the pages that the tests of package report write, one
// for each kind of run.
var pages string

func TestMain(m *testing.M) {
	code, err := withPages(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func withPages(run func() int) (int, error) {
	var err error
	if pages, err = os.MkdirTemp("", "refrain-pages-"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(pages)
	write := exec.Command("go", "test", "-count=1", "-run", "TestPagesForTheBrowser", "./internal/report")
	write.Dir = "../.."
	write.Env = append(os.Environ(), "REFRAIN_REPORT_PAGES="+pages)
	if out, err := write.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("the test that writes the pages: %w\n%s", err, out)
	}
	return run(), nil
}

// look opens a page from disk, does something with it, and fails the test when
// the page complained or asked for anything but itself.
func look(t *testing.T, ctx context.Context, name string, do func(ctx context.Context)) {
	t.Helper()
	at := (&url.URL{Scheme: "file", Path: filepath.Join(pages, name+".html")}).String()
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	requests, messages := chromedp.Events(ctx, network.RequestWillBeSent), chromedp.Console(ctx)
	if err := chromedp.Do(ctx, chromedp.Navigate(at)); err != nil {
		t.Fatal(err)
	}
	do(ctx)

	const end = "the test is over"
	eval[any](t, ctx, fmt.Sprintf("console.log(%q)", end))
	for m, err := range messages {
		if err != nil {
			t.Fatal(err)
		}
		if m.Text == end {
			break
		}
		t.Errorf("the page wrote to the console: %s: %s", m.Type, m.Text)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(at+"?over")); err != nil {
		t.Fatal(err)
	}
	for r, err := range requests {
		if err != nil {
			t.Fatal(err)
		}
		if r.Request.URL == at+"?over" {
			break
		}
		if r.Request.URL != at {
			t.Errorf("the page asked for %s", r.Request.URL)
		}
	}
}

func eval[T any](t testing.TB, ctx context.Context, js string) T {
	t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return got
}

// screen sets what the page is looked at on: a screen, or paper.
func screen(t testing.TB, ctx context.Context, width, tall int64, media, scheme string) {
	t.Helper()
	look := emulation.SetEmulatedMediaParams{Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, look); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, tall)); err != nil {
		t.Fatal(err)
	}
}

// fits fails the test when a page has to be moved sideways to be read.
func fits(t *testing.T, ctx context.Context, name string, width int64) {
	t.Helper()
	if wide := eval[int64](t, ctx, `document.documentElement.scrollWidth`); wide > width {
		out := eval[string](t, ctx, fmt.Sprintf(`[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > %d && !e.closest(".scroll, nav, pre, svg")).slice(0, 5).map(e => e.outerHTML.slice(0, 80)).join("\n")`, width))
		t.Errorf("%s: the page is %d wide on a screen of %d, for:\n%s", name, wide, width, out)
	}
}

func photograph(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if len(picture) < 10_000 {
		t.Errorf("the picture %s has %d bytes: there is nothing on it", name, len(picture))
	}
	file := filepath.Join(t.ArtifactDir(), "report-"+name+".png")
	if err := os.WriteFile(file, picture, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Log(file)
}

var sizes = []struct {
	name          string
	width, tall   int64
	media, scheme string
	background    string
}{
	{"light", 1280, 900, "screen", "light", "rgb(244, 245, 248)"},
	{"dark", 1280, 900, "screen", "dark", "rgb(15, 18, 23)"},
	{"mobile", 375, 740, "screen", "light", "rgb(244, 245, 248)"},
	{"paper", 720, 1000, "print", "dark", "rgb(255, 255, 255)"},
}

func TestBrowserShowsANight(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	look(t, ctx, "night", func(ctx context.Context) {
		for _, id := range []string{"tests", "cost", "context", "duration"} {
			// A mark counts when it can be seen.
			seen := eval[int](t, ctx, fmt.Sprintf(`[...document.querySelectorAll("#chart-%s .mark")].filter(m => { const b = m.getBoundingClientRect(); return b.width > 1 && b.height >= 1 && getComputedStyle(m).fill !== "rgb(0, 0, 0)" }).length`, id))
			if seen < 30 {
				t.Errorf("chart %s shows %d marks, want one for each iteration", id, seen)
			}
		}
		if n := eval[int](t, ctx, `document.querySelectorAll(".band .part").length`); n < 30 {
			t.Errorf("the timeline has %d parts", n)
		}
		for _, size := range sizes {
			screen(t, ctx, size.width, size.tall, size.media, size.scheme)
			if got := eval[string](t, ctx, `getComputedStyle(document.body).backgroundColor`); got != size.background {
				t.Errorf("%s: the page is %s, want %s", size.name, got, size.background)
			}
			fits(t, ctx, size.name, size.width)
			photograph(t, ctx, size.name)
		}
	})
}

func TestBrowserShowsDiffsAndTranscripts(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	look(t, ctx, "night", func(ctx context.Context) {
		if n := eval[int](t, ctx, `[...document.querySelectorAll(".text")].filter(e => e.checkVisibility()).length`); n != 0 {
			t.Errorf("%d texts are open before anybody asked for them", n)
		}
		eval[any](t, ctx, `document.querySelectorAll("#net details, #d3, #d3 details, #t3").forEach(d => { d.open = true })`)
		for _, size := range sizes[:3] {
			screen(t, ctx, min(size.width, 1280), size.tall, size.media, size.scheme)
			fits(t, ctx, size.name, size.width)
			photograph(t, ctx, "texts-"+size.name)
		}
		colors := eval[[]string](t, ctx, `[".add", ".del", ".hunk"].map(c => getComputedStyle(document.querySelector("#net " + c)).color)`)
		if len(colors) != 3 || colors[0] == colors[1] || colors[1] == colors[2] {
			t.Errorf("the lines of a diff have the colours %v", colors)
		}
		if !eval[bool](t, ctx, `document.querySelector("#t3 .text").innerText.includes("the tide")`) {
			t.Error("what the agent said cannot be read")
		}
	})
}

func TestBrowserAnswersPointerAndClicks(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	look(t, ctx, "night", func(ctx context.Context) {
		screen(t, ctx, 1280, 900, "screen", "light")
		tip := eval[string](t, ctx, `(() => {
			const hit = document.querySelector("#chart-tests .hit"), b = hit.getBoundingClientRect();
			hit.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: b.x, clientY: b.y}));
			const tip = document.getElementById("tip");
			return tip.hidden ? "" : tip.innerText;
		})()`)
		if !strings.Contains(tip, "Iteration 1") || !strings.Contains(tip, "passed") {
			t.Errorf("the tooltip says %q", tip)
		}
		order := `[...document.querySelectorAll("table.attempts tbody tr")].map(r => Number(r.cells[2].dataset.v))`
		for _, want := range []string{"ascending", "descending"} {
			eval[any](t, ctx, `document.querySelectorAll("table.attempts thead button")[2].click()`)
			sign := map[string]string{"ascending": "<", "descending": ">"}[want]
			if !eval[bool](t, ctx, order+`.every((v, i, all) => !i || !(v `+sign+` all[i-1]))`) {
				t.Errorf("durations are not %s after a click on their head", want)
			}
		}
		if err := chromedp.Do(ctx, chromedp.Click("#i3 a"), chromedp.WaitReady("#d3[open]")); err != nil {
			t.Errorf("a link to changed files leaves them folded: %v", err)
		}
	})
}

func TestBrowserShowsLittleAndMuch(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	for _, name := range []string{"empty", "one", "marathon", "hostile"} {
		look(t, ctx, name, func(ctx context.Context) {
			screen(t, ctx, 375, 740, "screen", "dark")
			fits(t, ctx, name, 375)
			if eval[bool](t, ctx, `"hacked" in window`) {
				t.Errorf("%s: text of the agent's ran as a script", name)
			}
			screen(t, ctx, 1280, 900, "screen", "light")
			photograph(t, ctx, name)
		})
	}
}
