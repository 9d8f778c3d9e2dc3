const channel = 'daros-tip'

// onTip calls back with each new tip of the status branch. Of all tabs of a browser one listens to the server and tells the
// others, because a browser has six connections to a server. The tab that holds the lock is that one; when it closes, the lock
// goes to another.
export function onTip(tell: (commit: string) => void): () => void {
  const others = new BroadcastChannel(channel)
  const end = new AbortController()
  others.onmessage = (m: MessageEvent<string>) => tell(m.data)
  const first = () =>
    listen('/api/v1/stream', 'tip', end.signal, (data) => {
      const { commit } = JSON.parse(data) as { commit: string }
      others.postMessage(commit)
      tell(commit)
    })
  if (navigator.locks) {
    navigator.locks.request(channel, { signal: end.signal }, first).catch(() => undefined) // it was ended while it waited
  } else {
    void first()
  }
  return () => {
    end.abort()
    others.close()
  }
}

// listen keeps a stream open until a signal. The browser opens a broken one again by itself; one that was refused is tried again
// later.
export function listen(address: string, event: string, end: AbortSignal, tell: (data: string) => void): Promise<void> {
  return new Promise((done) => {
    let source: EventSource | undefined
    let again: ReturnType<typeof setTimeout> | undefined
    const open = () => {
      source = new EventSource(address)
      source.addEventListener(event, (e: MessageEvent<string>) => tell(e.data))
      source.onerror = () => {
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, 10_000)
      }
    }
    open()
    end.addEventListener('abort', () => {
      clearTimeout(again)
      source?.close()
      done()
    })
  })
}
