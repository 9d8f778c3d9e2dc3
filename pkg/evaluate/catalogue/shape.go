package catalogue

// shape are the rules about the fields and types that the schema knows.
var shape = Chapter{"Shape", []Rule{
	{Code: "DA1101", Title: "Unknown field",
		Fix: "Correct the name."},
	{Code: "DA1103", Title: "Missing field",
		Fix: "Write it."},
	{Code: "DA1104", Title: "Value that does not fit",
		Fix: "Write one value of the type that the schema wants, once."},
	{Code: "DA1105", Title: "Missing value",
		Fix: "Write a value in place of a type."},
	{Code: "DA1106", Title: "Amount out of range",
		Fix: "Write a smaller amount."},
	{Code: "DA1107", Title: "Invalid name",
		Fix: "Use at most 63 lower-case letters, digits and dashes, beginning with a letter."},
}}
