import { Background, Controls, ReactFlow, type Edge, type Node, type ReactFlowProps } from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import './graph.css'

// Flow draws nodes where the layout has put them. They do not move, and the keyboard has an outline beside it instead.
export function Flow<N extends Node, E extends Edge>(props: ReactFlowProps<N, E>) {
  return (
    <ReactFlow
      fitView
      fitViewOptions={{ padding: 0.06, maxZoom: 1, minZoom: 0.1 }}
      minZoom={0.1}
      maxZoom={1.5}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      zoomOnScroll={false}
      preventScrolling={false}
      disableKeyboardA11y
      colorMode="system"
      {...props}
    >
      <Background gap={20} size={1} />
      <Controls showInteractive={false} />
    </ReactFlow>
  )
}
