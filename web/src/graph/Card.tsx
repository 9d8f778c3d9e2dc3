import { Handle, Position, type Node, type NodeProps } from '@xyflow/react'
import { Sign } from '../parts/Sign'
import type { GraphNode } from './node'

export type CardNode = Node<{ of: GraphNode }, 'card'>

// Card is one node of a graph.
export function Card({ data: { of: n } }: NodeProps<CardNode>) {
  return (
    <div className={`card ${n.tone}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <p className="title">
        <strong title={n.title}>{n.title}</strong>
        <span>{n.kind}</span>
      </p>
      <p className="state">
        <Sign tone={n.tone} /> {n.word}
      </p>
      {n.lines.map((l) => (
        <p key={l} className="line" title={l}>
          {l}
        </p>
      ))}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  )
}
