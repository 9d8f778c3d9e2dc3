import { Link } from '@tanstack/react-router'
import type { Plan } from '../answers/plan'
import { Badge } from '../parts/Badge'
import { Panel } from '../parts/Panel'

// most is how many runs the page shows.
const most = 50

// Runs shows the workflow runs that the change begins, ends or moves on.
export function Runs({ of: { runs, left } }: { of: Plan }) {
  if (runs.length === 0) return null
  const rest = runs.length + (left?.runs ?? 0) - Math.min(most, runs.length)
  return (
    <Panel title="Workflows" note="runs that the change begins, ends or moves on">
      <ul className="rows">
        {runs.slice(0, most).map((r) => {
          const [tenant = '', name = ''] = r.application.split('/')
          return (
            <li key={r.application}>
              <div>
                <Link to="/applications/$tenant/$name" params={{ tenant, name }}>
                  {r.application}
                </Link>{' '}
                {r.effect} run {r.number}
                {r.supersedes ? `, and supersedes run ${r.supersedes}, which has not ended` : ''}
                <ol className="steps-of-run">
                  {r.steps.map((s) => (
                    <li key={s.step}>
                      {s.step} <Badge word={s.phase} /> <span className="soft">{s.waitsFor ? `waits for ${s.waitsFor}` : s.people ? 'waits for people, once it has begun' : s.type}</span>
                    </li>
                  ))}
                </ol>
              </div>
            </li>
          )
        })}
      </ul>
      {rest > 0 && <p className="more">and {rest} more</p>}
    </Panel>
  )
}
