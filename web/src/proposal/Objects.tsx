import type { ObjectChange, Plan } from '../answers/plan'
import { Badge } from '../parts/Badge'
import { Diff } from '../parts/Diff'
import { Panel } from '../parts/Panel'
import type { Tone } from '../parts/state'

// most is how many objects the page shows.
const most = 200

const tones: Record<ObjectChange['action'], Tone> = { add: 'ok', change: 'move', remove: 'bad', keep: 'off' }

// Objects shows what changes in the cluster, line by line.
export function Objects({ of: { objects, left } }: { of: Plan }) {
  if (objects.length === 0) return null
  const all = objects.length + (left?.objects ?? 0)
  const rest = all - Math.min(most, objects.length)
  return (
    <Panel title="Objects" note={`${all} in the cluster`}>
      {objects.slice(0, most).map((o) => (
        <details key={`${o.kind}/${o.namespace}/${o.name}`} className="object" open={o.action === 'change' && objects.length <= 10}>
          <summary>
            <Badge word={o.action} tone={tones[o.action]} /> {o.kind} {o.namespace ? `${o.namespace}/` : ''}
            {o.name} <span className="soft">{o.action === 'keep' ? 'is declared no more and stays' : o.owner}</span>
          </summary>
          {o.diff ? <Diff text={o.diff} /> : <p className="empty">There are no lines to show.</p>}
        </details>
      ))}
      {rest > 0 && <p className="more">and {rest} more</p>}
    </Panel>
  )
}
