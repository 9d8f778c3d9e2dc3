import { expect, test } from 'vitest'
import { bucketsOf, nearest, spanOf } from './buckets'

const commit = (time: string, transitions: number) => ({ commit: time, time, subject: '', transitions, changes: [], changesTotal: 0 })

test('transitions are counted by the minute', () => {
  const b = bucketsOf([commit('2026-11-01T12:03:59Z', 4), commit('2026-11-01T12:01:30Z', 2), commit('2026-11-01T12:01:05Z', 1)])
  expect(b.width).toBe(60)
  expect(b.transitions).toEqual([3, 0, 4])
  expect(b.starts[0]).toBe(Date.parse('2026-11-01T12:01:00Z') / 1000)
})

test('a long time has bars that can be told apart', () => {
  const b = bucketsOf([commit('2026-11-20T00:00:00Z', 1), commit('2026-11-01T00:00:00Z', 1)])
  expect(b.width).toBe(7200)
  expect(b.transitions.length).toBe(229)
  expect(bucketsOf([]).starts).toEqual([])
})

test('there is room at both sides of the bars, and around one alone', () => {
  expect(spanOf({ width: 60, starts: [600], transitions: [1] })).toEqual([330, 930])
  expect(spanOf({ width: 60, starts: Array.from({ length: 10 }, (_, i) => 600 + 60 * i), transitions: [] })).toEqual([540, 1260])
})

test('a moment belongs to the commit before it', () => {
  const commits = [commit('2026-11-01T12:03:00Z', 1), commit('2026-11-01T12:01:00Z', 1)]
  expect(nearest(commits, Date.parse('2026-11-01T12:02:00Z') / 1000)?.time).toBe('2026-11-01T12:01:00Z')
  expect(nearest(commits, 0)?.time).toBe('2026-11-01T12:01:00Z')
  expect(nearest([], 0)).toBeUndefined()
})
