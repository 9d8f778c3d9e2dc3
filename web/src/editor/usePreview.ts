import { useEffect, useState } from 'react'
import type { Edit, Preview } from '../answers/source'
import { post, Refusal } from '../ask/request'

// rest is how long nothing changes before the server is asked.
const rest = 450

// patience is how long a page waits before it asks the same again.
const patience = 2_000

// Asked is what the server said of a draft. As long as the next answer is on its way, the last one stays, and is stale.
export interface Asked {
  preview: Preview | undefined
  error: Error | undefined
  stale: boolean
}

// usePreview asks what a draft would do, and asks again when the tip is another. One question is on its way at a time: the next one cancels it.
export function usePreview(base: string, edits: Edit[], tip: string): Asked {
  const question = JSON.stringify({ base, edits })
  const [said, setSaid] = useState<{ question: string; preview?: Preview; error?: Error }>()
  const [again, setAgain] = useState(0)
  const nothing = edits.length === 0
  useEffect(() => {
    if (nothing) return
    const end = new AbortController()
    let wait: ReturnType<typeof setTimeout> | undefined
    const timer = setTimeout(() => {
      post<Preview>('preview', JSON.parse(question), end.signal).then(
        (preview) => setSaid({ question, preview }),
        (error: Error) => {
          if (end.signal.aborted) return
          const later = error instanceof Refusal && (error.status === 503 || error.status === 409) // it goes on meanwhile, or another page of this browser was newer
          const after = error instanceof Refusal ? error.after : 0 // no more CPU time before that
          if (later || after > 0) wait = setTimeout(() => setAgain((n) => n + 1), after || patience)
          if (!later) setSaid((last) => ({ question, error, preview: last?.preview }))
        },
      )
    }, rest)
    return () => {
      clearTimeout(timer)
      clearTimeout(wait)
      end.abort()
    }
  }, [question, nothing, again, tip])
  if (nothing) return { preview: undefined, error: undefined, stale: false }
  return { preview: said?.preview, error: said?.question === question ? said.error : undefined, stale: said?.question !== question }
}
