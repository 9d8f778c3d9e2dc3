// Package clone reads the clone or work tree of a fleet repo on this machine: its files as they lie on disk, those of a
// commit, and what its commits, branches and origin are. Files on disk are a git.Files like those of a commit: the tree
// that "git add --all" would commit.
//
// It runs the git program of the user, in the directory of the user. It opens files through os.Root, so no link leads
// out of the directory. It never evaluates what it reads and never decides; it changes a clone only where a command says
// so, with the arguments that the command gives.
//
// The caller closes a Tree, and owns the slices that it returns.
package clone
