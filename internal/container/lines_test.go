package container

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/proc"
)

func TestLines(t *testing.T) {
	docker := Engine{Program: Docker}
	box := Box{
		Image: "work:1", Role: "agent", Dir: "/src/app", Home: "/home/u", UID: 1000, GID: 100, Options: []string{"--memory", "4g"},
		Mounts: []Mount{{From: "/src/app/.git/config", To: "/src/app/.git/config", ReadOnly: true}, {From: "/src/app", To: "/src/app"}, {From: "/state/tmp", To: "/tmp"}},
	}
	root := box
	root.UID, root.GID = 0, 0
	const begin = "run --interactive --rm --init --sig-proxy=false --pull=never --name n --label a=b --security-opt no-new-privileges "
	const end = " --mount type=bind,source=/src/app,target=/src/app --mount type=bind,source=/src/app/.git/config,target=/src/app/.git/config,readonly --mount type=bind,source=/state/tmp,target=/tmp" +
		" --env HOME=/home/u --workdir /src/app --memory 4g --entrypoint sh work:1 -c " + idle
	for _, tt := range []struct {
		name string
		got  []string
		want string
	}{
		{"run", docker.run("n", box, []string{"a=b"}), "docker " + begin + "--cap-drop=ALL --user 1000:100" + end},
		{"root needs what root has", docker.run("n", root, []string{"a=b"}), "docker " + begin + "--user 0:0" + end},
		{"whose root is the user", docker.hear("27 [name=seccomp name=rootless]").run("n", box, []string{"a=b"}), "docker " + begin + "--user 0:0" + end},
		{"whose numbers are others", docker.hear("27 [name=userns]").run("n", box, []string{"a=b"}), "docker " + begin + "--userns=host --cap-drop=ALL --user 1000:100" + end},
		{"with SELinux", docker.hear("27 [name=selinux]").run("n", box, []string{"a=b"}), "docker " + begin + "--cap-drop=ALL --user 1000:100 --security-opt label=disable" + end},
		{
			"podman without root", Engine{Program: Podman}.hear("5.0 rootless=true selinux=true").run("n", box, []string{"a=b"}),
			"podman " + begin + "--userns=keep-id --cap-drop=ALL --user 1000:100 --security-opt label=disable" + end,
		},
		{"podman of root", Engine{Program: Podman}.hear("5.0 rootless=false selinux=false").run("n", root, []string{"a=b"}), "podman " + begin + "--user 0:0" + end},
		{"exec", docker.exec("n", "/src/app", []string{"A", "B=c"}, []string{"claude", "-p"}), "docker exec --interactive --workdir /src/app --env A --env B=c n claude -p"},
		{"signal", docker.signal("n", "TERM"), "docker exec n sh -c kill -TERM -1"},
		{"processes", docker.processes("n"), "docker top n"},
		{"remove", docker.remove("n", "m"), "docker rm --force --volumes n m"},
		{"ours", docker.ours(), `docker ps --all --no-trunc --filter label=refrain.runner --format {{.Names}} {{.Label "refrain.run"}} {{.Label "refrain.runner"}}`},
		{"ours of podman", Engine{Program: Podman}.ours(), "podman ps --all --no-trunc --filter label=refrain.runner --format json"},
		{"image", docker.image("work:1"), "docker image inspect --format {{.Id}} work:1"},
		{"about podman", Engine{Program: Podman}.about(), "podman info --format {{.Version.Version}} rootless={{.Host.Security.Rootless}} selinux={{.Host.Security.SELinuxEnabled}}"},
	} {
		if got := strings.Join(tt.got, " "); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// A mount is read as it was meant, whatever its path looks like.
func FuzzMount(f *testing.F) {
	f.Add("/a,b", "/c\"d", true)
	f.Add("/a b", "/", false)
	f.Fuzz(func(t *testing.T, from, to string, readOnly bool) {
		if strings.ContainsAny(from+to, "\r\x00") {
			t.Skip("no path of an engine's")
		}
		fields, err := csv.NewReader(strings.NewReader(Mount{from, to, readOnly}.String())).Read()
		want := []string{"type=bind", "source=" + from, "target=" + to}
		if readOnly {
			want = append(want, "readonly")
		}
		if err != nil || !slices.Equal(fields, want) {
			t.Errorf("read as %q, %v; want %q", fields, err, want)
		}
	})
}

func TestMountsAreInOrder(t *testing.T) {
	got := inOrder([]Mount{{"1", "/a/b", true}, {"2", "/a-c", false}, {"3", "/a", false}, {"4", "/a/b", false}, {"5", "/a/b/c", true}})
	var order []string
	for _, m := range got {
		order = append(order, m.From)
	}
	if want := []string{"2", "3", "4", "5"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

func TestListed(t *testing.T) {
	want := []found{{"one", proc.Mark{Run: "loop_1", Runner: "a.1.2.3.4"}}, {"two", proc.Mark{Run: "loop_2", Runner: "b"}}}
	for _, tt := range []struct{ program, answer string }{
		{Docker, "one loop_1 a.1.2.3.4\ntwo loop_2 b\n\nthree\n"},
		{Podman, `[{"Id":"0","Names":["one"],"Labels":{"refrain.run":"loop_1","refrain.runner":"a.1.2.3.4"}},{"Names":["two"],"Labels":{"refrain.run":"loop_2","refrain.runner":"b"}},{"Names":[]}]`},
	} {
		if got := (Engine{Program: tt.program}).listed(tt.answer); !slices.Equal(got, want) {
			t.Errorf("%s: listed %v, want %v", tt.program, got, want)
		}
	}
	if got := (Engine{Program: Podman}).listed("Error: no"); got != nil {
		t.Errorf("from an error: %v", got)
	}
}
