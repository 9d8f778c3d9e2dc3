package model

// QoSProfile says how a node treats a workload of one class.
type QoSProfile struct {
	Name string `json:"name"`
}
