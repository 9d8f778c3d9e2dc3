package announce

// Kind is the kind of an announcement.
type Kind string

const (
	Transition Kind = "transition"
	Admission  Kind = "admission"
	Run        Kind = "run"
	Step       Kind = "step"
	Stage      Kind = "stage"
	Undo       Kind = "undo"
	Command    Kind = "command"
	Hold       Kind = "hold"
	Outcome    Kind = "outcome"
	Drift      Kind = "drift"
	Commit     Kind = "commit"
	Refusal    Kind = "refusal"
	Source     Kind = "source"
	MovedBack  Kind = "moved-back"
)

// Row describes a kind to people.
type Row struct {
	Kind  Kind
	Means string
	Log   string // the message of its log line; "": only those who read the history are told
	Type  string // of its message to --notify-url
}

// Kinds are all kinds.
var Kinds = []Row{
	{Transition, "An application changed its phase, or something happened within one.", "transition", "application.transition"},
	{Admission, "Other rules admit the same release. Nothing moved.", "", ""},
	{Hold, "A release was put on hold after it was rolled back (`held`), or is not any more (`lifted`).", "hold", "application.hold"},
	{Run, "A run of a workflow began, went on or ended.", "workflow", "workflow.run"},
	{Step, "A step of a run came to another phase. `by` are the people who approved it or ended its wait.", "workflow", "workflow.step"},
	{Stage, "A canary or a blue-green switch passed a stage.", "workflow", "workflow.stage"},
	{Undo, "A step is taken back, was, or could not be.", "workflow", "workflow.undo"},
	{Command, "A person approved, rejected, paused, resumed, stopped or restarted. With the reason `Refused`, it had no effect.", "workflow", "workflow.command"},
	{Outcome, "The cluster refuses objects of an application or cannot get its images, or a node does not keep what it promised (`refused`), or that is over (`settled`). The reason is that of the [outcome](apply.md#refusals).", "outcome", "application.outcome"},
	{Drift, "Somebody else changed or deleted an object, and it was put back.", "drift", "application.drift"},
	{Commit, "The fleet follows another commit.", "", ""},
	{Refusal, "The fleet does not follow a commit, because of its signature or its author's rights.", "refusal", "source.refusal"},
	{MovedBack, "The fleet follows a commit that does not follow from the one before: the branch was moved back or rewritten.", "source", "source.moved-back"},
	{Source, "The fleet repo cannot be read for longer than `--source-stale` (`lost`), or can be read again (`back`).", "source", "source.state"},
}

// Row returns the description of the kind.
func (k Kind) Row() Row {
	for _, row := range Kinds {
		if row.Kind == k {
			return row
		}
	}
	return Row{Kind: k}
}

// Told reports whether people and programs are told at once. The others only stand in
// the history.
func (k Kind) Told() bool { return k.Row().Log != "" }
