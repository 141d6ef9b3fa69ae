package setting

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// ReadDuration reads how long something is to take, as people write it: 90s, 30m,
// 1h30m, 2d, 1d12h. A day has 24 hours.
func ReadDuration(s string) (time.Duration, error) {
	days, rest, has := strings.Cut(s, "d")
	if !has {
		return time.ParseDuration(s)
	}
	d, err := time.ParseDuration(days + "h")
	if err == nil && d.Abs() > math.MaxInt64/24 {
		err = fmt.Errorf("%q is too long", s)
	}
	if err != nil {
		return 0, err
	}
	if d *= 24; rest == "" {
		return d, nil
	}
	more, err := time.ParseDuration(rest)
	if err != nil || more < 0 || d > math.MaxInt64-more {
		return 0, fmt.Errorf("%q is not a duration", s)
	}
	return d + more, nil
}
