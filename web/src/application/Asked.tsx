import type { Handled } from '../answers/run'
import { Badge } from '../parts/Badge'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { Commit } from '../parts/Place'

// Asked lists what people asked of a run, and whether it counted.
export function Asked({ list }: { list: Handled[] }) {
  if (list.length === 0) return null
  return (
    <Panel title="What people asked of it" note={String(list.length)}>
      <table>
        <thead>
          <tr>
            <th scope="col">Action</th>
            <th scope="col">By</th>
            <th scope="col">Commit</th>
            <th scope="col">When</th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {list.map((h) => (
            <tr key={h.id}>
              <th scope="row">
                {h.action} {h.step}
                {h.stage ? `, stage ${h.stage}` : ''}
              </th>
              <td>{h.by}</td>
              <td><Commit hash={h.commit} source /></td>
              <td><Moment at={h.at} /></td>
              <td>{h.refused ? <><Badge word="refused" /> {h.refused}</> : <Badge word="done" />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
