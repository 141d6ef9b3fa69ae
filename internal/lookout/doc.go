// Package lookout is the runs of a fleet as people look at them from anywhere: what the
// fleet says of each (fleet.Service), and its records as they were when they were last on
// the remote (carry.Glimpses). So the faces that show the runs of a machine show these.
//
// It moves nothing. Orders go to the fleet, which hands them on.
package lookout
