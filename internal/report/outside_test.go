package report

import (
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestAPageNamesTheSandboxAndWhatItRefused(t *testing.T) {
	host := &loop.SandboxRefused{What: loop.RefusedHost, Name: "pypi.org", Key: "sandbox.hosts", By: "agent"}
	s := begin(&loop.RunStarted{Name: "run-1", Sandbox: &loop.Sandbox{Mode: "landlock", Why: "no user namespaces"}}).
		attempt(ok(time.Second), goOn, host, host)
	page := html.UnescapeString(written(t, s.data()))
	for _, want := range []string{"landlock (no user namespaces)", "Refused by the sandbox", "host pypi.org, wanted by the agent", `sandbox.hosts = ["pypi.org"]`} {
		if strings.Count(page, want) != 1 {
			t.Errorf("the page has %q %d times, want once", want, strings.Count(page, want))
		}
	}
	old := written(t, begin(&loop.RunStarted{Name: "run-1"}).attempt(ok(time.Second), goOn).data())
	if strings.Contains(strings.ToLower(old), "sandbox") {
		t.Error("the page of a run from before speaks of a sandbox")
	}
}

func TestAPageListsABoundedNumberOfThem(t *testing.T) {
	var o outside
	for n := range maxOutside + 3 {
		o.add(&loop.SandboxRefused{What: loop.RefusedHost, Name: fmt.Sprint("h", n)})
	}
	rows, more := o.rows()
	if len(rows) != maxOutside || !strings.Contains(more, "3 more refusals") {
		t.Errorf("%d rows and %q", len(rows), more)
	}
}
