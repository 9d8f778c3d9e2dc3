import type { Problem } from './words'

// One page of GET /api/v1/problems.
export interface Problems {
  problems: Problem[]
  total: number
  next: string
}
