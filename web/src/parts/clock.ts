import { useSyncExternalStore } from 'react'

// All relative times of a page are as of one moment, which moves every few seconds.
const step = 5_000
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const watchers = new Set<() => void>()

function watch(tell: () => void): () => void {
  watchers.add(tell)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const w of watchers) w()
    }, step)
  }
  return () => {
    watchers.delete(tell)
    if (watchers.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

export function useNow(): number {
  return useSyncExternalStore(watch, () => now)
}
