import type { Drift, Outcome } from './application'
import type { Decision, Grant } from './decision'
import type { Run, Step } from './run'
import type { ComponentState, OverQuota, Phase, Problem, Refusal, Resources, Wait } from './words'

// `explain TENANT/APPLICATION -o json`: everything that the ledger holds about one application.
export interface Explanation {
  application: string
  instance: Instance
  spec?: Spec // accepted: the one that runs or is to run
  previous?: Spec
  run?: Run
  waits?: Wait[]
  decision?: Decision
  problems?: Problem[]
  overQuota?: OverQuota[]
  unverified?: string
}

export interface Instance {
  application: string
  instance: number
  phase: Phase
  reason: string
  message?: string
  since: string
  deadline?: string
  refused?: Refusal
  components?: { grant: Grant; run: number; state: ComponentState; since: string; message?: string }[]
  failures?: Failure[]
  outcomes?: Outcome[]
  drift?: Drift[]
  held?: string[]
  returns?: string
}

export interface Failure {
  component: string
  class: string
  reason: string
  exitCode?: number
  count: number
  first: string
  last: string
}

export interface Spec {
  id: string
  labels?: Record<string, string>
  priority: number
  desired: string
  budget?: number // millionths of the currency per hour
  components: SpecComponent[]
  workflow?: { steps: Step[] }
  commit?: string
}

export interface SpecComponent {
  name: string
  type: string
  replicas: number
  critical: boolean
  dependsOn?: string[]
  requests: Resources
  qos: string
  degrade?: { minReplicas: number; qos?: string }
  properties?: Record<string, unknown>
}
