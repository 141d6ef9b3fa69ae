package proc

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestLeft(t *testing.T) {
	cmd := exec.Command("cat")
	tree := t.TempDir()
	cmd.Env = append(os.Environ(), NewMark("loop_left-test", tree).Environ()...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	list, err := Left(nil, tree, "loop_left-test")
	if err != nil || len(list) != 1 || !strings.HasPrefix(list[0], "cat (pid ") {
		t.Errorf("Left = %v, %v, want the cat", list, err)
	}
	if list, _ := Left([]string{"cat"}, tree, "loop_left-test"); len(list) != 0 {
		t.Errorf("Left = %v, want it spared", list)
	}
	if list, _ := Left(nil, t.TempDir(), "loop_left-test"); len(list) != 0 {
		t.Errorf("Left = %v in another tree, want nobody", list)
	}
	if !Descends(cmd.Process.Pid, os.Getpid()) || Descends(os.Getppid(), os.Getpid()) {
		t.Error("the child descends from us, and our parent does not")
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if list, err := Left(nil, tree, "loop_left-test"); err != nil || len(list) != 0 {
		t.Errorf("Left = %v, %v after the end, want nobody", list, err)
	}
}
