package sandbox

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
)

func TestChoose(t *testing.T) {
	lack := func(k fence.Kind, why string) error { return &fence.Error{Kind: k, Err: errors.New(why)} }
	noUser, noLandlock := lack(fence.Namespaces, "no user namespaces"), lack(fence.Landlock, "Linux 5.4 has no Landlock")
	tests := []struct {
		name, wanted string
		lacks        map[fence.Kind]error
		kind         fence.Kind
		why, err     string
	}{
		{"the best there is", "auto", nil, fence.Namespaces, "", ""},
		{"the next best, and why", "auto", map[fence.Kind]error{fence.Namespaces: noUser}, fence.Landlock, "no user namespaces", ""},
		{"none, and why", "auto", map[fence.Kind]error{fence.Namespaces: noUser, fence.Landlock: noLandlock}, fence.None, "no user namespaces; Linux 5.4 has no Landlock", ""},
		{"the same reason is told once", "auto", map[fence.Kind]error{fence.Namespaces: noUser, fence.Landlock: lack(fence.Landlock, "no user namespaces")}, fence.None, "no user namespaces", ""},
		{"what was asked for", "landlock", nil, fence.Landlock, "", ""},
		{"or a refusal", "landlock", map[fence.Kind]error{fence.Landlock: noLandlock}, "", "", `sandbox.mode = "landlock" can not be had here: Linux 5.4 has no Landlock`},
		{"the one of another system", "seatbelt", nil, "", "", `sandbox.mode = "seatbelt" can not be had here: it is for macOS`},
		{"none is none", "none", map[fence.Kind]error{fence.Namespaces: noUser}, fence.None, "", ""},
	}
	for _, tt := range tests {
		var tried []fence.Kind
		kind, why, err := Choose(tt.wanted, []fence.Kind{fence.Namespaces, fence.Landlock}, func(k fence.Kind) error {
			tried = append(tried, k)
			return tt.lacks[k]
		})
		said := ""
		if err != nil {
			said = err.Error()
		}
		if kind != tt.kind || why != tt.why || said != tt.err {
			t.Errorf("%s: Choose(%q) = %q, %q, %q, want %q, %q, %q", tt.name, tt.wanted, kind, why, said, tt.kind, tt.why, tt.err)
		}
		if kind != "" && kind != fence.None && !slices.Contains(tried, kind) {
			t.Errorf("%s: %s was not tried", tt.name, kind)
		}
	}
}

func TestASystemWithoutAnySaysSo(t *testing.T) {
	kind, why, err := Choose("auto", nil, func(fence.Kind) error { panic("nothing is there to be tried") })
	if kind != fence.None || why != "none is built for "+runtime.GOOS+" yet" || err != nil {
		t.Errorf("Choose = %q, %q, %v", kind, why, err)
	}
}

func TestWhyThereIsNoneIsExplained(t *testing.T) {
	tried := &fence.Error{Kind: fence.Namespaces, What: "start the keeper", Err: errors.New("no space left on device")}
	for _, tt := range []struct {
		facts fence.Facts
		kind  fence.Kind
		err   error
		want  string
	}{
		{fence.Facts{NoUsers: "max_user_namespaces is 0"}, fence.Namespaces, tried, "no user namespaces: max_user_namespaces is 0"},
		{fence.Facts{}, fence.Namespaces, tried, "start the keeper: no space left on device"},
		{fence.Facts{NoUsers: "x", Kernel: "5.4.0"}, fence.Landlock, tried, "Linux 5.4.0 has no Landlock"},
		{fence.Facts{Kernel: "6.8.0", Landlock: 4}, fence.Landlock, tried, "start the keeper: no space left on device"},
	} {
		if got := whyNot(explain(tt.facts, tt.kind, tt.err)); got != tt.want {
			t.Errorf("explain(%+v, %s) = %q, want %q", tt.facts, tt.kind, got, tt.want)
		}
	}
	if err := explain(fence.Facts{NoUsers: "as it seems"}, fence.Namespaces, nil); err != nil {
		t.Errorf("a sandbox that holds is explained away: %v", err)
	}
}

func TestAListedNetworkNeedsASandbox(t *testing.T) {
	var refused *UnconfinedError
	_, err := Find(t.Context(), Wish{Mode: "none", Network: "listed"})
	if !errors.As(err, &refused) || err.Error() != `sandbox.network = "listed" needs a sandbox, and sandbox.mode is "none"` {
		t.Errorf("Find = %v", err)
	}
	if got := (&UnconfinedError{Network: "listed", Wanted: "auto", Why: "Linux 5.4 has no Landlock"}).Error(); got != `sandbox.network = "listed" needs a sandbox, and there is none here: Linux 5.4 has no Landlock` {
		t.Errorf("it says %q", got)
	}
	if found, err := Find(t.Context(), Wish{Mode: "none", Network: "open"}); err != nil || found.Network != "open" {
		t.Errorf("Find = %+v, %v", found, err)
	}
}

// An older kernel holds less, and a run says what.
func TestWhatAnOlderKernelDoesNotStopIsTold(t *testing.T) {
	if len((fence.Facts{Landlock: 2}).Lacks()) == 0 {
		t.Skip("no kind of this system depends on Landlock")
	}
	if got := lacking(fence.Facts{Landlock: 2}, fence.Landlock); got != "files outside can be emptied; processes outside can be signalled" {
		t.Errorf("landlock of version 2 lacks %q", got)
	}
	if got := lacking(fence.Facts{Landlock: 7}, fence.Landlock); got != "" {
		t.Errorf("landlock of version 7 lacks %q", got)
	}
	if got := join("no user namespaces", ""); got != "no user namespaces" {
		t.Errorf("joined with nothing: %q", got)
	}
}
