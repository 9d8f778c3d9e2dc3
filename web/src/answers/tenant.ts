import type { Share } from './decision'
import type { TenantCounts } from './fleet'
import type { OverQuota, Problem } from './words'

// GET /api/v1/tenants/{t}: what a tenant has, may have and uses.
export interface Tenant extends TenantCounts {
  declared: boolean
  weight?: number
  priorityCeiling?: number
  isolation?: string
  podSecurity?: string
  amounts: Amount[]
  costPerHour: number // millionths of the currency
  shares?: Share[]
  past?: Past // what its weight follows from
  applications: number
  overQuota: OverQuota[]
  problems: Problem[]
}

export interface Past {
  used: number // thousandths of all capacity, on average lately
  weight: number // declared
  scaled: number // the weight that counts, in thousandths
}

export interface Amount {
  resource: string // cpu, memory, a device, applications or workloads
  guarantee: number
  granted: number
  quota: number | null // null: no ceiling
  headroom: number | null
}
