// House prints how the code of a module is built, for those who live in it: how
// wide its types are, how far a reader has to travel, how large its rooms are.
//
//	go run ./house [-list] [FOLDER]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	list := flag.Bool("list", false, "name also what is counted")
	flag.Parse()
	dir := "."
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = run(dir, *list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func run(dir string, list bool) error {
	h, err := load(dir)
	if err != nil {
		return err
	}
	h.print(os.Stdout, list)
	return nil
}
