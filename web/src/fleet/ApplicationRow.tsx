import { Link } from '@tanstack/react-router'
import type { Application } from '../answers/application'
import { Badge } from '../parts/Badge'
import { Moment } from '../parts/Moment'
import { Ready } from '../parts/Ready'
import { whyOf } from '../parts/state'
import { Tip } from '../parts/Tip'

// ApplicationRow is one application in short. Its reason leads to the decision, its name to all of it.
export function ApplicationRow({ row: a, index, measure }: { row: Application; index: number; measure: (e: Element | null) => void }) {
  const [tenant = '', name = ''] = a.application.split('/')
  const why = whyOf(a)
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      <th scope="row">
        <Link to="/applications/$tenant/$name" params={{ tenant, name }} className="name">
          <span className="tenant">{tenant}/</span>
          {name}
        </Link>
        {a.instance > 1 && <small className="soft"> #{a.instance}</small>}
      </th>
      <td>
        <Badge word={a.phase} />
        {a.refused && a.phase !== 'Rejected' && <Badge word="update refused" tone="bad" />}
        {a.waiting && <small className="soft"> number {a.waiting.position} in line</small>}
      </td>
      <td>
        <Ready components={a.components} />
      </td>
      <td className="why">
        {why && (
          <Tip text={why}>
            <Link to="/applications/$tenant/$name/decision" params={{ tenant, name }}>
              {why}
            </Link>
          </Tip>
        )}
      </td>
      <td className="since">
        <Moment at={a.since} />
      </td>
    </tr>
  )
}
