package catalogue

// approvals are the rules about what people ask of a run of a workflow.
var approvals = Chapter{"Approvals", []Rule{
	{Code: "DA1271", Title: "A run that is not named by its digest",
		Fix: "Copy it from the page of the application on the status branch, or use `reconciler approve`."},
	{Code: "DA1272", Title: "An unknown action",
		Fix: "Choose one of the named."},
	{Code: "DA1273", Title: "An approval of no step",
		Fix: "Write `step` with the name of the step that waits."},
	{Code: "DA1274", Title: "A step where the whole run is meant",
		Fix: "Leave the step out; a step that waits is rejected."},
	{Code: "DA1275", Title: "An approval that is not written out",
		Fix: "Write texts in quotes, without imports, references and expressions."},
}}
