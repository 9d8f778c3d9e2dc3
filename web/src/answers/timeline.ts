import type { Event } from './event'

// One page of GET /api/v1/timeline: commits of the status branch, the latest first.
export interface Timeline {
  commits: Moment[]
  next: string // to pass as before; "" on the last page
}

export interface Moment {
  commit: string
  time: string
  sourceCommit?: string
  subject: string
  unverified?: string // why no trusted key vouches for it
  transitions: number
  changes: Event[] // the first ones
  changesTotal: number
}
