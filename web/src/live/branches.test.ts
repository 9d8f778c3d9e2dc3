import { expect, test } from 'vitest'
import type { LiveObject } from '../answers/live'
import { byComponent, plainKind, treeOf } from './branches'

function object(id: string, owner?: string, component?: string): LiveObject {
  return { id, owner, component, kind: 'Pod', name: id, state: 'ready', compared: false }
}

test('an object is below its owner, and without one it is a root', () => {
  const roots = treeOf([object('d'), object('r', 'd'), object('p', 'r'), object('q', 'r'), object('x', 'gone')])
  expect(roots.map((r) => r.object.id)).toEqual(['d', 'x'])
  expect(roots[0]?.made[0]?.made.map((b) => b.object.id)).toEqual(['p', 'q'])
})

test('objects of a component are together', () => {
  const groups = byComponent(treeOf([object('a', undefined, 'web'), object('b', undefined, 'db'), object('c', undefined, 'web')]))
  expect(groups.map(([name, roots]) => [name, roots.length])).toEqual([['web', 2], ['db', 1]])
})

test('a kind is shown without its group', () => {
  expect(plainKind('Deployment.apps')).toBe('Deployment')
  expect(plainKind('Pod')).toBe('Pod')
})
