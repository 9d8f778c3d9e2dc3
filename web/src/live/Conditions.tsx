import type { LiveCondition } from '../answers/live'
import { Moment } from '../parts/Moment'

// Conditions shows what controllers say of an object, folded.
export function Conditions({ of: list, about }: { of: LiveCondition[]; about: string }) {
  if (list.length === 0) return null
  return (
    <details className="live-conditions">
      <summary>
        {list.length === 1 ? '1 condition' : `${list.length} conditions`}
        <span className="unseen"> of {about}</span>
      </summary>
      <div className="scroll" tabIndex={0} role="region" aria-label={`Conditions of ${about}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Condition</th>
              <th scope="col">Status</th>
              <th scope="col">Reason</th>
              <th scope="col">Message</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {list.map((c) => (
              <tr key={c.type}>
                <th scope="row">{c.type}</th>
                <td>{c.status}</td>
                <td>{c.reason ?? '–'}</td>
                <td className="anywhere">{c.message || '–'}</td>
                <td><Moment at={c.since} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
