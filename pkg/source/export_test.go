package source

import "github.com/d-aros/d-aros/pkg/access"

// OriginsWithin is Origins with another bound than access.MaxOrigins.
func (s Snapshot) OriginsWithin(dir string, commits int) ([]access.Origin, error) {
	s.repo.mu.Lock()
	defer s.repo.mu.Unlock()
	list, _, err := s.repo.originsSince(s.Commit, dir, "", commits)
	return list, err
}
