import type { Setting } from '../application/setting'
import type { Refusal, Resources } from './words'

export type Verdict = 'granted' | 'waiting' | 'rejected' | 'evicted'

export interface Decision {
  application: string
  verdict: Verdict
  reason: string
  message: string
  spec: string
  degraded?: boolean
  position?: number
  grants?: Grant[]
  refused?: Refusal
  evictAt?: string
  standing?: string
  shares?: Share[]
  for?: string
  inputs: { commit: string; policy: string; capacity: string; at?: string }
  constraints?: Constraint[]
  policies?: PolicyValue[]
  displaced?: { application: string; from: string; to: string; why: string }[]
  blockedBy?: string[]
  ahead?: Competitor[]
  wouldAdmit?: string[] // of an older program: true when it was decided
  advice?: Advice[]
  advised?: { at: string; changed?: string[]; kinds: string[] }
}

// One change that alone is enough. Settings are those of a what-if that tries it.
export interface Advice {
  change: string
  by: 'owner' | 'tenant' | 'platform'
  amount: string
  was?: string
  text: string
  settings?: Setting[]
  victims?: { application: string; evicted?: boolean; replicas: number; amount?: string }[]
}

export interface Grant {
  component: string
  replicas: number
  surge?: number
  requests: Resources
  qos: string
  pool?: string
  domains?: string[]
}

// The dominant share of a tenant or a group, in thousandths of all capacity.
export interface Share {
  of: string
  used: number
  guaranteed?: number
  entitled: number
  weight?: number
}

// One check. The amounts are written as in a fleet: 500m, 2Gi, 4.
export interface Constraint {
  name: string
  asked: string
  used?: string
  limit: string
  ok: boolean
  shortfall?: string
  at?: string
}

export interface PolicyValue {
  path: string
  value: string
  layer: 'schema' | 'platform' | 'tenant' | 'application'
  at?: string
}

export interface Competitor {
  application: string
  holds: string
  standing: string
  share: number
  entitled: number
}
