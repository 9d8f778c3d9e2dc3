package catalogue

// pins are the rules about applications pinned to a commit.
var pins = Chapter{"Pins", []Rule{
	{Code: "DA1601", Title: "Pin to an unknown commit",
		Fix: "Pin to a commit of the fleet's branch. The application stays as it is."},
	{Code: "DA1602", Title: "Pin to a commit without the application",
		Fix: "Pin to a commit in which it is declared. The application stays as it is."},
	{Code: "DA1603", Title: "Pin of an unknown application",
		Fix: "Correct the name, or take the pin out."},
}}
