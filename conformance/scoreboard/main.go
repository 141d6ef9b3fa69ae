// The scoreboard reads what "go test -json" prints of the stories and prints
// where each row is shown and how many they cover. It is run in the root of the
// repository, and ends with status 1 when a story failed or a row is unaccounted
// for.
//
//	go test -json … | go run ./conformance/scoreboard
//	go run ./conformance/scoreboard -places    only where each row is shown
package main

import (
	"fmt"
	"os"

	"github.com/refrain-loop/refrain/conformance"
)

func main() {
	wrong, err := score()
	if err != nil {
		fmt.Fprintf(os.Stderr, "scoreboard: %v\n", err)
		os.Exit(1)
	}
	for _, line := range wrong {
		fmt.Fprintf(os.Stderr, "WRONG: %s\n", line)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
}

func score() (wrong []string, err error) {
	books, err := conformance.Open(os.DirFS("."))
	if err != nil {
		return nil, err
	}
	if len(os.Args) > 1 && os.Args[1] == "-places" {
		books.Places(os.Stdout)
		return books.Check(), nil
	}
	results, err := conformance.Hear(os.Stdin, os.Stderr)
	if err != nil {
		return nil, err
	}
	s := books.Score(results)
	books.Places(os.Stdout)
	fmt.Println()
	s.Print(os.Stdout)
	return s.Wrong(), nil
}
