import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Moment } from '../answers/timeline'
import { length } from '../parts/age'
import { bucketsOf, nearest, spanOf, type Buckets } from './buckets'

const height = 180

// Chart draws how many transitions there were. It is a picture of the list below it.
export default function Chart({ commits, at, choose }: { commits: Moment[]; at: Moment | undefined; choose: (m: Moment) => void }) {
  const box = useRef<HTMLDivElement>(null)
  const chosen = useRef(choose)
  useEffect(() => {
    chosen.current = choose
  })
  const buckets = bucketsOf(commits)
  const key = `${commits[0]?.commit} ${commits.length} ${at?.commit}`
  useEffect(() => {
    const el = box.current
    if (!el || buckets.starts.length === 0) return
    const dark = matchMedia('(prefers-color-scheme: dark)')
    let plot: uPlot | undefined
    const draw = () => {
      plot?.destroy()
      plot = new uPlot(options(el, buckets, at), [buckets.starts, buckets.transitions], el)
    }
    const resize = new ResizeObserver(() => plot?.setSize({ width: el.clientWidth, height }))
    const click = () => {
      const left = plot?.cursor.left ?? -1
      const moment = plot && left >= 0 ? nearest(commits, plot.posToVal(left, 'x') + buckets.width) : undefined
      if (moment) chosen.current(moment)
    }
    draw()
    resize.observe(el)
    dark.addEventListener('change', draw)
    el.addEventListener('click', click)
    return () => {
      resize.disconnect()
      dark.removeEventListener('change', draw)
      el.removeEventListener('click', click)
      plot?.destroy()
    }
  }, [key])
  return (
    <figure className="chart" aria-label={`Transitions in ${length(buckets.width)} each`}>
      <div ref={box} aria-hidden="true" style={{ minHeight: height }} />
    </figure>
  )
}

function options(el: HTMLElement, buckets: Buckets, at: Moment | undefined): uPlot.Options {
  const style = getComputedStyle(el)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const axis: uPlot.Axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') } }
  return {
    width: el.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: { x: { time: true, range: () => spanOf(buckets) }, y: { range: (_, __, max) => [0, Math.max(1, max)] } },
    axes: [{ ...axis, space: 80, values: (_, splits, __, ___, step) => splits.map((s) => clock(s, step)) }, { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 500, 1000, 10_000] }],
    series: [
      {},
      { fill: colour('--accent'), stroke: colour('--accent'), width: 0, points: { show: false }, paths: uPlot.paths.bars?.({ size: [0.8, 40], align: 1 }) },
    ],
    hooks: { draw: [(u) => at && mark(u, Date.parse(at.time) / 1000, colour('--wait'))] },
  }
}

// clock writes a moment of the axis in UTC, as exactly as the axis is divided.
function clock(seconds: number, step: number): string {
  const text = new Date(seconds * 1000).toISOString()
  if (step >= 86_400) return text.slice(5, 10)
  return text.slice(11, step < 60 ? 19 : 16)
}

// mark draws a line at the moment that the pages show.
function mark(u: uPlot, seconds: number, colour: string): void {
  const x = u.valToPos(seconds, 'x', true)
  u.ctx.save()
  u.ctx.strokeStyle = colour
  u.ctx.lineWidth = 2 * devicePixelRatio
  u.ctx.beginPath()
  u.ctx.moveTo(x, u.bbox.top)
  u.ctx.lineTo(x, u.bbox.top + u.bbox.height)
  u.ctx.stroke()
  u.ctx.restore()
}
