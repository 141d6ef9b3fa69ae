package cli

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/story"
)

// One story per script, each told in both sandboxes. Outside of them somebody serves, on
// port $PORT of loopback and on the socket $SOCKET, where docker would be.
func TestNetworkScripts(t *testing.T) {
	t.Run("landlock", func(t *testing.T) { tellOfNetwork(t, "landlock", proc.TryFence(t.Context(), "landlock")) })
	t.Run("namespaces", func(t *testing.T) { tellOfNetwork(t, "namespaces", proc.TryFence(t.Context(), "namespaces")) })
}

func tellOfNetwork(t *testing.T, kind string, lack error) {
	if lack != nil {
		t.Skip("this machine has no such sandbox: ", lack)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/network",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			if err := story.CleanHome(env); err != nil {
				return err
			}
			env.Setenv("REFRAIN_SANDBOX_MODE", kind)
			env.Setenv("KIND", kind)
			return serveOutside(env)
		},
		Cmds: story.Words,
		Condition: func(cond string) (bool, error) {
			if cond == "landlock" || cond == "namespaces" {
				return cond == kind, nil
			}
			return story.Condition(cond)
		},
		ContinueOnError: story.ToTheEnd(),
	})
}

// serveOutside has somebody answer until the story ends.
func serveOutside(env *testscript.Env) error {
	socket := filepath.Join(env.WorkDir, "home", ".docker", "run", "docker.sock")
	if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
		return err
	}
	port, err1 := net.Listen("tcp4", "127.0.0.1:0")
	local, err2 := net.Listen("unix", socket)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served outside\n") })}
	go func() { _ = server.Serve(port) }() // until it is closed
	go func() { _ = server.Serve(local) }()
	env.Defer(func() { _ = server.Close() })
	_, number, err := net.SplitHostPort(port.Addr().String())
	env.Setenv("PORT", number)
	env.Setenv("SOCKET", socket)
	return err
}
