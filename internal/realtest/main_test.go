package realtest

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
)

func TestMain(m *testing.M) {
	app.Helper()
	testscript.Main(m, map[string]func(){
		"refrain": func() { os.Exit(cli.Main(os.Args[1:])) },
	})
}
