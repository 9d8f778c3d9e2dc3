import type { Amount } from './tenant'
import type { Decision, Grant } from './decision'
import type { OverQuota, Phase, PriceChange, Problem, Refusal } from './words'

// `what-if -o json` and `plan -o json`: what would differ.
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
  touched: Touched[]
  waits: { total: number; first: { application: string; position: number; before: number; message: string }[] }
  runs: RunChange[]
  objects: ObjectChange[]
  approvals?: Approval[] // missing: nobody looked, or access names nobody
  problems: Problem[]
  solved: Problem[]
  overQuota?: OverQuota[]
  left?: Left
}

// How much of the effect an answer does not list, of each sort. Prices, counts and the result are those of all.
export interface Left {
  applications?: number
  edited?: number // of the applications
  objects?: number
  runs?: number
  tenants?: number
  touched?: number
  problems?: number
}

// A tenant that the change touches.
export interface Touched {
  tenant: string
  pricePerHour: PriceChange
  amounts: { resource: string; before: Amount; after: Amount }[]
  owners: string[]
}

export interface Approval {
  area: string
  files: number
  path: string
  people: number // how many have to sign; 0: access asks for no signatures
  who: string[]
}

export interface RunChange {
  effect: 'begins' | 'ends' | 'progresses'
  supersedes?: number
  application: string
  number: number
  phase: string
  steps: { step: string; type?: string; phase: string; waitsFor?: string; people?: boolean }[]
}

export interface ObjectChange {
  owner: string
  action: 'add' | 'change' | 'remove' | 'keep'
  kind: string
  namespace?: string
  name: string
  diff?: string // unified
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
