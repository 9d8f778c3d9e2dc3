export type RunPhase = 'running' | 'paused' | 'failing' | 'rolling-back' | 'succeeded' | 'failed' | 'rolled-back' | 'stopped' | 'superseded'
export type StepPhase = 'pending' | 'queued' | 'active' | 'retrying' | 'succeeded' | 'failed' | 'skipped' | 'cancelled'

export interface Run {
  run: string
  application: string
  instance: number
  number: number
  spec: string
  phase: RunPhase
  message?: string
  since: string
  deadline: string
  fast?: boolean
  supersededBy?: string
  steps: StepRun[]
  commands?: Handled[]
}

export interface StepRun {
  name: string
  phase: StepPhase
  reason?: string
  message?: string
  since?: string
  attempt?: number
  started?: string
  deadline?: string
  next?: string
  until?: string
  job?: string
  stage?: number
  actors?: string[]
  outputs?: { name: string; value: string }[]
  undo?: { phase: StepPhase; message?: string; component?: string; attempt?: number; deadline?: string }
}

// What a person asked of the run.
export interface Handled {
  id: string
  run: string
  action: string
  step?: string
  stage?: number
  by: string
  commit?: string
  refused?: string // why; absent if it took effect
  at?: string
}

// A step as the application declares it. Durations are nanoseconds.
export interface Step {
  name: string
  type: string
  dependsOn?: string[]
  if?: string
  timeout?: number
  retry?: { attempts: number }
  onFailure: 'stop' | 'continue' | 'rollback'
  lock?: string
  components?: string[]
  component?: string
  undo?: string
  properties?: Record<string, unknown>
}
