package stop

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

func TestMaxFiles(t *testing.T) {
	tests := []struct {
		name string
		most int
		net  *loop.Changes
		want loop.Status
	}{
		{"as many as it may", 3, &loop.Changes{Created: 1, Modified: 1, Deleted: 1}, ""},
		{"one more", 3, &loop.Changes{Created: 2, Modified: 1, Deleted: 1}, loop.Exhausted},
		{"without a limit", 0, &loop.Changes{Created: 1000}, ""},
		{"where nobody knows what changed", 3, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rule := MaxFiles(&Settings{Values: setting.Values{"stop.max_files": tt.most}})
			v := rule.Decide(loop.Facts{State: loop.State{Tree: loop.Tree{Net: tt.net}}})
			if v.State != tt.want || v.State != "" && v.Reason != ByFiles {
				t.Errorf("verdict = %+v, want %q", v, tt.want)
			}
		})
	}
}
