import type { Heads } from '../answers/heads'
import { Moment } from '../parts/Moment'
import { Commit } from '../parts/Place'

// HeadPicker chooses the branch, of those with the newest commits.
export function HeadPicker({ of: h, head, choose }: { of: Heads; head: string | undefined; choose: (name: string | undefined) => void }) {
  const chosen = h.heads.find((one) => one.name === head)
  if (h.heads.length === 0 && !head) {
    return <p className="empty">This clone has no other branch. <code>git fetch</code> brings those of others.</p>
  }
  return (
    <div className="filters">
      <label>
        Branch
        <select value={head ?? ''} onChange={(e) => choose(e.target.value || undefined)}>
          <option value="">Choose one</option>
          {head && !chosen && <option value={head}>{head}</option>}
          {h.heads.map((one) => (
            <option key={one.name} value={one.name}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      {chosen && (
        <p>
          <Commit hash={chosen.commit} source /> {chosen.author}: {chosen.subject}{' '}
          <span className="soft">
            <Moment at={chosen.time ?? ''} none="" />
          </span>
        </p>
      )}
      {h.more && <p className="soft">Older ones are left out.</p>}
    </div>
  )
}
