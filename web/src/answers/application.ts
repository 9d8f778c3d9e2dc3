import type { ComponentState, Inventory, OverQuota, Phase, Problem, Refusal, Wait } from './words'

// One row of GET /api/v1/applications, and the whole of `status TENANT/APPLICATION -o json`.
export interface Application {
  application: string
  instance: number
  phase: Phase
  reason: string
  message?: string
  since: string
  commit?: string
  components: Component[]
  waiting?: { position: number; blockedBy?: string[]; wouldAdmit?: string[]; advice?: string }
  workflow?: { run: string; number: number; phase: string; message?: string; waits?: Wait[] }
  refused?: Refusal
  damaged?: { application: string; file: string; reason: string; commit?: string }
  outcomes?: Outcome[]
  drift?: Drift[]
}

export interface Component {
  name: string
  granted: number
  asked: number
  state: ComponentState
  ended?: boolean
  message?: string
  pool?: string
  told: number
  ready: number
  unready?: string
  images?: string[]
  seen?: string
}

// Why an object is not in the cluster as it is to be.
export interface Outcome {
  object: string
  objects?: number
  component?: string
  reason: string
  field?: string
  message: string
  first: string
  last: string
  next?: string
}

// What others changed and was put back.
export interface Drift {
  object: string
  fields?: string[]
  manager?: string
  count: number
  time: string
}

export interface Status {
  fleet?: string
  commit: string
  phases: Partial<Record<Phase, number>>
  applications: Application[]
  problems: Problem[]
  orphans?: Inventory[]
  overQuota?: OverQuota[]
  unverified?: string
}

// One page of GET /api/v1/applications.
export interface Applications {
  applications: Application[]
  total: number // that match, on all pages
  next: string // "" on the last page
}
