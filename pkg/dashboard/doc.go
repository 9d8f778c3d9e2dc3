// Package dashboard serves what the status branch says over HTTP to people: answers that programs read, the
// pages that show them, and a stream of the commits that the branch gets.
//
// It decides who is let in, when it looks at the branch, and what is kept in memory. What an answer has is decided by
// pkg/view, what would be if, and which values stay here, by pkg/offline. It reads Git and, where it is given one, a cluster; it writes nothing but
// drafts that people save, as new branches or into the files of their clone. It serves nobody without the token that it was started with or,
// where several people share it, whom its gate does not know.
//
// What clients send is hostile: hosts, origins, bodies, times and numbers have limits, and every text of people leaves as a
// JSON string only.
package dashboard
