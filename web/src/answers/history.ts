import type { Event } from './event'

// `history TENANT/APPLICATION -o json`: commits of the status branch that changed an application, the latest first.
export type History = HistoryEntry[]

export interface HistoryEntry {
  commit: string
  time: string
  subject: string
  unverified?: string
  sourceCommit?: string
  transitions: Event[]
  steps?: Event[]
  causes?: Record<string, string> // source commit to "author: subject"
}
