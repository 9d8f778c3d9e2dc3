package catalogue

// words are the rules about the forms of single values.
var words = Chapter{"Words", []Rule{
	{Code: "DA1401", Title: "Invalid amount of CPU",
		Fix: "Write cores such as \"2\" or \"0.5\", or thousandths such as \"500m\"."},
	{Code: "DA1402", Title: "Invalid amount of memory",
		Fix: "Write it with Ki, Mi, Gi or Ti."},
	{Code: "DA1403", Title: "Invalid duration",
		Fix: "Write it with ms, s, m or h."},
	{Code: "DA1404", Title: "Invalid port",
		Fix: "Write a whole number from 1 to 65535."},
	{Code: "DA1405", Title: "Invalid count",
		Fix: "Write a whole number that is not negative."},
	{Code: "DA1406", Title: "Invalid percentage",
		Fix: "Write a whole number from 0 to 100."},
	{Code: "DA1407", Title: "Invalid price",
		Fix: "Write a number that is not negative."},
	{Code: "DA1408", Title: "Invalid value of a label",
		Fix: "Use at most 63 letters, digits, dashes, underscores and dots."},
	{Code: "DA1409", Title: "Label of the system",
		Fix: "Choose another prefix than d-aros.dev."},
}}
