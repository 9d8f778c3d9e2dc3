import { expect, test } from 'vitest'
import { depths, group, mostNodes } from './groups'
import type { GraphNode } from './node'

const node = (id: string, after: string[] = [], tone: GraphNode['tone'] = 'ok'): GraphNode => ({ id, after, title: id, kind: 'worker', word: tone, tone, lines: [] })

test('the depth of a node is the longest way to it', () => {
  const d = depths([node('c', ['a', 'b']), node('b', ['a']), node('a'), node('x', ['not there'])])
  expect([...d].sort()).toEqual([['a', 0], ['b', 1], ['c', 2], ['x', 0]])
  expect(depths([node('a', ['b']), node('b', ['a'])]).size).toBe(2) // a circle ends
})

test('few nodes stay as they are', () => {
  const few = Array.from({ length: mostNodes }, (_, i) => node(`n${i}`))
  expect(group(few, new Set())).toBe(few)
})

test('many nodes are folded by depth, and the worst of a group shows', () => {
  const roots = Array.from({ length: 60 }, (_, i) => node(`r${i}`, [], i === 7 ? 'bad' : 'ok'))
  const leaves = Array.from({ length: 60 }, (_, i) => node(`l${i}`, [`r${i}`]))
  const folded = group([...roots, ...leaves], new Set())
  expect(folded.map((n) => [n.id, n.after, n.title, n.tone, n.lines])).toEqual([
    ['depth 0', [], '60 together', 'bad', ['1 bad']],
    ['depth 1', ['depth 0'], '60 together', 'ok', ['60 ok']],
  ])
  const opened = group([...roots, ...leaves], new Set(['depth 1']))
  expect(opened.length).toBe(61)
  expect(opened.at(-1)?.after).toEqual(['depth 0'])
})

test('a long chain is folded, too, and stays without circles', () => {
  const chain = Array.from({ length: 500 }, (_, i) => node(`n${i}`, i > 0 ? [`n${i - 1}`] : []))
  const folded = group(chain, new Set())
  expect(folded.length).toBe(50)
  expect(folded.every((n) => n.after.length <= 1)).toBe(true)
})
