import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js'
import workerUrl from 'elkjs/lib/elk-worker.min.js?url'
import type { GraphNode } from './node'

export const size = { width: 228, height: 86 }

// One worker lays out all graphs of a page, so that drawing never keeps the page from answering.
let elk: InstanceType<typeof ELK> | undefined

export interface Layout {
  width: number
  height: number
  places: Map<string, { x: number; y: number }>
}

// layOut finds a place for each node, from left to right. Equal graphs get equal places.
export async function layOut(nodes: GraphNode[]): Promise<Layout> {
  elk ??= new ELK({ workerUrl })
  const made = await elk.layout(graphOf(nodes))
  return {
    width: made.width ?? 0,
    height: made.height ?? 0,
    places: new Map((made.children ?? []).map((c) => [c.id, { x: c.x ?? 0, y: c.y ?? 0 }])),
  }
}

// graphOf is a graph as elk reads it.
export function graphOf(nodes: Pick<GraphNode, 'id' | 'after'>[]): ElkNode {
  return {
    id: 'graph',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.spacing.nodeNode': '22',
      'elk.layered.spacing.nodeNodeBetweenLayers': '56',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.randomSeed': '1',
    },
    children: nodes.map((n) => ({ id: n.id, ...size })),
    edges: nodes.flatMap((n) => n.after.map((a) => ({ id: `${a} ${n.id}`, sources: [a], targets: [n.id] }))),
  }
}
