import { Handle, MarkerType, Position, type Connection, type Edge, type Node, type NodeProps } from '@xyflow/react'
import { Tabs } from 'radix-ui'
import { useEffect, useMemo, useState, type DragEvent } from 'react'
import { Flow } from '../graph/Flow'
import { layOut, size, type Layout } from '../graph/layout'
import type { GraphNode } from '../graph/node'
import { shortImage } from '../application/nodes'
import { Panel } from '../parts/Panel'
import { Sign } from '../parts/Sign'
import type { Tone } from '../parts/state'
import { Tip } from '../parts/Tip'
import { comesAfter, connect, disconnect, isListed, partsOf, type Part, type Sort } from './actions'
import type { Wanted } from './AddPart'
import { fixedBy } from './draft'
import { useEditing, type Editing } from './editing'
import { PartMenu } from './PartMenu'
import { same, valueAt, within } from './path'

// mostParts is how many components or steps are drawn.
const mostParts = 150

type PartNode = Node<{ of: GraphNode; selected: boolean; joins: boolean }, 'part'>

const types = { part: PartCard }

// Canvas draws the components or the steps, and lets somebody join them. All that it does the outline and the form do, too, so it
// takes no part in the keyboard.
export function Canvas({ add }: { add: (w: Wanted) => void }) {
  const e = useEditing()
  const [sort, setSort] = useState<Sort>(e.selected[0] === 'workflow' ? 'steps' : 'components')
  useEffect(() => {
    if (e.selected[0] === 'components') setSort('components')
    if (e.selected[1] === 'steps') setSort('steps')
  }, [e.selected])
  const parts = useMemo(() => partsOf(e.doc, sort), [e.doc, sort])
  const offered = (sort === 'components' ? e.offers?.componentTypes : e.offers?.stepTypes) ?? []
  const tabs: [Sort, string][] = [['components', 'Components'], ['steps', 'Steps of a rollout']]
  const picture = (
    <>
      <div className="palette" role="group" aria-label={`Add a ${sort === 'components' ? 'component' : 'step'} of type`}>
        {offered.map((t) => (
          <Tip key={t.name} text={t.about}>
            <button type="button" className="chip" draggable onDragStart={(ev) => ev.dataTransfer.setData('text/plain', t.name)} onClick={() => add({ sort, type: t.name })}>
              + {t.name}
            </button>
          </Tip>
        ))}
      </div>
      {parts.length === 0 ? <p className="empty">There are none.</p> : parts.length > mostParts ? <p className="empty">{parts.length} are too many for a picture; the outline has them all.</p> : <Drawing parts={parts} sort={sort} add={add} />}
    </>
  )
  return (
    <Tabs.Root value={sort} onValueChange={(s) => setSort(s as Sort)}>
      <Panel
        title="Picture"
        aside={
          <Tabs.List className="aside moves" aria-label="What the picture shows">
            {tabs.map(([s, name]) => <Tabs.Trigger key={s} value={s} className="chip">{name}</Tabs.Trigger>)}
          </Tabs.List>
        }
      >
        {tabs.map(([s]) => <Tabs.Content key={s} value={s} tabIndex={-1}>{s === sort && picture}</Tabs.Content>)}
      </Panel>
    </Tabs.Root>
  )
}

