import type { LiveEvent } from '../answers/live'
import { Badge } from '../parts/Badge'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'

// Events shows what the cluster told about the objects.
export function Events({ of: list }: { of: LiveEvent[] }) {
  return (
    <Panel title="Events" note={list.length > 0 ? 'the newest first' : undefined}>
      {list.length === 0 ? (
        <p className="empty">The cluster tells none. It keeps them for an hour or so.</p>
      ) : (
        <div className="scroll live-events" tabIndex={0} role="region" aria-label="Events">
          <table>
            <thead>
              <tr>
                <th scope="col">Last</th>
                <th scope="col">Kind of event</th>
                <th scope="col">Object</th>
                <th scope="col">Message</th>
                <th scope="col" className="number">Times</th>
              </tr>
            </thead>
            <tbody>
              {list.map((e, i) => (
                <tr key={i}>
                  <td><Moment at={e.last} /></td>
                  <td><Badge word={e.reason} tone={e.warning ? 'warn' : 'off'} title={e.warning ? 'a warning' : undefined} /></td>
                  <td className="anywhere">{e.object}</td>
                  <td className="anywhere">{e.message}</td>
                  <td className="number">{e.count}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
