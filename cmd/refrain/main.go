// Refrain runs a coding agent again and again until the work is done.
package main

import (
	"os"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
)

func main() {
	app.Helper()
	os.Exit(cli.Main(os.Args[1:]))
}
