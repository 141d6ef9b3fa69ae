package text

import (
	"fmt"
	"time"
)

// Duration says how long something took: 45.2s, 2m16s, 1h03m.
func Duration(d time.Duration) string {
	if tenths := d.Round(100 * time.Millisecond); tenths < time.Minute {
		return fmt.Sprintf("%.1fs", max(tenths, 0).Seconds())
	}
	return Seconds(d)
}

// Seconds is Duration without tenths: 35s, 2m16s, 1h03m.
func Seconds(d time.Duration) string {
	d = max(d.Round(time.Second), 0)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%dh%02dm", h, m)
	case m > 0:
		return fmt.Sprintf("%dm%02ds", m, s)
	}
	return fmt.Sprintf("%ds", s)
}

// Left says how much of a wait is left, to the second: 45s, 12m03s, 3h12m05s.
func Left(d time.Duration) string {
	d = max(d.Round(time.Second), 0)
	if d < time.Hour {
		return Seconds(d)
	}
	return fmt.Sprintf("%dh%02dm%02ds", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}
