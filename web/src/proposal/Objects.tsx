import type { ObjectChange } from '../answers/plan'
import { Badge } from '../parts/Badge'
import { Diff } from '../parts/Diff'
import { Panel } from '../parts/Panel'
import type { Tone } from '../parts/state'

// most is how many objects the page shows.
const most = 200

const tones: Record<ObjectChange['action'], Tone> = { add: 'ok', change: 'move', remove: 'bad', keep: 'off' }

// Objects shows what changes in the cluster, line by line.
export function Objects({ of: objects }: { of: ObjectChange[] }) {
  if (objects.length === 0) return null
  return (
    <Panel title="Objects" note={`${objects.length} in the cluster`}>
      {objects.slice(0, most).map((o) => (
        <details key={`${o.kind}/${o.namespace}/${o.name}`} className="object" open={o.action === 'change' && objects.length <= 10}>
          <summary>
            <Badge word={o.action} tone={tones[o.action]} /> {o.kind} {o.namespace ? `${o.namespace}/` : ''}
            {o.name} <span className="soft">{o.action === 'keep' ? 'is declared no more and stays' : o.owner}</span>
          </summary>
          {o.diff ? <Diff text={o.diff} /> : <p className="empty">There are no lines to show.</p>}
        </details>
      ))}
      {objects.length > most && <p className="more">and {objects.length - most} more</p>}
    </Panel>
  )
}
