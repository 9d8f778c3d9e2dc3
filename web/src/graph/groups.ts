import type { Tone } from '../parts/state'
import type { GraphNode } from './node'

// mostNodes is how many nodes are drawn one by one, mostInAll how many are drawn at all.
export const mostNodes = 100
export const mostInAll = 1000

// groupsAtOnce is how many groups a large graph is folded into at most.
const groupsAtOnce = 50

const order: Tone[] = ['bad', 'warn', 'wait', 'move', 'off', 'ok']

// depths tells for each node how many nodes come before it at most. Nodes of a circle, which a fleet cannot have, count as first.
export function depths(nodes: GraphNode[]): Map<string, number> {
  const byId = new Map(nodes.map((n) => [n.id, n]))
  const found = new Map<string, number>()
  const open = new Set<string>()
  const depth = (id: string): number => {
    const known = found.get(id)
    if (known !== undefined) return known
    if (open.has(id)) return -1
    open.add(id)
    const d = Math.max(-1, ...(byId.get(id)?.after ?? []).filter((a) => byId.has(a)).map(depth)) + 1
    open.delete(id)
    found.set(id, d)
    return d
  }
  for (const n of nodes) depth(n.id)
  return found
}

// group folds neighbours in depth into one node each, which says how the worst of them is. Those in opened stay as they are. A
// group stands for nodes of neighbouring depths, so no two groups wait for each other.
export function group(nodes: GraphNode[], opened: ReadonlySet<string>): GraphNode[] {
  if (nodes.length <= mostNodes) return nodes
  const depth = depths(nodes)
  const levels = Math.max(...depth.values()) + 1
  const width = Math.ceil(levels / groupsAtOnce)
  const groupOf = (n: GraphNode) => `depth ${Math.floor((depth.get(n.id) ?? 0) / width)}`
  const shownAs = new Map(nodes.map((n) => [n.id, opened.has(groupOf(n)) ? n.id : groupOf(n)]))
  const members = new Map<string, GraphNode[]>()
  for (const n of nodes) {
    const id = shownAs.get(n.id) ?? n.id
    members.set(id, [...(members.get(id) ?? []), n])
  }
  return [...members].map(([id, list]) => {
    const after = [...new Set(list.flatMap((n) => n.after.map((a) => shownAs.get(a) ?? a)))].filter((a) => a !== id)
    const only = list[0]
    if (only && id === only.id) return { ...only, after }
    const tone = order.find((t) => list.some((n) => n.tone === t)) ?? 'off'
    const worst = list.filter((n) => n.tone === tone)
    return { id, after, title: `${list.length} together`, kind: 'group', word: worst[0]?.word ?? '', tone, lines: [`${worst.length} ${worst[0]?.word ?? ''}`] }
  })
}