function Drawing({ parts, sort, add }: { parts: Part[]; sort: Sort; add: (w: Wanted) => void }) {
  const e = useEditing()
  const listed = sort === 'steps' && isListed(e.doc)
  const nodes = useMemo(() => nodesOf(e, parts, listed), [e, parts, listed])
  const shape = nodes.map((n) => `${n.id}<${n.after.join(',')}`).join(';')
  const [drawn, setDrawn] = useState<{ shape: string; layout: Layout }>()
  const [edge, setEdge] = useState<[after: string, name: string]>()
  useEffect(() => {
    let current = true
    layOut(nodes).then((layout) => current && setDrawn({ shape, layout }), () => undefined)
    return () => {
      current = false
    }
  }, [shape])
  if (!drawn) return <p className="loading">Drawing …</p>
  const partOf = e.selected.slice(0, sort === 'steps' ? 3 : 2)
  const flow = nodes.map((n): PartNode => ({
    id: n.id, type: 'part', position: drawn.layout.places.get(n.id) ?? { x: 0, y: drawn.layout.height + 20 }, ...size,
    data: { of: n, selected: same(parts.find((p) => p.name === n.id)?.path ?? [''], partOf), joins: !listed },
  }))
  const edges = nodes.flatMap((n) => n.after.map((a): Edge => ({
    id: `${a} ${n.id}`, source: a, target: n.id, type: 'smoothstep', markerEnd: { type: MarkerType.ArrowClosed }, selected: edge?.[0] === a && edge[1] === n.id, className: edge?.[0] === a && edge[1] === n.id ? 'meant' : '',
  })))
  const free = ({ source, target }: Connection | Edge) => source !== target && !comesAfter(parts, source, target) && !parts.find((p) => p.name === target)?.after.includes(source)
  const drop = (ev: DragEvent) => {
    ev.preventDefault()
    const type = ev.dataTransfer.getData('text/plain')
    if (type !== '') add({ sort, type })
  }
  const [after, name] = edge && edges.some((x) => x.source === edge[0] && x.target === edge[1]) ? edge : []
  return (
    <PartMenu sort={sort} add={add}>
      <figure className="graph canvas" aria-busy={drawn.shape !== shape} aria-label={sort === 'components' ? 'Components, and what they wait for' : 'Steps, and what they wait for'} onDragOver={(ev) => ev.preventDefault()} onDrop={drop}>
        <div style={{ height: Math.min(460, Math.max(180, drawn.layout.height + 60)) }}>
          <Flow
            key={drawn.shape}
            nodes={flow}
            edges={edges}
            nodeTypes={types}
            nodesConnectable={!listed}
            elementsSelectable
            deleteKeyCode={null}
            isValidConnection={free}
            onConnect={(c) => e.change(connect(e, sort, c.target, c.source))}
            onConnectEnd={(_, state) => {
              if (state.toNode === null && state.fromNode) add(state.fromHandle?.type === 'target' ? { sort, before: state.fromNode.id } : { sort, after: state.fromNode.id })
            }}
            onNodeClick={(_, n) => e.select(parts.find((p) => p.name === n.id)?.path ?? [])}
            onEdgeClick={(_, x) => setEdge([x.source, x.target])}
            onPaneClick={() => setEdge(undefined)}
          />
        </div>
        <figcaption>
          {after !== undefined && name !== undefined ? (
            <>
              <strong>{name}</strong> comes after <strong>{after}</strong>
              <button type="button" className="plain" onClick={() => add({ sort, after, before: name })}>Insert between</button>
              {!listed && <button type="button" className="plain" onClick={() => { e.change(disconnect(e, sort, name, after)); setEdge(undefined) }}>Disconnect</button>}
            </>
          ) : (
            <span className="soft">{listed ? 'Steps run in their order; a click on an arrow inserts.' : 'Draw from the right side of one to the left side of what comes after it, or to an empty place. A click on an arrow inserts or disconnects; a right click has what else can be done.'}</span>
          )}
        </figcaption>
      </figure>
    </PartMenu>
  )
}

function nodesOf(e: Editing, parts: Part[], listed: boolean): GraphNode[] {
  const names = new Set(parts.map((p) => p.name))
  return parts.map((p, i) => {
    const wrong = e.problems.filter((x) => within(x.at, p.path)).length
    const origin = e.origin(p.path)
    const changed = e.draft.done.some((s) => s.edits.some((x) => within(x.path, p.path)))
    const fixed = fixedBy(e.draft, e.places, p.path) !== undefined
    const [word, tone]: [string, Tone] = wrong > 0 ? [wrong === 1 ? '1 problem' : `${wrong} problems`, 'bad'] : origin.by === 'draft' ? ['new', 'move'] : changed ? ['changed', 'move'] : fixed ? ['read-only', 'off'] : ['as it was', 'off']
    const replicas = valueAt(e.doc, [...p.path, 'replicas'])
    const image = valueAt(e.doc, [...p.path, 'properties', 'image'])
    const previous = parts[i - 1]
    return {
      id: p.name, title: p.name, kind: p.type, word, tone,
      after: listed ? (previous ? [previous.name] : []) : p.after.filter((a) => names.has(a)),
      lines: [typeof image === 'string' ? `${typeof replicas === 'number' ? `${replicas} × ` : ''}${shortImage(image)}` : ''].filter((l) => l !== ''),
    }
  })
}

function PartCard({ data: { of: n, selected, joins } }: NodeProps<PartNode>) {
  return (
    <div className={`card ${n.tone}${selected ? ' selected' : ''}`} data-part={n.id}>
      <Handle type="target" position={Position.Left} isConnectable={joins} className={joins ? 'joins' : ''} />
      <p className="title">
        <strong title={n.title}>{n.title}</strong>
        <span>{n.kind}</span>
      </p>
      <p className="state"><Sign tone={n.tone} /> {n.word}</p>
      {n.lines.map((l) => <p key={l} className="line" title={l}>{l}</p>)}
      <Handle type="source" position={Position.Right} isConnectable={joins} className={joins ? 'joins' : ''} />
    </div>
  )
}
