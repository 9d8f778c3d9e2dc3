import type { PolicyValue } from '../answers/decision'
import { Panel } from '../parts/Panel'
import { Place } from '../parts/Place'

// Policies shows the policies that somebody set; the defaults of the schema are folded.
export function Policies({ list }: { list: PolicyValue[] }) {
  if (list.length === 0) return null
  const set = list.filter((p) => p.layer !== 'schema')
  const defaults = list.filter((p) => p.layer === 'schema')
  return (
    <Panel title="Policies in force" note={`${set.length} set, ${defaults.length} by default`}>
      <Table list={set} />
      {defaults.length > 0 && (
        <details>
          <summary>Defaults that nobody changed</summary>
          <Table list={defaults} />
        </details>
      )}
    </Panel>
  )
}

function Table({ list }: { list: PolicyValue[] }) {
  return (
    <table className="policies">
      <thead>
        <tr>
          <th scope="col">Policy</th>
          <th scope="col">Value</th>
          <th scope="col">Set by</th>
        </tr>
      </thead>
      <tbody>
        {list.map((p) => (
          <tr key={p.path}>
            <th scope="row">{p.path}</th>
            <td>{p.value || '–'}</td>
            <td>
              {p.layer} <Place at={p.at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
