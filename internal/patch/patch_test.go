package patch

import (
	"fmt"
	"strings"
	"testing"
)

func parsed(t *testing.T, text string, perFile, total int) Diff {
	t.Helper()
	d, err := Read(strings.NewReader(text), perFile, total)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const sample = `diff --git a/a.go b/a.go
index 1..2 100644
--- a/a.go
+++ b/a.go
@@ -1,3 +1,3 @@ func main()
 package a
--- old <b>
+++ new
 end
diff --git a/old name.txt b/new name.txt
similarity index 92%
rename from old name.txt
rename to new name.txt
diff --git a/x.png b/x.png
new file mode 100644
index 0..1
Binary files /dev/null and b/x.png differ
diff --git "a/\303\244.txt" "b/\303\244.txt"
deleted file mode 100755
--- "a/\303\244.txt"
+++ /dev/null
@@ -1 +0,0 @@
-gone
\ No newline at end of file
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`

func TestDiff(t *testing.T) {
	d := parsed(t, sample, 100, 100)
	var got []string
	for _, f := range d.Files {
		got = append(got, fmt.Sprintf("%s %s %s +%d -%d %v %d hunks", f.Status, f.OldPath, f.Path, f.Added, f.Removed, f.Binary, len(f.Hunks)))
	}
	want := []string{
		"modified  a.go +1 -1 false 1 hunks", "renamed old name.txt new name.txt +0 -0 false 0 hunks", "added  x.png +0 -0 true 0 hunks",
		"deleted  ä.txt +0 -1 false 1 hunks", "modified  run.sh +0 -0 false 0 hunks",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the files are %q, want %q", got, want)
	}
	lines := d.Files[0].Hunks[0].Lines
	if len(lines) != 4 || lines[1].Op != "-" || lines[1].Old != 2 || lines[1].HTML != "-- old &lt;b&gt;" || lines[2].New != 2 || lines[3].Old != 3 {
		t.Errorf("the lines are %+v", lines)
	}
	if !strings.Contains(lines[0].HTML, `<span class="k">package</span>`) {
		t.Errorf("code has no colours: %q", lines[0].HTML)
	}
	if f := d.Files[4]; f.OldMode != "100644" || f.Mode != "100755" {
		t.Errorf("the mode is %+v", f)
	}
	if end := d.Files[3].Hunks[0].Lines; end[len(end)-1].HTML != "No newline at end of file" {
		t.Errorf("the end is %+v", end)
	}
}

func TestALargeDiffIsCut(t *testing.T) {
	d := parsed(t, sample, 2, 100)
	if f := d.Files[0]; f.CutLines != 2 || f.Added != 1 || len(f.Hunks[0].Lines) != 2 {
		t.Errorf("cut by file: %+v", f)
	}
	if d = parsed(t, sample, 100, 4); d.Files[3].CutLines != 2 || d.Removed != 2 {
		t.Errorf("cut in all: %+v", d)
	}
}

// What stands in a file does not pass for what git says.
func TestADiffInADiff(t *testing.T) {
	inner := "@@ -0,0 +1,3 @@\n+diff --git a/evil b/evil\n+--- a/evil\n+@@ -1 +1 @@\n"
	d := parsed(t, "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n"+inner, 100, 100)
	if len(d.Files) != 1 || d.Files[0].Added != 3 {
		t.Errorf("the files are %+v", d.Files)
	}
}
