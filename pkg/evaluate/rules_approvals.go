package evaluate

// approvalsChapter are the rules of what people ask of runs of workflows.
var approvalsChapter = chapter{"Approvals", []rule{
	{code: "DA1271", title: "A run that is not named by its digest",
		fix: "Copy it from the page of the application on the status branch, or use `reconciler approve`."},
	{code: "DA1272", title: "An unknown action",
		fix: "Choose one of the named."},
	{code: "DA1273", title: "An approval of no step",
		fix: "Write `step` with the name of the step that waits."},
	{code: "DA1274", title: "A step where the whole run is meant",
		fix: "Leave the step out; a step that waits is rejected."},
	{code: "DA1275", title: "An approval that is not written out",
		fix: "Write texts in quotes, without imports, references and expressions."},
}}
