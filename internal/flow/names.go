package flow

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// The names under which the server knows what there is.
const (
	runType     = "Run"     // the workflow of a run
	accountType = "Account" // that of an account
	firingType  = "Firing"  // that of one time of a plan
	legType     = "Leg"     // the activity that does a leg
	tellType    = "Tell"    // the one that hands an order to a live leg

	orderUpdate    = "order"
	drawUpdate     = "draw"
	allowUpdate    = "allow"
	standingQuery  = "standing"
	progressSignal = "progress"

	flowQueue = "refrain" // of workflows
)

func runID(name string) string      { return "run/" + name }
func accountID(queue string) string { return "account/" + queue }
func planID(name string) string     { return "plan/" + name }
func firingID(name string) string   { return "firing/" + name }

// hostQueue is the queue that only one worker listens to.
func hostQueue(worker string) string { return "host/" + worker }

// hurryQueue has the legs of a queue that a person does not want to wait. Workers look at
// it also while a limit holds the queue itself back.
func hurryQueue(queue string) string { return "hurry/" + queue }

// fair is the key by which the repositories of a queue take turns. The server takes 64
// bytes: the end of a long address tells more than its beginning.
func fair(s fleet.Spec) string {
	const most = 64
	key := s.Remote
	if len(key) > most {
		key = key[len(key)-most:]
	}
	return strings.ToValidUTF8(key, "")
}
