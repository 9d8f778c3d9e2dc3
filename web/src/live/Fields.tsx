import type { LiveObject } from '../answers/live'
import { Panel } from '../parts/Panel'
import { Sign } from '../parts/Sign'
import { plainKind } from './branches'

// Fields shows what is wanted beside what there is, where they differ.
export function Fields({ of: objects }: { of: LiveObject[] }) {
  const compared = objects.filter((o) => o.compared)
  const rows = compared.flatMap((o) => (o.fields ?? []).map((field) => ({ o, field })))
  if (compared.length === 0) return null
  return (
    <Panel title="As wanted, and as it is" note={rows.length === 0 ? undefined : String(rows.length)}>
      {rows.length === 0 ? (
        <p className="verdict ok">
          <Sign tone="ok" /> {compared.length === 1 ? 'One object was compared, and is as wanted.' : `${compared.length} objects were compared, and are as wanted.`}
        </p>
      ) : (
        <div className="scroll" tabIndex={0} role="region" aria-label="Fields that differ">
          <table>
            <thead>
              <tr>
                <th scope="col">Object</th>
                <th scope="col">Field</th>
                <th scope="col">Wanted</th>
                <th scope="col">Is</th>
                <th scope="col">Held by</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ o, field }) => (
                <tr key={`${o.id} ${field.path}`}>
                  <th scope="row">{plainKind(o.kind)} {o.name}</th>
                  <td className="anywhere"><code>{field.path}</code></td>
                  <td className="anywhere">{field.wanted ? <code>{field.wanted}</code> : <span className="soft">nothing</span>}</td>
                  <td className="anywhere">{field.live ? <code>{field.live}</code> : <span className="soft">nothing</span>}</td>
                  <td>{field.manager ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
