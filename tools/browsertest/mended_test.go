package browsertest

import "testing"

// What a program prints is shown as a terminal shows it: every line, every space, its
// colours, and of a line that was written over, the last.
func TestWebShowsWhatAProgramPrints(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("plain.sh", `cat >/dev/null
printf 'total 12\n    indented __init__.py\n\n# no heading\n- no bullet\n10%%\r50%%\r100%%\n\033[31mred\033[0m\n'
sleep 2
printf 'later\r\n<promise>DONE</promise>\n'
`)
	s.command("refrain", "run", "-n", "1", "--until", "DONE", "-p", "x", "--", "sh", "plain.sh")
	s.serve()
	p := s.open(browser(t))
	p.theRun()
	p.hears("<promise>DONE</promise>")
	got := eval[string](t, p.ctx, `[...document.querySelectorAll(".talk .said")].map(e => e.innerText.replace(/\n$/, "")).join("\n")`)
	if want := "total 12\n    indented __init__.py\n\n# no heading\n- no bullet\n100%\nred\nlater\n<promise>DONE</promise>"; got != want {
		t.Errorf("the transcript shows\n%q, want\n%q", got, want)
	}
	if mono := eval[bool](t, p.ctx, `[...document.querySelectorAll(".talk .said")].every(e => getComputedStyle(e).fontFamily.includes("mono"))`); !mono {
		t.Error("it is not set as a terminal sets it")
	}
	if colour := eval[bool](t, p.ctx, `getComputedStyle(document.querySelector(".talk .said .t-fg1")).color !== getComputedStyle(document.querySelector(".talk .said")).color`); !colour {
		t.Error("what is red is not red")
	}
	p.calm()
}
