import type { Decision, Grant } from './decision'
import type { OverQuota, Phase, PriceChange, Problem, Refusal } from './words'

// `what-if -o json`: what would differ.
export interface Plan {
  result: 'same' | 'changes' | 'refused'
  from: { name: string; commit?: string }
  to: { name: string; commit?: string }
  statusCommit?: string
  now: string
  notes: string[]
  applications: Effect[]
  pricePerHour: PriceChange
  tenants: { name: string; pricePerHour: PriceChange }[]
  problems: Problem[]
  solved: Problem[]
  overQuota?: OverQuota[]
}

export interface Effect {
  application: string
  effect: EffectWord
  edited: boolean
  phase: { before?: Phase; after?: Phase }
  grants?: { component: string; before?: Grant; after?: Grant }[]
  pricePerHour: PriceChange
  before?: Decision
  after?: Decision
  refused?: Refusal
}

export type EffectWord =
  | 'rejected' | 'refused' | 'evicted' | 'removed' | 'degraded' | 'waiting' | 'admitted'
  | 'restored' | 'updated' | 'regranted' | 'readmitted' | 'requeued' | 'reworded'
