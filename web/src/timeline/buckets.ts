import type { Moment } from '../answers/timeline'
import { isTime } from '../parts/age'

// most is how many bars can be told apart.
const most = 240
const minute = 60
const widths = [1, 2, 5, 10, 30, 60, 120, 360, 720, 1440, 10_080, 43_200].map((m) => m * minute)

// Buckets are transitions in equal stretches of time, in seconds as uPlot has them.
export interface Buckets {
  width: number
  starts: number[]
  transitions: number[]
}

// bucketsOf counts the transitions of each stretch of time from the first to the last commit: a minute, or the least that makes
// no more bars than can be told apart.
export function bucketsOf(commits: Moment[]): Buckets {
  const known = commits.filter((c) => isTime(c.time))
  const times = known.map((c) => Math.floor(Date.parse(c.time) / 1000))
  const first = Math.min(...times)
  const last = Math.max(...times)
  if (known.length === 0) return { width: minute, starts: [], transitions: [] }
  const width = widths.find((w) => (last - first) / w < most) ?? Math.ceil((last - first) / most)
  const begin = Math.floor(first / width) * width
  const count = Math.floor((last - begin) / width) + 1
  const transitions = new Array<number>(count).fill(0)
  known.forEach((c, i) => {
    const at = Math.floor(((times[i] ?? begin) - begin) / width)
    transitions[at] = (transitions[at] ?? 0) + c.transitions
  })
  return { width, starts: transitions.map((_, i) => begin + i * width), transitions }
}

// fewest is how many bars there is room for at least, so that one alone is not as wide as its picture.
const fewest = 10

// spanOf is the time from left to right of a picture of buckets, with room at both sides.
export function spanOf({ width, starts }: Buckets): [number, number] {
  const first = starts[0] ?? 0
  const end = (starts.at(-1) ?? first) + width
  const room = Math.max(width, (fewest * width - (end - first)) / 2)
  return [first - room, end + room]
}

// nearest finds the latest commit that is not after a moment, the first one if all are after it. The latest commit comes first.
export function nearest(commits: Moment[], seconds: number): Moment | undefined {
  return commits.find((c) => Date.parse(c.time) / 1000 <= seconds) ?? commits.at(-1)
}
