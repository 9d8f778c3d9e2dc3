package runtime

import "context"

// previewer is an adapter that tells what others made of what assignments want.
type previewer interface {
	Preview(ctx context.Context, list []Assignment) ([]string, error)
}

// Preview returns sentences about what others made of what assignments want, and changes nothing.
func (m *Mux) Preview(ctx context.Context, list []Assignment) (all []string, err error) {
	_, shares := m.divide(ctx, list)
	for i, l := range m.lanes {
		if p, ok := l.Adapter.(previewer); ok {
			said, err := p.Preview(ctx, shares[i])
			if err != nil {
				return all, err
			}
			all = append(all, said...)
		}
	}
	return all, nil
}
