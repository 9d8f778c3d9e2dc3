import { MarkerType, type Edge } from '@xyflow/react'
import { useEffect, useMemo, useState } from 'react'
import { Card, type CardNode } from './Card'
import { Flow } from './Flow'
import { group, mostInAll } from './groups'
import { layOut, size, type Layout } from './layout'
import type { GraphNode } from './node'

const types = { card: Card }
const leastHeight = 150
const mostHeight = 520

// Drawn is a layout with what it was made for. There is none if it failed: then there is still the table.
interface Drawn {
  shape: string
  nodes: GraphNode[]
  layout: Layout | undefined
}

// Graph draws what comes after what. The table below it says the same in words, so the picture itself takes no part in reading
// with the keyboard or the ears; groups are opened by the buttons below it.
export default function Graph({ nodes, label, things }: { nodes: GraphNode[]; label: string; things: string }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [drawn, setDrawn] = useState<Drawn>()
  const shown = useMemo(() => group(nodes, opened), [nodes, opened])
  const shape = shown.map((n) => `${n.id}<${n.after.join(',')}`).join(';')
  useEffect(() => {
    if (nodes.length > mostInAll) return
    let current = true
    layOut(shown).then(
      (layout) => current && setDrawn({ shape, nodes: shown, layout }),
      () => current && setDrawn({ shape, nodes: shown, layout: undefined }),
    )
    return () => {
      current = false
    }
  }, [shape])
  if (nodes.length > mostInAll) {
    return (
      <p className="empty">
        {nodes.length} {things} are too many for a picture; the table has them all.
      </p>
    )
  }
  if (!drawn) return <p className="loading">Drawing …</p>
  const { layout } = drawn
  if (!layout) return null
  const current = drawn.shape === shape ? shown : drawn.nodes // until the next layout is there, the last one stays
  const flow = current.map(
    (n): CardNode => ({ id: n.id, type: 'card', position: layout.places.get(n.id) ?? { x: 0, y: 0 }, data: { of: n }, ...size }),
  )
  const edges = current.flatMap((n) =>
    n.after.map((a): Edge => ({ id: `${a} ${n.id}`, source: a, target: n.id, type: 'smoothstep', markerEnd: { type: MarkerType.ArrowClosed } })),
  )
  const groups = shown.filter((n) => n.kind === 'group')
  return (
    <figure className="graph" aria-label={label}>
      <div style={{ height: Math.min(mostHeight, Math.max(leastHeight, layout.height + 50)) }}>
        <Flow
          key={drawn.shape}
          nodes={flow}
          edges={edges}
          nodeTypes={types}
        />
      </div>
      {groups.length > 0 && (
        <figcaption>
          {nodes.length} {things} in groups by depth. Open{' '}
          {groups.map((g) => (
            <button key={g.id} type="button" className="plain" onClick={() => setOpened(new Set([...opened, g.id]))}>
              {g.id} ({g.title})
            </button>
          ))}
        </figcaption>
      )}
    </figure>
  )
}
