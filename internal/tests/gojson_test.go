package tests

import "testing"

func TestGoJSON(t *testing.T) {
	const (
		run    = `{"Action":"run","Package":"a","Test":"TestX"}`
		pass   = `{"Action":"pass","Package":"a","Test":"TestX","Elapsed":0.1}`
		passed = `{"Action":"pass","Package":"a","Elapsed":0.1}`
		failed = `{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"a","Elapsed":0.1}`
	)
	check(t, []reading{
		{"a test", lines(run, pass, passed), "go-json: 1 = 1 passed + 0 failed + 0 skipped"},
		{"the same test twice", lines(run, pass, run, pass, passed), "go-json: 2 = 2 passed + 0 failed + 0 skipped"},
		{"a package without tests", lines(passed), "go-json: 0 = 0 passed + 0 failed + 0 skipped"},
		{"a package that fails outside of its tests", lines(run, pass, failed), "go-json: 2 = 1 passed + 1 failed + 0 skipped; a"},
		{"a package that ends in the middle of a test", lines(run, failed), "go-json: 1 = 0 passed + 1 failed + 0 skipped; a.TestX"},
		{"cut off in the middle of a test", lines(run, pass, run), "go-json: 1 = 1 passed + 0 failed + 0 skipped"},
		{"a torn line", lines(run, pass, passed[:20]), "go-json: 1 = 1 passed + 0 failed + 0 skipped"},
		{"lines of other programs between", lines(run, "hello", `{"Time":12}`, pass, passed), "go-json: 1 = 1 passed + 0 failed + 0 skipped"},
		{"indented, as in a document", "  " + pass + "\n", "nothing"},
	})
}
