package story

import (
	"fmt"
	"net"
	"os"
	"time"
)

// Answer is a program for stories: "answer SOCKET FILE" listens on a UNIX socket and
// adds a line to a file for everybody who knocks. The file is there once it listens.
func Answer() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: answer SOCKET FILE")
		os.Exit(2)
	}
	if err := answer(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "answer:", err)
		os.Exit(1)
	}
}

func answer(socket, file string) error {
	door, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	defer door.Close()
	list, err := os.Create(file)
	if err != nil {
		return err
	}
	defer list.Close()
	if _, err := fmt.Fprintln(list, "listening"); err != nil {
		return err
	}
	for {
		conn, err := door.Accept()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(list, "somebody knocked"); err != nil {
			return err
		}
		_ = conn.Close()
	}
}

// Knock is a program for stories: "knock SOCKET" ends with 0 when somebody opens, and
// else says why not.
func Knock() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: knock SOCKET")
		os.Exit(2)
	}
	conn, err := net.DialTimeout("unix", os.Args[1], time.Minute)
	if err != nil {
		fmt.Fprintln(os.Stderr, "knock:", err)
		os.Exit(1)
	}
	_ = conn.Close()
}
