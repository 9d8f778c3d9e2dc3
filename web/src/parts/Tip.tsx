import { useSyncExternalStore, type ReactElement } from 'react'
import type { Tip as Shown } from './TipShown'

let shown: typeof Shown | undefined
const waiting = new Set<() => void>()

// loadTips fetches what shows tips, once the first page stands.
export function loadTips(): void {
  void import('./TipShown').then((m) => {
    shown = m.Tip
    for (const tell of waiting) tell()
  })
}

function watch(tell: () => void): () => void {
  waiting.add(tell)
  return () => waiting.delete(tell)
}

// Tip says more about what it is around: to the pointer, to a finger, and to the keyboard. What is no link and no button is reached by Tab.
export function Tip({ text, children }: { text: string | undefined; children: ReactElement }) {
  const Loaded = useSyncExternalStore(watch, () => shown)
  return Loaded && text ? <Loaded text={text}>{children}</Loaded> : children
}
