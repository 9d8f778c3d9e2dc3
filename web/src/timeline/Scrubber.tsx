import { useEffect, useRef, useState } from 'react'
import type { Moment as Commit } from '../answers/timeline'
import { exact } from '../parts/age'
import { Moment } from '../parts/Moment'
import { Slider } from '../parts/Slider'

// rest is how long the slider rests before the pages follow.
const rest = 150

// Scrubber moves through the commits, the latest at the right end.
export function Scrubber({ commits, at, choose }: { commits: Commit[]; at: Commit | undefined; choose: (c: Commit) => void }) {
  const [moved, setMoved] = useState<number>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const last = commits.length - 1
  const index = moved ?? last - Math.max(0, at ? commits.indexOf(at) : 0)
  const commit = commits[last - index]
  if (!commit) return null
  const move = (to: number) => {
    setMoved(to)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const chosen = commits[last - to]
      if (chosen) choose(chosen)
      setMoved(undefined)
    }, rest)
  }
  return (
    <div className="scrubber">
      <span id="moment">Moment</span>
      <Slider label="moment" value={index} least={0} most={last} said={`${exact(commit.time)}: ${commit.subject}`} change={move} />
      <p>
        <Moment at={commit.time} /> · {commit.subject} {index === last && <strong>(now)</strong>}
      </p>
    </div>
  )
}
