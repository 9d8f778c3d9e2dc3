// Words that several answers have in common.

export type Phase = 'Created' | 'Admitted' | 'Rejected' | 'Scheduled' | 'Running' | 'Degraded' | 'Terminated'

// In the order of a life.
export const phases: Phase[] = ['Created', 'Admitted', 'Rejected', 'Scheduled', 'Running', 'Degraded', 'Terminated']

export type ComponentState = 'off' | 'waiting' | 'starting' | 'ready' | 'unready' | 'done' | 'not run' | 'failed' | 'ending'

// Milli-CPU, bytes, and counts of devices by name.
export interface Resources {
  cpu?: number
  memory?: number
  devices?: Record<string, number>
}

// Millionths of the fleet's currency.
export interface PriceChange {
  before: number
  after: number
}

export interface Problem {
  code: string
  path?: string
  message: string
  places?: { at: string; note?: string }[]
  tenant?: string
  application?: string
}

export interface OverQuota {
  tenant: string
  group?: string
  resource: string
  pool?: string // whose quota it is; without one, that of all pools together
  granted: number
  limit: number
  at?: string
  since?: string
}

export interface Refusal {
  spec?: string
  reason: string
  message: string
  since?: string
  movesTo?: string
}

export interface Wait {
  step?: string // "": the run as a whole
  for: string // as in "waits for …"
  until?: string
  action?: string // the command that ends it
  people?: boolean // a person has to act
}

export interface Inventory {
  application: string
  instance?: number
  namespace?: string
  objects: number
  commit?: string
}
