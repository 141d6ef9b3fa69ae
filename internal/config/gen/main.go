// Gen writes the tables of docs/configuration.md from the settings themselves,
// so that the page cannot tell of a key, a default or a variable that is not so.
// What stands above the tables is written by hand and left as it is.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
)

//go:generate go run .

// pagePath is seen from this folder, where go generate and go test work.
const pagePath = "../../../docs/configuration.md"

// mark is the line below which the page is generated.
const mark = "<!-- Generated from here on by \"make docs\": change internal/config/rows.go instead. -->\n"

func main() {
	if err := generate(pagePath); err != nil {
		fmt.Fprintf(os.Stderr, "gen: %v\n", err)
		os.Exit(1)
	}
}

func generate(path string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page, err := renew(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(page), 0o644)
}

// renew is the page with what stands below the mark made anew.
func renew(page string) (string, error) {
	byHand, _, found := strings.Cut(page, mark)
	if !found {
		return "", fmt.Errorf("the page has no line %q", strings.TrimSpace(mark))
	}
	return byHand + mark + "\n" + config.Reference(), nil
}
