package proof

import "testing"

func TestPathsAreReplacedAsAWhole(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"/home/a/proj", "/new"},
		{"/home/a/proj/bin:/usr/bin:/home/a/proj", "/new/bin:/usr/bin:/new"},
		{"/home/a/project2/bin", "/home/a/project2/bin"},
		{"/mnt/home/a/proj/bin", "/mnt/home/a/proj/bin"},
		{"--dir=/home/a/proj", "--dir=/new"},
		{"", ""},
	} {
		if got := replacePath(tt.text, "/home/a/proj", "/new"); got != tt.want {
			t.Errorf("replacePath(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := replacePath("/x", "", "/new"); got != "/x" {
		t.Errorf("no path is replaced: %q", got)
	}
}

func TestATextNamesAFolder(t *testing.T) {
	for _, tt := range []struct {
		text, folder string
		want         bool
	}{
		{`require("/home/a/proj/bin/x")`, "/home/a/proj", true},
		{`cd /home/a/proj`, "/home/a/proj", true},
		{`/home/a/project2`, "/home/a/proj", false},
		{`import x from "@/app/page"`, "/app", false},
		{`get("/app/page")`, "/app", false},
	} {
		if got := namesPath(tt.text, tt.folder); got != tt.want {
			t.Errorf("namesPath(%q, %q) = %v", tt.text, tt.folder, got)
		}
	}
}
