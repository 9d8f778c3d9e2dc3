package catalogue

// approvals are the rules about what people ask of a run of a workflow.
var approvals = Chapter{"Approvals", []Rule{
	{Code: "DA1271", Title: "Invalid digest of a run",
		Fix: "Copy it from the page of the application on the status branch, or use `reconciler approve`."},
	{Code: "DA1272", Title: "Unknown action",
		Fix: "Choose one of the named."},
	{Code: "DA1273", Title: "Approval without a step",
		Fix: "Write `step` with the name of the step that waits."},
	{Code: "DA1274", Title: "Step in a request about the whole run",
		Fix: "Leave the step out; a step that waits is rejected."},
	{Code: "DA1275", Title: "Approval that is not written out",
		Fix: "Write texts in quotes, without imports, references and expressions."},
}}
