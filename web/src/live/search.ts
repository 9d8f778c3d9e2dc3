import { text } from '../shell/search'

// LogSearch is the log that the address names.
export interface LogSearch {
  pod?: string
  container?: string
  previous?: string
}

export function logSearchOf(s: Record<string, unknown>): LogSearch {
  return { pod: text(s.pod), container: text(s.container), previous: text(s.previous) }
}
