import { Link } from '@tanstack/react-router'
import type { Plan, Touched } from '../answers/plan'
import type { Amount } from '../answers/tenant'
import { amount, money } from '../parts/amount'
import { Panel } from '../parts/Panel'

// TouchedTenants shows what the change costs each tenant, and what it leaves of its quota.
export function TouchedTenants({ of: p }: { of: Plan }) {
  if (p.touched.length === 0) return null
  return (
    <Panel title="Tenants" note="price and headroom, before and after">
      <div className="scroll" tabIndex={0} role="region" aria-label="Tenants that are touched">
        <table className="touched">
          <thead>
            <tr>
              <th scope="col">Tenant</th>
              <th scope="col" className="number">Per hour</th>
              <th scope="col">Headroom</th>
              <th scope="col">Owners</th>
            </tr>
          </thead>
          <tbody>
            {p.touched.map((t) => (
              <tr key={t.tenant}>
                <th scope="row">
                  <Link to="/tenants/$tenant" params={{ tenant: t.tenant }}>
                    {t.tenant}
                  </Link>
                </th>
                <td className="number">{changed(money(t.pricePerHour.before), money(t.pricePerHour.after))}</td>
                <td>
                  <Headroom of={t} />
                </td>
                <td>{t.owners.join(', ') || <span className="soft">nobody is named</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {p.left?.touched !== undefined && <p className="more">and {p.left.touched} more</p>}
    </Panel>
  )
}

function Headroom({ of: t }: { of: Touched }) {
  const limited = t.amounts.filter((a) => a.before.quota !== null || a.after.quota !== null)
  if (limited.length === 0) return <span className="soft">no quota</span>
  return (
    <ul className="headroom">
      {limited.map((a) => (
        <li key={a.resource}>
          {a.resource} <strong>{changed(left(a.before), left(a.after))}</strong>
        </li>
      ))}
    </ul>
  )
}

const left = (a: Amount) => (a.headroom === null ? 'no quota' : amount(a.resource, a.headroom))
const changed = (before: string, after: string) => (before === after ? after : `${before} → ${after}`)
