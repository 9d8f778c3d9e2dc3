import type { Application } from './application'
import type { Event } from './event'

// GET /api/v1/changes?from=&to=: what differs between two commits of the status branch.
export interface Changes {
  from: string
  to: string
  events: Event[]
  eventsTotal: number
  applications: { application: string; before: Application | null; after: Application | null }[]
  applicationsTotal: number
}
