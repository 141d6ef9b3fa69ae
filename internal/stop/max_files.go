package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// ByFiles ends a run that has changed too many files.
const ByFiles loop.Reason = "files"

// MaxFiles stops a run that has changed more files than it may: an agent that
// loses its way often touches everything, and the next iterations build on that.
func MaxFiles(s *Settings) Rule {
	const key = "stop.max_files"
	most := s.Values.Int(key)
	return Rule{
		Name: "files", Redecidable: true, CanEnd: most > 0,
		Limit: func(l *loop.Limits) { l.Files = most },
		Rows: []setting.Row{{
			Key: key, Kind: setting.Int, Default: 0,
			Doc: "end the run when it has changed more files than this since it began; 0 is no limit",
		}},
		Ends: []End{{
			Reason: ByFiles, State: loop.Exhausted, Key: key,
			When:  "more than `stop.max_files` files differ from when the run began; known with [checkpoints](checkpoints.md) only",
			Short: "too many files changed", Default: "no limit",
		}},
		Decide: func(f loop.Facts) loop.Verdict {
			net := f.State.Tree.Net
			if most <= 0 || net == nil || net.Created+net.Modified+net.Deleted <= most {
				return none
			}
			changed := text.Plural(net.Created+net.Modified+net.Deleted, "file")
			return end(loop.Exhausted, ByFiles, fmt.Sprintf("%s changed since the run began, more than %d (%s)", changed, most, key))
		},
	}
}
