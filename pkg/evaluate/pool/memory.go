package pool

// What children may take of the memory. docs/evaluation.md states it.
const (
	memoryLimit = 512 << 20 // that one child can use
	memoryFloor = 192 << 20 // that it needs for large applications; ordinary ones need 160 MiB
	maxPlaces   = 4         // more children than that need more memory than they save time
)

// divide divides the memory of all children, 0 for any, among as many as there are CPUs: fewer where each
// would have too little, but never fewer than the least.
func divide(memory int64, cpus, least int) (n int, each int64) {
	n = min(max(cpus, least), maxPlaces)
	if memory == 0 {
		return n, memoryLimit
	}
	n = max(min(n, int(memory/memoryFloor)), least)
	return n, min(memory/int64(n), memoryLimit)
}
