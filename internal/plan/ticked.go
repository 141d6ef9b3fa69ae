package plan

// Ticked gives the tasks that are done in after and were not in before: those that
// were there unfinished, and then new ones, as far as more are done than before. A
// done task in other words is no work.
func Ticked(before, after Tasks) []Task {
	done, open := map[string]int{}, map[string]int{}
	for _, task := range before {
		if task.Status == Done {
			done[key(task)]++
		} else {
			open[key(task)]++
		}
	}
	room := after.Count().Done - before.Count().Done
	var ticked, fresh []Task
	for _, task := range after {
		switch k := key(task); {
		case task.Status != Done:
		case done[k] > 0:
			done[k]--
		case open[k] > 0:
			open[k]--
			ticked = append(ticked, task)
		default:
			fresh = append(fresh, task)
		}
	}
	more := max(min(room-len(ticked), len(fresh)), 0)
	return append(ticked, fresh[:more]...)
}
