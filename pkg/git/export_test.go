package git

// Held returns how many objects a store in memory has.
func (s *Store) Held() int {
	held, _ := s.from.(inMemory)
	return len(held)
}
