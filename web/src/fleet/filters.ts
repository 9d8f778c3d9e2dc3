import { list, text } from '../shell/search'

export const orders = ['unwell', 'name', 'since'] as const
export type Order = (typeof orders)[number]

// Filters are what the address says of the table of applications.
export interface Filters {
  tenant?: string
  phase?: string[]
  q?: string
  sort?: Order
  after?: string // the cursor before the first row
}

export function filtersOf(search: Record<string, unknown>): Filters {
  const sort = text(search.sort)
  const phase = list(search.phase)
  return {
    tenant: text(search.tenant),
    phase: phase.length > 0 ? phase : undefined,
    q: text(search.q),
    sort: orders.find((o) => o === sort),
    after: text(search.after),
  }
}
