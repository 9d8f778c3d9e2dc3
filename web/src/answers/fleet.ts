import type { OverQuota, Phase } from './words'

// GET /api/v1/fleet: it grows with the tenants and not with the applications.
export interface Fleet {
  fleet?: string
  commit: string
  unverified?: string
  phases: Partial<Record<Phase, number>>
  left?: number // applications of the commit that the branch does not have yet
  tenants: TenantCounts[] // with most to look at first
  tenantsTotal: number
  waitsForPeople: PeopleWait[]
  waitsForPeopleTotal: number
  problems: number
  orphans: number
  overQuota: OverQuota[]
}

export interface TenantCounts {
  tenant: string
  phases: Partial<Record<Phase, number>>
  waiting: number
  refused: number
  unwell: number
  needsPeople: number
}

export interface PeopleWait {
  application: string
  run: number
  step?: string // "": the run as a whole
  what: string // as in "waits for …"
  until?: string
  action?: string // the command that ends the wait
}
