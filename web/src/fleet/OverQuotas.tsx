import { Link } from '@tanstack/react-router'
import type { OverQuota } from '../answers/words'
import { amount } from '../parts/amount'
import { Panel } from '../parts/Panel'
import { Place } from '../parts/Place'
import { Sign } from '../parts/Sign'

// OverQuotas lists the tenants and groups that are granted more than their quotas: what runs stays, and nothing grows.
export function OverQuotas({ list }: { list: OverQuota[] }) {
  if (list.length === 0) return null
  return (
    <Panel title="Over quota" note={String(list.length)}>
      <ul className="rows">
        {list.map((q) => (
          <li className="warn" key={`${q.tenant} ${q.group} ${q.pool} ${q.resource}`}>
            <Sign tone="warn" />
            <div>
              {q.group ? <>group {q.group}</> : <Link to="/tenants/$tenant" params={{ tenant: q.tenant }}>{q.tenant}</Link>} has{' '}
              {amount(q.resource, q.granted)} {q.resource}{q.pool && <> in pool {q.pool}</>}, its quota {q.pool && 'there '}is {amount(q.resource, q.limit)} <Place at={q.at} />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
