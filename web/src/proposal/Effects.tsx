import type { Effect, Plan } from '../answers/plan'
import { money } from '../parts/amount'
import { Badge } from '../parts/Badge'
import { ApplicationLink } from '../parts/ApplicationLink'
import { Panel } from '../parts/Panel'

// most is how many applications the page shows; the command has all.
const most = 200

// Effects shows what becomes of applications, the refused and the evicted first, and which of them are neighbours.
export function Effects({ of: p }: { of: Plan }) {
  if (p.applications.length === 0) {
    return (
      <Panel title="Applications">
        <p className="empty">Nothing changes for any application.</p>
      </Panel>
    )
  }
  const left = p.left?.applications ?? 0
  const neighbours = p.applications.filter((e) => !e.edited).length + left - (p.left?.edited ?? 0)
  const all = p.applications.length + left
  return (
    <Panel title="Applications" note={neighbours > 0 ? `${neighbours} of ${all} are not edited, but touched` : undefined}>
      <div className="scroll" tabIndex={0} role="region" aria-label="Applications that are touched">
        <table className="effects-of-plan">
          <thead>
            <tr>
              <th scope="col">Application</th>
              <th scope="col">Effect</th>
              <th scope="col">Granted</th>
              <th scope="col" className="number">Per hour</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {p.applications.slice(0, most).map((e) => (
              <Row key={e.application} of={e} />
            ))}
          </tbody>
        </table>
      </div>
      {all > Math.min(most, p.applications.length) && <p className="more">and {all - Math.min(most, p.applications.length)} more</p>}
    </Panel>
  )
}

function Row({ of: e }: { of: Effect }) {
  const price = e.pricePerHour
  return (
    <tr>
      <th scope="row">
        <ApplicationLink of={e.application} />
        {!e.edited && <small className="soft"> neighbour</small>}
      </th>
      <td>
        <Badge word={e.effect} />
      </td>
      <td>
        {(e.grants ?? []).map((g) => (
          <span key={g.component} className="grant">
            {g.component} {g.before?.replicas ?? 0} → {g.after?.replicas ?? 0}
          </span>
        ))}
      </td>
      <td className="number">{price.before === price.after ? '' : `${money(price.before)} → ${money(price.after)}`}</td>
      <td>{e.refused?.message ?? (e.effect === 'removed' ? 'Git does not want it any more' : e.after?.message)}</td>
    </tr>
  )
}
