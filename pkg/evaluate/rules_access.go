package evaluate

// accessChapter are the rules of who may change what.
var accessChapter = chapter{"Access", []rule{
	{code: "DA1801", title: "enforce is neither signed nor off",
		fix: "Write one of both."},
	{code: "DA1802", title: "Not an SSH key",
		fix: "Write the line of a .pub file, without options, of type Ed25519, ECDSA or RSA, or of a security key."},
	{code: "DA1803", title: "Not an OpenPGP key",
		fix: "Write what gpg --export --armor prints for one key."},
	{code: "DA1804", title: "Not a handle",
		fix: "Write the name on the Git host as CODEOWNERS wants it."},
	{code: "DA1805", title: "Not a point in time",
		fix: "Write date and time in UTC."},
	{code: "DA1806", title: "An unknown principal",
		fix: "Declare the principal, or correct the name."},
	{code: "DA1807", title: "Signatures that nobody could give",
		fix: "Name an admin of the platform with a key that is not revoked. Until then the last good platform layer holds."},
}}
