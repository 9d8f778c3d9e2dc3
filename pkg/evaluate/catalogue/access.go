package catalogue

// access are the rules about who may change what.
var access = Chapter{"Access", []Rule{
	{Code: "DA1801", Title: "Invalid enforce",
		Fix: "Write one of both."},
	{Code: "DA1802", Title: "Invalid SSH key",
		Fix: "Write the line of a .pub file, without options, of type Ed25519, ECDSA or RSA, or of a security key."},
	{Code: "DA1803", Title: "Invalid OpenPGP key",
		Fix: "Write what gpg --export --armor prints for one key."},
	{Code: "DA1804", Title: "Invalid handle",
		Fix: "Write the name on the Git host as CODEOWNERS wants it."},
	{Code: "DA1805", Title: "Invalid point in time",
		Fix: "Write date and time in UTC."},
	{Code: "DA1806", Title: "Unknown principal",
		Fix: "Declare the principal, or correct the name."},
	{Code: "DA1807", Title: "Signatures that nobody could give",
		Fix: "Name an admin of the platform with a key that is not revoked. Until then the last good platform layer holds."},
}}
