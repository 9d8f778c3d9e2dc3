// GET …/live: what the cluster has of an application now.
export interface Live {
  objects: LiveObject[] // each after its owner
  total: number // also those that are left out
  events: LiveEvent[] // the newest first
  unseen?: string[] // sentences: what cannot be seen, and why
  unwanted?: string // why it is not known what is wanted
  stale?: string // why all of it may be old
}

export type LiveState = 'failed' | 'missing' | 'moving' | 'leaving' | 'ready' | 'done' | 'idle'

export interface LiveObject {
  id: string
  owner?: string
  component?: string
  kind: string // with its group, as in Deployment.apps
  namespace?: string
  name: string
  state: LiveState
  why?: string
  made?: string
  ready?: { ready: number; wanted: number }
  conditions?: LiveCondition[]
  containers?: LiveContainer[]
  compared: boolean
  fields?: LiveField[]
}

export interface LiveCondition {
  type: string
  status: string
  reason?: string
  message?: string
  since?: string
}

export interface LiveContainer {
  name: string
  image: string
  state: string
  restarts: number
}

export interface LiveField {
  path: string
  wanted?: string
  live?: string
  manager?: string
}

export interface LiveEvent {
  object: string
  warning?: boolean
  reason: string
  message: string
  count: number
  last?: string
}

export interface LogLine {
  time?: string
  text: string
}
