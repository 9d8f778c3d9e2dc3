import type { Plan } from '../answers/plan'
import { Panel } from '../parts/Panel'
import { Place } from '../parts/Place'

// most is how many people the page names for one part of the repo.
const most = 12

// Approvals says who may approve what the change touches. A person does that in Git; no page can.
export function Approvals({ of: p }: { of: Plan }) {
  if (!p.approvals) return null
  const signed = p.approvals.some((a) => a.people > 0)
  return (
    <Panel title="Who approves" note={signed ? 'with a signature' : 'access asks for no signatures'}>
      <ul className="rows">
        {p.approvals.map((a) => (
          <li key={a.area}>
            <span>
              <strong>{a.area}</strong> <span className="soft">{a.files === 1 ? '1 file' : `${a.files} files`}, such as</span> <Place at={a.path} commit={p.to.commit} />:{' '}
              {a.people > 1 && `${a.people} of `}
              {a.who.slice(0, most).join(', ') || 'nobody is named'}
              {a.who.length > most && ` and ${a.who.length - most} more`}
            </span>
          </li>
        ))}
        {p.approvals.length === 0 && <li>No file changes.</li>}
      </ul>
    </Panel>
  )
}
