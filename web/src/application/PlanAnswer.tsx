import type { Effect, Plan } from '../answers/plan'
import { money } from '../parts/amount'
import { ApplicationLink } from '../parts/ApplicationLink'
import { Commit } from '../parts/Place'
import { Badge } from '../parts/Badge'
import { LeftOut } from '../proposal/LeftOut'
import { ProblemList } from '../problems/ProblemList'

// PlanAnswer shows what a what-if found: first what becomes of the application of the page, if it has one, then of all others. The command
// says the same, and lists all of it.
export function PlanAnswer({ of: p, app, stale, command }: { of: Plan; app: string; stale: boolean; command: string }) {
  const own = p.applications.find((e) => e.application === app)
  const others = p.applications.filter((e) => e !== own)
  const touched = others.length + (p.left?.applications ?? 0)
  return (
    <div className={stale ? 'plan stale' : 'plan'}>
      {app !== '' && (
        <>
          <h3>{app}</h3>
          {own ? <Changed of={own} /> : <p>Nothing changes for it.</p>}
        </>
      )}
      <h3>
        {app === '' ? 'Applications' : 'Its neighbours'} <small className="soft">{touched === 0 ? 'none is touched' : `${touched} ${touched === 1 ? 'is' : 'are'} touched`}</small>
      </h3>
      {others.length > 0 && (
        <ul className="effects">
          {others.map((e, n) => (
            <li key={n}>
              <ApplicationLink of={e.application} />
              <Changed of={e} />
            </li>
          ))}
        </ul>
      )}
      <LeftOut of={p.left} command={command} />
      {p.pricePerHour.before !== p.pricePerHour.after && (
        <p>
          An hour of the fleet costs {money(p.pricePerHour.after)} instead of {money(p.pricePerHour.before)}.
        </p>
      )}
      {p.problems.length > 0 && <ProblemList problems={p.problems} />}
      <p className="soft">
        Compared with {p.from.name} <Commit hash={p.from.commit} source />
      </p>
      {p.notes.length > 0 && (
        <details>
          <summary>{p.notes.length === 1 ? '1 assumption' : `${p.notes.length} assumptions`}</summary>
          <ul>
            {p.notes.map((n) => (
              <li key={n}>{n}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Changed({ of: e }: { of: Effect }) {
  const said = e.refused?.message ?? e.after?.message
  return (
    <>
      <p>
        <Badge word={e.effect} />{' '}
        {e.phase.before !== e.phase.after && (
          <span>
            {e.phase.before ?? 'not there'} → {e.phase.after ?? 'not there'}
          </span>
        )}{' '}
        {(e.grants ?? []).map((g) => (
          <span key={g.component} className="grant">
            {g.component} {g.before?.replicas ?? 0} → {g.after?.replicas ?? 0}
            {g.after?.pool && g.after.pool !== g.before?.pool ? ` in pool ${g.after.pool}` : ''}
            {g.before && g.after && g.before.qos !== g.after.qos ? `, ${g.before.qos} → ${g.after.qos}` : ''}
          </span>
        ))}
      </p>
      {said && <p className="soft">{said}</p>}
    </>
  )
}
