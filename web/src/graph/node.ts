import type { Tone } from '../parts/state'

// GraphNode is a thing in a graph of things that come one after the other.
export interface GraphNode {
  id: string
  after: string[] // the ids of the nodes that come before it
  title: string
  kind: string
  word: string // its state
  tone: Tone
  lines: string[]
}
