import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { LogLine } from '../answers/live'
import { usePath } from '../application/answers'
import { Panel } from '../parts/Panel'
import { readLog } from './readLog'

const lineHeight = 20
const most = 20_000 // lines that are kept

// LogViewer shows the log of a container as it is written. Only the lines in view are in the page.
export function LogViewer({ pod, container, previous }: { pod: string; container: string; previous: boolean }) {
  const { lines, ended, again } = useLog(pod, container, previous)
  const [only, setOnly] = useState('')
  const [follows, setFollows] = useState(true)
  const shown = useMemo(() => (only === '' ? lines : lines.filter((l) => l.text.toLowerCase().includes(only.toLowerCase()))), [lines, only])
  const box = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({ count: shown.length, getScrollElement: () => box.current, estimateSize: () => lineHeight, overscan: 20 })
  useEffect(() => box.current?.focus(), []) // who opened it goes on from there
  useEffect(() => {
    if (follows && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [follows, shown])
  const scrolled = () => {
    const b = box.current
    if (b) setFollows(b.scrollHeight - b.scrollTop - b.clientHeight < 2 * lineHeight)
  }
  const name = `Log of ${container} in ${pod}`
  return (
    <Panel title={previous ? `${name}, before the last restart` : name} aside={<Link to="." search={(s) => ({ ...s, pod: undefined, container: undefined, previous: undefined })} className="aside">Close the log</Link>}>
      <div className="log-bar">
        <label>
          <input type="checkbox" checked={follows} onChange={(e) => setFollows(e.target.checked)} /> Follow the end
        </label>
        <label>
          Only lines with <input type="search" value={only} onChange={(e) => setOnly(e.target.value)} />
        </label>
        <span className="soft" role="status">
          {shown.length === lines.length ? `${lines.length} lines` : `${shown.length} of ${lines.length} lines`}
          {ended !== undefined && <>; it ended: {ended}</>}
        </span>
        {ended !== undefined && (
          <button type="button" onClick={again}>
            Read it again
          </button>
        )}
      </div>
      <div className="log" ref={box} onScroll={scrolled} tabIndex={0} role="region" aria-label={`Lines of the ${name.toLowerCase()}`}>
        <div style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const line = shown[item.index]
            return (
              <div key={item.key} className="line" style={{ transform: `translateY(${item.start}px)` }}>
                {line?.time && <span className="soft" title={line.time}>{line.time.slice(11, 19)} </span>}
                <span>{line?.text}</span>
              </div>
            )
          })}
        </div>
      </div>
    </Panel>
  )
}

// useLog is the log of a container. again begins it anew.
function useLog(pod: string, container: string, previous: boolean) {
  const path = `${usePath()}/live/logs`
  const [attempt, setAttempt] = useState(0)
  const [lines, setLines] = useState<LogLine[]>([])
  const [ended, setEnded] = useState<string>()
  useEffect(() => {
    const end = new AbortController()
    setLines([])
    setEnded(undefined)
    const asked = new URLSearchParams({ pod, container, ...(previous && { previous: 'true' }) })
    readLog(path, asked, end.signal, (more) => setLines((had) => [...had, ...more].slice(-most)))
      .catch((e: unknown) => (e instanceof Error ? e.message : String(e)))
      .then((why) => {
        if (!end.signal.aborted) setEnded(why)
      })
    return () => end.abort()
  }, [path, pod, container, previous, attempt])
  return { lines, ended, again: () => setAttempt((n) => n + 1) }
}
