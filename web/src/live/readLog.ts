import type { LogLine } from '../answers/live'
import { parsed } from '../ask/event'
import { open } from '../ask/request'

// readLog reads a log until it ends, and returns why it did. EventSource would begin it anew by itself, and cannot say why it was
// refused.
export async function readLog(path: string, asked: URLSearchParams, signal: AbortSignal, tell: (lines: LogLine[]) => void): Promise<string> {
  const response = await open(`${path}?${asked}`, { signal, headers: { Accept: 'text/event-stream' } })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const part = await reader?.read()
    if (!part || part.done) return 'the connection ended'
    const events = (rest + part.value).split('\n\n')
    rest = events.pop() ?? ''
    for (const e of events) {
      const { name, data } = parsed(e)
      if (name === 'log') tell(JSON.parse(data) as LogLine[])
      if (name === 'end') return (JSON.parse(data) as { why: string }).why
    }
  }
}
