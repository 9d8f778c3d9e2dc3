import type { Plan } from '../answers/plan'
import { Badge } from '../parts/Badge'
import { Panel } from '../parts/Panel'
import { Commit } from '../parts/Place'
import { ProblemList } from '../problems/ProblemList'
import { Approvals } from './Approvals'
import { Effects } from './Effects'
import { LeftOut } from './LeftOut'
import { Objects } from './Objects'
import { Runs } from './Runs'
import { TouchedTenants } from './TouchedTenants'

const verdicts = { same: ['Nothing changes', 'ok'], changes: ['This changes what runs', 'move'], refused: ['This would be refused', 'bad'] } as const

// PlanOfHead shows a plan, as a command does: first what hurts somebody.
export function PlanOfHead({ of: p, command }: { of: Plan; command: string }) {
  const [verdict, tone] = verdicts[p.result]
  return (
    <>
      <Panel title="Verdict">
        <p>
          <Badge word={verdict} tone={tone} /> <span className="soft">{p.to.name}</span> <Commit hash={p.to.commit} source />{' '}
          <span className="soft">compared with {p.from.name}</span> <Commit hash={p.from.commit} source />
        </p>
        {p.notes.length > 0 && (
          <ul className="notes">
            {p.notes.map((n) => (
              <li key={n}>{n}</li>
            ))}
          </ul>
        )}
        <LeftOut of={p.left} command={command} />
      </Panel>
      {p.problems.length > 0 && (
        <Panel title="Problems" note="that the change brings">
          <ProblemList problems={p.problems} commit={p.to.commit} />
        </Panel>
      )}
      <Effects of={p} />
      <TouchedTenants of={p} />
      <Approvals of={p} />
      <Runs of={p} />
      {p.waits.total > 0 && (
        <Panel title="Who waits" note={`${p.waits.total} for capacity, after the change`}>
          <ol className="rows">
            {p.waits.first.map((w) => (
              <li key={w.application}>
                <span>
                  <strong>{w.application}</strong> is number {w.position}
                  {w.before === 0 ? ', and waits because of the change' : w.before !== w.position ? ` instead of ${w.before}` : ', as before'}
                  <span className="soft"> {w.message}</span>
                </span>
              </li>
            ))}
          </ol>
          {p.waits.total > p.waits.first.length && <p className="more">and {p.waits.total - p.waits.first.length} more</p>}
        </Panel>
      )}
      <Objects of={p} />
    </>
  )
}
