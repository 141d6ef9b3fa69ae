package loop

// Level is how much stands behind an end, empty when it is none of done. Journals
// of earlier versions say only whether it was proven.
func (f *RunFinished) Level() Level {
	switch {
	case f.State != Done:
		return ""
	case f.Proof != nil:
		return f.Proof.Level
	case f.Proven:
		return LevelProven
	}
	return LevelClaimed
}
