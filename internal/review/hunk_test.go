package review

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// diffOf is how git says that one text became another.
func diffOf(t *testing.T, was, is string) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"was": was, "is": is} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-color", "--", "was", "is")
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatal(err)
	}
	return out
}

func TestAllHunksAreTheNewFileAndNoneIsTheOld(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	words := []string{"a\n", "b\n", "\n", "+c\n", "-d\n", "@@ -1 +1 @@\n", "\\ e\n", "f\r\n", "ü\n"}
	text := func() []string {
		var list []string
		for range r.IntN(40) {
			list = append(list, words[r.IntN(len(words))])
		}
		return list
	}
	for range 40 {
		old := text()
		fresh := slices.Clone(old)
		for range r.IntN(6) {
			at := r.IntN(len(fresh) + 1)
			to := min(len(fresh), at+r.IntN(3))
			fresh = slices.Replace(fresh, at, to, text()[:0]...)
			fresh = slices.Insert(fresh, at, words[r.IntN(len(words))])
		}
		was, is := strings.Join(old, ""), strings.Join(fresh, "")
		if r.IntN(3) == 0 {
			was = strings.TrimSuffix(was, "\n")
		}
		if r.IntN(3) == 0 {
			is = strings.TrimSuffix(is, "\n")
		}
		hunks := Hunks(diffOf(t, was, is))
		for name, tt := range map[string]struct {
			kept []Hunk
			want string
		}{"all": {hunks, is}, "none": {nil, was}} {
			got, err := Keep([]byte(was), tt.kept)
			if err != nil || !bytes.Equal(got, []byte(tt.want)) {
				t.Fatalf("Keep %s of %q → %q = %q, %v", name, was, is, got, err)
			}
		}
	}
}

func TestAHunkCanGoByItself(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	middle := strings.Repeat("x\n", 20)
	was, is := "a\n"+middle+"b\n"+middle+"c\n", "A\n"+middle+"B\n"+middle+"C\nD\n"
	hunks := Hunks(diffOf(t, was, is))
	if len(hunks) != 3 || hunks[2].Added != 2 || hunks[2].Gone != 1 || hunks[1].N != 2 {
		t.Fatalf("Hunks = %+v, want three", hunks)
	}
	got, err := Keep([]byte(was), []Hunk{hunks[0], hunks[2]})
	if want := "A\n" + middle + "b\n" + middle + "C\nD\n"; err != nil || string(got) != want {
		t.Errorf("without the second: %q, %v", got, err)
	}
	if _, err := Keep([]byte("a\n"), hunks); err == nil {
		t.Error("hunks of another file were applied")
	}
}

func TestWhatIsNoTextHasNoHunks(t *testing.T) {
	if hunks := Hunks([]byte("diff --git a/x b/x\nBinary files a/x and b/x differ\n")); hunks != nil {
		t.Errorf("Hunks = %+v, want none", hunks)
	}
}
