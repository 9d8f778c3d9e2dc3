// One change that the status branch recorded.
export interface Event {
  key?: string
  kind: string
  application?: string // absent: the fleet
  instance: number
  run?: number
  step?: string
  stage?: number
  object?: string
  at: string
  from?: string
  to: string
  reason: string
  message?: string
  commit?: string
  by?: string
}
