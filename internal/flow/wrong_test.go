package flow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/api/serviceerror"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// Whatever a server has against something: it is said in our words, with what to do.
func TestWhatAServerSaysIsSaidInOurWords(t *testing.T) {
	l := &line{server: fleet.Server{Address: "there:7233", Namespace: "ours"}}
	for _, tt := range []struct {
		name       string
		err        error
		says, does string
	}{
		{"no namespace", serviceerror.NewNamespaceNotFound("ours"), "no namespace ours", "fleet.namespace"},
		{"not let in", serviceerror.NewPermissionDenied("no", ""), "does not let us in", "REFRAIN_FLEET_API_KEY"},
		{"no server", serviceerror.NewUnavailable("connection refused"), "no fleet server answers at there:7233", "fleet.address"},
		{"another kind of connection", serviceerror.NewUnavailable("tls: first record does not look like a TLS handshake"), "no safe connection", "fleet.tls"},
		{"a certificate of somebody else's", serviceerror.NewUnavailable("x509: certificate signed by unknown authority"), "no safe connection", "fleet.tls_ca"},
		{"nobody works", context.DeadlineExceeded, "no worker has done", "refrain-worker work"},
		{"nonsense", serviceerror.NewInvalidArgument("blob too large"), "blob too large", "change"},
	} {
		err := l.wrong(tt.err)
		if !strings.Contains(err.Error(), tt.says) || !strings.Contains(hint(err), tt.does) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, hint %q; want %q and %q", tt.name, err, hint(err), tt.says, tt.does)
		}
	}
	if l.wrong(nil) != nil {
		t.Error("what went well is wrong")
	}
	if ours := error(&fleet.ExistsError{Run: "a"}); l.wrong(ours) != ours {
		t.Error("what we have said already is said anew")
	}
}

// What makes a connection safe is looked at before one is made.
func TestWhatMakesAConnectionSafeIsLookedAt(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		server fleet.Server
		does   string
	}{
		{"a key in the open", fleet.Server{Address: "there:7233", APIKey: "secret"}, "fleet.tls = true"},
		{"who we are, by half", fleet.Server{TLS: fleet.TLS{On: true, Cert: empty}}, "fleet.tls_key"},
		{"nobody to believe", fleet.Server{TLS: fleet.TLS{On: true, CA: empty}}, "fleet.tls_ca"},
		{"a file that is not there", fleet.Server{TLS: fleet.TLS{On: true, CA: empty + ".not"}}, "fleet.tls_ca"},
	} {
		_, err := secure(tt.server)
		if server := (*fleet.ServerError)(nil); !errors.As(err, &server) || !strings.Contains(hint(err), tt.does) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, hint %q; want %q", tt.name, err, hint(err), tt.does)
		}
	}
	if c, err := secure(fleet.Server{Address: "127.0.0.1:7233", APIKey: "secret"}); c != nil || err != nil {
		t.Errorf("a key that stays on the machine: %v, %v", c, err)
	}
	if c, err := secure(fleet.Server{Address: "there:7233", TLS: fleet.TLS{On: true, ServerName: "fleet"}}); err != nil || c.ServerName != "fleet" {
		t.Errorf("a safe connection: %+v, %v", c, err)
	}
}

// Nothing in a value ends the condition that it stands in, and every run of a plan has a
// name and a branch of its own.
func TestNamesAreWhatTheySay(t *testing.T) {
	if got, want := equals("RefrainRemote", `it's \ here`), `RefrainRemote = 'it\'s \\ here'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := firedName("firing/nightly-2026-11-19T02:00:00Z"); got != "nightly-20261119-020000" {
		t.Errorf("a firing has the name %s", got)
	}
	for branch, want := range map[string]string{
		"":                        "",
		"refrain/{{name}}":        "refrain/nightly-1",
		"refrain/nightly":         "refrain/nightly-1",
		"work":                    "work-nightly-1",
		"{{name}}/of/{{name}}/it": "nightly-1/of/nightly-1/it",
	} {
		if got := ownBranch(branch, "nightly", "nightly-1"); got != want {
			t.Errorf("ownBranch(%q) = %q, want %q", branch, got, want)
		}
	}
	long := fair(fleet.Spec{Remote: "https://" + strings.Repeat("ä", 60) + "/one.git"})
	if len(long) > 64 || !strings.HasSuffix(long, "/one.git") {
		t.Errorf("repositories take turns by %q", long)
	}
	for at, ok := range map[string]bool{"0 2 * * *": true, "@daily": true, "every 6h": true, "every 5s": false, "soon": false, "every day": false} {
		if _, err := when(at); (err == nil) != ok {
			t.Errorf("%q: %v", at, err)
		}
	}
}
